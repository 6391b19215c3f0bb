// SPDX-License-Identifier: Apache-2.0
//! Second pass of an explanation: what each cycle of the critical path is for.
//!
//! The run is the same as in the first pass, so the path is known. In every cycle one flit is on it: the first that has not left its
//! tile, then the last of its burst, then the response. If it moves, the cycle is one of the payload or of the hops; if it stands, the
//! cycle's cause is what blocks it.

use super::follow::{FlitPath, FlitStep};
use super::path::{Stretch, Watch, WatchKind, What};
use super::usage::Usage;
use super::wait::{Blame, Fifo};
use crate::machine::Machine;
use crate::ni::axi::state::Source;
use crate::router::collective::control::block::LOCAL;
use crate::transport::flit::{Flit, FlitKind};
use crate::transport::transaction::{Owner, TxnKind};
use noccl_net::tree::join_set;
use noccl_net::{AxiNetwork, Coord, TileId};
use noccl_run::{Cause, Resource};
use noccl_spec::Plane;
use std::collections::{BTreeMap, HashMap};

const MOVES: Blame = (Cause::Routers, None);
const MEMORY: Blame = (Cause::MemoryLatency, None);
const PAYLOAD: Blame = (Cause::Payload, None);

/// What the second pass looks at and counts.
#[derive(Debug)]
pub(crate) struct Watcher {
    stretches: Vec<Stretch>,
    /// The stretch of the next cycle, and what of it is followed.
    current: usize,
    followed: Option<Followed>,
    /// Commands so far, and the transactions of those that are followed.
    num_commands: u32,
    slots: HashMap<u32, Option<u32>>,
    /// Reads of DMA engines that are not over, oldest first, by tile.
    reads: HashMap<u32, Vec<u32>>,
    /// First cycle that is explained, and the next one.
    from: u64,
    next: u64,
    pub(super) cycles: BTreeMap<Blame, u64>,
    pub(super) usage: Vec<Usage>,
}

/// The flits of a stretch.
#[derive(Debug)]
struct Followed {
    watch: Watch,
    slot: Option<u32>,
    forth: FlitPath,
    back: FlitPath,
    read: Option<FollowedRead>,
    /// Beats that the tile's write queue has had so far, see [`progress`].
    progress: Option<(usize, u64)>,
    /// The same of the read data at a memory.
    read_progress: Option<(u32, u16)>,
    /// Has a beat of the burst's owner left?
    has_sent: bool,
    recent: Recent,
}

/// What has blocked a path last. An empty slot moves upstream by one FIFO per cycle: a flit that waits for it may look at a path on which
/// nothing is blocked any more.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Recent(Option<(u64, Blame)>);

impl Recent {
    /// What blocks the path now, or has blocked it so lately that the empty slot may not have come yet.
    pub(super) fn or_now(&mut self, cycle: u64, fifos: usize, now: Option<Blame>) -> Option<Blame> {
        if let Some(blame) = now {
            self.0 = Some((cycle, blame));
        }
        let (seen, blame) = self.0?;
        (cycle - seen <= fifos as u64 + 2).then_some(blame)
    }
}

impl Watcher {
    /// Stretches in order; cycles before `from` are not counted.
    pub(super) fn new(stretches: Vec<Stretch>, from: u64, usage: Vec<Usage>) -> Self {
        let serials = stretches.iter().filter_map(|stretch| match stretch.what {
            What::Watch(watch) => Some((watch.serial, None)),
            What::Cause(_) => None,
        });
        Self {
            slots: serials.collect(),
            stretches,
            current: 0,
            followed: None,
            num_commands: 0,
            reads: HashMap::new(),
            from,
            next: 0,
            cycles: BTreeMap::new(),
            usage,
        }
    }

    /// A tile asks for a transaction, or contributes to one.
    pub(super) fn command(&mut self, slot: u32, owner: Owner, tile: u32) {
        if let Some(wanted) = self.slots.get_mut(&self.num_commands) {
            *wanted = Some(slot);
        }
        self.num_commands += 1;
        if owner == Owner::DmaRead {
            self.reads.entry(tile).or_default().push(slot);
        }
    }

    /// A tile has the last response to a transaction.
    pub(super) fn completed(&mut self, slot: u32, tile: u32) {
        if let Some(reads) = self.reads.get_mut(&tile) {
            reads.retain(|read| *read != slot);
        }
    }

    /// The end of a cycle, before the registers change.
    pub(super) fn observe(&mut self, machine: &Machine<'_>) {
        let cycle = machine.clock.now();
        for usage in &mut self.usage {
            usage.observe(machine);
        }
        // In cycles that the machine has skipped nothing moved: events of memories were due.
        while self.next < cycle {
            self.count(MEMORY, cycle);
        }
        let blame = self.blame_of(machine, cycle);
        self.count(blame, cycle + 1);
    }

    /// Counts from the next cycle on, but not beyond the stretch or `until`, with this cause if the stretch does not say its own.
    fn count(&mut self, watched: Blame, until: u64) {
        let Some(stretch) = self.stretches.get(self.current).copied() else {
            self.next = until;
            return;
        };
        let end = stretch.end.min(until);
        let blame = match stretch.what {
            What::Cause(cause) => (cause, None),
            What::Watch(_) => watched,
        };
        let counted = end.saturating_sub(self.next.max(self.from));
        if counted > 0 {
            *self.cycles.entry(blame).or_default() += counted;
        }
        self.next = end;
        if end == stretch.end {
            self.current += 1;
            self.followed = None;
        }
    }

    /// Counts what is left up to the end of the path.
    pub(super) fn finish(&mut self) {
        while self.current < self.stretches.len() {
            self.count(MEMORY, u64::MAX);
        }
    }

    /// The cause of a cycle, if its stretch is watched.
    fn blame_of(&mut self, machine: &Machine<'_>, cycle: u64) -> Blame {
        let Some(Stretch {
            what: What::Watch(watch),
            ..
        }) = self.stretches.get(self.current).copied()
        else {
            return MOVES;
        };
        let mut followed = self
            .followed
            .take()
            .unwrap_or_else(|| Followed::new(machine.network, watch));
        if followed.slot.is_none() {
            followed.slot = self.slots.get(&watch.serial).copied().flatten();
        }
        let oldest_read = self.reads.get(&watch.source).and_then(|r| r.first());
        let oldest_read = oldest_read.copied();
        let found = followed.blame(machine, cycle, oldest_read);
        self.followed = Some(followed);
        found.unwrap_or(MOVES)
    }
}

impl Followed {
    fn new(network: AxiNetwork<'_>, watch: Watch) -> Self {
        let at = |tile: u32| network.coord(TileId(tile));
        let plane = if watch.is_wide {
            Plane::Wide
        } else {
            Plane::Req
        };
        let response = if watch.is_shared {
            Plane::Wide
        } else {
            Plane::Rsp
        };
        let path = |plane, from: Coord, to: Coord| FlitPath::new(network, plane, from, to);
        Self {
            watch,
            slot: None,
            forth: path(plane, at(watch.source), at(watch.target)),
            back: path(response, at(watch.target), at(watch.home)),
            read: None,
            progress: None,
            read_progress: None,
            has_sent: false,
            recent: Recent::default(),
        }
    }

    /// What this cycle is for; `None` if nothing moves and nothing is seen to block it.
    fn blame(
        &mut self,
        machine: &Machine<'_>,
        cycle: u64,
        oldest_read: Option<u32>,
    ) -> Option<Blame> {
        if self.watch.kind == WatchKind::Reads {
            return match oldest_read {
                Some(read) => self.reading(machine, read),
                None => Some(MOVES),
            };
        }
        let slot = self.slot?;
        if cycle >= self.watch.delivered {
            return self.responding(machine, slot, cycle);
        }
        if let Some(blame) = self.leaving(machine, slot, oldest_read) {
            let local = local_input(self.watch.source as usize);
            let in_path = machine.blame(self.forth.plane, local);
            let recent = self.recent.or_now(cycle, self.forth.fifos.len(), in_path);
            return blame.or(recent);
        }
        let is_it = |flit: &Flit| flit.txn == slot && flit.is_last();
        let seen = self.forth.look(machine, is_it);
        let in_path = self
            .forth
            .fifo()
            .and_then(|at| machine.blame(self.forth.plane, at));
        let recent = self.recent.or_now(cycle, self.forth.fifos.len(), in_path);
        match seen {
            FlitStep::Moved if !self.forth.has_waited() => Some(MOVES),
            FlitStep::Moved | FlitStep::Stands => recent,
            FlitStep::Nowhere if self.forth.is_on_link() && self.forth.has_waited() => recent,
            FlitStep::Nowhere => Some(self.out_of_sight(machine, slot, cycle)),
        }
    }

    /// The followed flit is in no FIFO before its delivery: at a merge point, on a link, in a memory.
    fn out_of_sight(&self, machine: &Machine<'_>, slot: u32, cycle: u64) -> Blame {
        let plane = self.forth.plane;
        let mut around = self.forth.routers_around();
        match self.watch.kind {
            WatchKind::Reduction | WatchKind::Barrier if self.forth.is_on_link() => MOVES,
            WatchKind::Reduction => {
                if let Some(blame) = around.find_map(|r| machine.merge_blame(plane, r, slot)) {
                    return blame;
                }
                let unit = self
                    .forth
                    .routers_around()
                    .find(|r| merges(machine, slot, *r));
                let unit = unit.map(|r| Resource::ReductionUnit(TileId(r as u32)));
                unit.map_or(MOVES, |unit| (Cause::Addition, Some(unit)))
            }
            WatchKind::Barrier => around
                .find_map(|r| machine.merge_blame(plane, r, slot))
                .unwrap_or(MOVES),
            WatchKind::Write | WatchKind::Reads => {
                let txn = machine.interfaces.txns.get(slot);
                let target = self.watch.target;
                let own = machine.atomic_cycles(target as usize);
                if txn.kind != TxnKind::Atomic || !self.forth.has_entered() {
                    MOVES
                } else if cycle + own >= self.watch.delivered {
                    MEMORY
                } else {
                    let port = Resource::MemoryPort(TileId(target));
                    (Cause::MemoryPort, Some(port))
                }
            }
        }
    }

    /// The burst, or the request, has not left its tile; `None` if it has.
    fn leaving(
        &mut self,
        machine: &Machine<'_>,
        slot: u32,
        oldest_read: Option<u32>,
    ) -> Option<Option<Blame>> {
        let tile = self.watch.source as usize;
        let ni = &machine.interfaces.nis[tile];
        if !self.watch.is_wide {
            let is_queued = ni.req.iter().any(|flit| flit.txn == slot);
            let blame = || {
                let is_leaving = self.has_begun(machine, slot);
                is_leaving
                    .then_some(PAYLOAD)
                    .or_else(|| machine.queue_blame(Plane::Req, tile))
            };
            return is_queued.then(blame);
        }
        let before = self.progress.replace(progress(machine, tile));
        let is_queued = ni.writes.iter().any(|stream| stream.txn == slot);
        if !is_queued && ni.copied.is_none_or(|flit| flit.txn != slot) {
            return None;
        }
        let owner = machine.interfaces.txns.get(slot).owner;
        let front = ni.writes.front();
        let is_own = front.is_none_or(|s| machine.interfaces.txns.get(s.txn).owner == owner);
        // The first look comes in the cycle of the command: its first beat may leave at once.
        let has_moved = before.map_or(self.has_begun(machine, slot), |b| self.progress != Some(b));
        self.has_sent |= has_moved && is_own;
        Some(match (has_moved, is_own) {
            (true, true) => Some(PAYLOAD),
            (true, false) => {
                let engine = Resource::DmaEngine(TileId(tile as u32));
                Some((Cause::OtherTransfer, Some(engine)))
            }
            (false, _) => self.stream_blame(machine, tile, oldest_read),
        })
    }

    /// Is a beat of the transaction's owner in the Local input? Asked in the cycle of the command, in which a first beat may leave.
    fn has_begun(&self, machine: &Machine<'_>, slot: u32) -> bool {
        let tile = self.watch.source as usize;
        let owner = |txn: u32| machine.interfaces.txns.get(txn).owner;
        let state = &machine.mesh.planes[self.forth.plane.idx()];
        let mut entered = state.fifo(tile, true, LOCAL);
        entered.any(|flit| owner(flit.txn) == owner(slot))
    }

    /// Why no beat of the tile's write queue has left.
    fn stream_blame(
        &mut self,
        machine: &Machine<'_>,
        tile: usize,
        oldest_read: Option<u32>,
    ) -> Option<Blame> {
        let ni = &machine.interfaces.nis[tile];
        let engine = Some(Resource::DmaEngine(TileId(tile as u32)));
        let Some(stream) = ni.writes.front().copied() else {
            return machine.queue_blame(Plane::Wide, tile);
        };
        let txn = machine.interfaces.txns.get(stream.txn);
        let limits = &machine.network.axi().ni;
        let is_new =
            stream.next_beat == 0 && (stream.head_pending || !machine.behaviour.is_wormhole);
        let is_reduction = txn.kind == TxnKind::WideReduction;
        let is_limited = ni.wide_outstanding >= limits.max_wide_outstanding
            || (is_reduction && ni.reductions_outstanding >= limits.max_open_reductions);
        if is_new && is_limited {
            return Some((Cause::OpenTransactions, engine));
        }
        if stream.in_flight >= stream.window {
            return Some(self.window_blame(machine, stream.txn));
        }
        match stream.source {
            Source::Buffer => {
                let (_, bytes) = machine.beat.part(txn.address, txn.bytes, stream.next_beat);
                if bytes > ni.buffer_bytes {
                    return match oldest_read {
                        Some(read) => self.reading(machine, read),
                        None => Some((Cause::DmaSetUp, None)),
                    };
                }
            }
            Source::Switch(_) => return Some((Cause::PreviousTile, None)),
            Source::Pattern(_) | Source::Memory(_) | Source::Operand(_) | Source::Result => {}
        }
        machine.queue_blame(Plane::Wide, tile)
    }

    /// The window to the next merge point is full of beats: what do they wait for there?
    fn window_blame(&self, machine: &Machine<'_>, txn: u32) -> Blame {
        let mut ahead = self.forth.routers_ahead();
        let Some(router) = ahead.find(|r| merges(machine, txn, *r)) else {
            return (Cause::Window, None);
        };
        let point = Resource::MergePoint(TileId(router as u32));
        let blame = machine.merge_blame(Plane::Wide, router, txn);
        blame.unwrap_or((Cause::Window, Some(point)))
    }

    /// The followed flit has been delivered: its memory and its response.
    fn responding(&mut self, machine: &Machine<'_>, slot: u32, cycle: u64) -> Option<Blame> {
        let tile = self.watch.target as usize;
        let ni = &machine.interfaces.nis[tile];
        if self.watch.is_shared {
            let results = |s: &&_| is_result(s, slot);
            if let Some(stream) = ni.writes.iter().find(results) {
                let beat = Some((slot, stream.next_beat));
                let has_moved = std::mem::replace(&mut self.read_progress, beat) != beat;
                return if has_moved {
                    Some(PAYLOAD)
                } else {
                    machine.queue_blame(Plane::Wide, tile)
                };
            }
        } else if ni.rsp.iter().any(|flit| flit.txn == slot) {
            return machine.queue_blame(Plane::Rsp, tile);
        }
        let is_shared = self.watch.is_shared;
        let is_it = |flit: &Flit| {
            let is_kind = if is_shared {
                flit.kind == FlitKind::Result && flit.is_last()
            } else {
                matches!(
                    flit.kind,
                    FlitKind::Response | FlitKind::CollectB | FlitKind::ReduceResponse
                )
            };
            flit.txn == slot && is_kind
        };
        let seen = self.back.look(machine, is_it);
        let in_path = self
            .back
            .fifo()
            .and_then(|at| machine.blame(self.back.plane, at));
        let recent = self.recent.or_now(cycle, self.back.fifos.len(), in_path);
        match seen {
            FlitStep::Moved if !self.back.has_waited() => Some(MOVES),
            FlitStep::Moved | FlitStep::Stands => recent,
            FlitStep::Nowhere if !self.back.has_entered() => Some(MEMORY),
            FlitStep::Nowhere if self.back.is_on_link() && self.back.has_waited() => recent,
            FlitStep::Nowhere if self.back.is_on_link() => Some(MOVES),
            FlitStep::Nowhere => {
                let mut around = self.back.routers_around();
                let merging = around.find_map(|r| machine.merge_blame(Plane::Rsp, r, slot));
                Some(merging.unwrap_or(MOVES))
            }
        }
    }

    /// A read of the tile's engine: its request, the memory, its data.
    fn reading(&mut self, machine: &Machine<'_>, read: u32) -> Option<Blame> {
        let txn = machine.interfaces.txns.get(read);
        let (home, target) = (txn.home, txn.target);
        let has_moved = self.data_moves(machine, home, target);
        // Until something has been sent on, the first beat is on the path, later on the rate.
        let is_first = !self.has_sent && self.watch.kind != WatchKind::Reads;
        if has_moved && !is_first {
            return Some(PAYLOAD);
        }
        let requests = &machine.interfaces.nis[home as usize].req;
        if requests.iter().any(|flit| flit.txn == read) {
            return machine.queue_blame(Plane::Req, home as usize);
        }
        if self.read.as_ref().is_none_or(|known| known.slot != read) {
            self.read = Some(FollowedRead::new(machine.network, read, home, target));
        }
        let followed = self.read.as_mut()?;
        match followed.request(machine) {
            Ok(found) => found,
            Err(()) => followed.data(machine, target, is_first),
        }
    }

    /// Has a beat of read data for the tile left the memory in this cycle, with more behind it?
    fn data_moves(&mut self, machine: &Machine<'_>, home: u32, target: u32) -> bool {
        let data = &machine.interfaces.nis[target as usize].reads;
        let mut of_home = data
            .iter()
            .filter(|s| machine.interfaces.txns.get(s.txn).home == home);
        let next = of_home.next().map(|s| (s.txn, s.next_beat));
        let before = std::mem::replace(&mut self.read_progress, next);
        // A burst that has just come to the head has moved only if a beat of it, or of the burst before it, has left.
        next.is_some_and(|(_, beat)| beat > 0 || before.is_some()) && before != next
    }
}

/// The input of a tile's interface into its router.
pub(super) const fn local_input(router: usize) -> Fifo {
    Fifo {
        router,
        is_input: true,
        port: LOCAL,
    }
}

/// Do contributions to a transaction meet at a router?
fn merges(machine: &Machine<'_>, txn: u32, r: usize) -> bool {
    let tree = machine.interfaces.txns.trees.tree(txn);
    let at = machine.network.coord(TileId(r as u32));
    join_set(at, tree.set, tree.root).count_ones() > 1
}

/// A read of a DMA engine.
#[derive(Debug)]
struct FollowedRead {
    slot: u32,
    forth: FlitPath,
    back: FlitPath,
}

impl FollowedRead {
    fn new(network: AxiNetwork<'_>, slot: u32, home: u32, target: u32) -> Self {
        let (from, to) = (network.coord(TileId(home)), network.coord(TileId(target)));
        Self {
            slot,
            forth: FlitPath::new(network, Plane::Req, from, to),
            back: FlitPath::new(network, Plane::Wide, to, from),
        }
    }

    /// The cycle is one of the request; an error if that has arrived.
    fn request(&mut self, machine: &Machine<'_>) -> Result<Option<Blame>, ()> {
        let slot = self.slot;
        let is_request = |flit: &Flit| flit.txn == slot && flit.kind == FlitKind::ReadRequest;
        match self.forth.look(machine, is_request) {
            FlitStep::Moved => Ok(Some(MOVES)),
            FlitStep::Stands => Ok(self
                .forth
                .fifo()
                .and_then(|at| machine.blame(Plane::Req, at))),
            FlitStep::Nowhere if self.forth.is_on_link() => Ok(Some(MOVES)),
            FlitStep::Nowhere => Err(()),
        }
    }

    /// The cycle is one of the memory or of its data: of the first beat or of the last one.
    fn data(&mut self, machine: &Machine<'_>, target: u32, is_first: bool) -> Option<Blame> {
        let slot = self.slot;
        let is_data = |flit: &Flit| {
            let is_beat = if is_first {
                flit.beat == 0
            } else {
                flit.is_last()
            };
            flit.txn == slot && flit.kind == FlitKind::ReadData && is_beat
        };
        match self.back.look(machine, is_data) {
            FlitStep::Moved => Some(MOVES),
            FlitStep::Stands => self
                .back
                .fifo()
                .and_then(|at| machine.blame(Plane::Wide, at)),
            FlitStep::Nowhere if self.back.is_on_link() => Some(MOVES),
            // The beat is on its path into the engine's buffer.
            FlitStep::Nowhere if self.back.has_entered() => Some((Cause::DmaSetUp, None)),
            FlitStep::Nowhere => {
                let data = &machine.interfaces.nis[target as usize].reads;
                let port = Resource::MemoryPort(TileId(target));
                match data.iter().position(|stream| stream.txn == slot) {
                    Some(0) => machine.queue_blame(Plane::Wide, target as usize),
                    Some(_) => Some((Cause::MemoryPort, Some(port))),
                    None => Some(MEMORY),
                }
            }
        }
    }
}

fn is_result(stream: &crate::ni::axi::state::BurstStream, slot: u32) -> bool {
    stream.txn == slot && stream.source == Source::Result
}

/// Bursts in a tile's write queue that are looked at for progress: of the others none leaves before these.
const LOOKED_AT: usize = 8;

/// Changes whenever a beat of the tile's write queue leaves.
fn progress(machine: &Machine<'_>, tile: usize) -> (usize, u64) {
    let ni = &machine.interfaces.nis[tile];
    let streams = ni.writes.iter().take(LOOKED_AT);
    let beats = streams.map(|s| u64::from(s.next_beat) * 2 + u64::from(!s.head_pending));
    let waits = usize::from(ni.copied.is_some());
    // A burst that leaves shortens the queue: its beats are more than that.
    (ni.writes.iter().count() * 2 + waits, beats.sum())
}

impl Machine<'_> {
    /// Why the head of a tile's queue has not entered the router.
    fn queue_blame(&self, plane: Plane, tile: usize) -> Option<Blame> {
        let state = &self.mesh.planes[plane.idx()];
        let engine = Resource::DmaEngine(TileId(tile as u32));
        if state.can_inject(tile) {
            return Some((Cause::OtherTransfer, Some(engine)));
        }
        self.blame(plane, local_input(tile))
    }
}
