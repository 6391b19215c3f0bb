// SPDX-License-Identifier: Apache-2.0
//! Driver that replays a trace: bare AXI transactions with responses of memories, no cores and no DMA engines.
//!
//! Runtime of an entry: from the first cycle in which a participant asserts valid to the handshake of
//! the last response. Long writes, reads and reductions are cut into bursts by the NI's burst rules and
//! issued back to back.

use crate::driver::trace::faults::TraceFaults;
use crate::driver::trace::form::{
    burst_beats, check_beats, check_starts, contribution_seed, first_burst, open_responses,
    part_offset, participants, refused,
};
use crate::machine::Machine;
use crate::machine::event::{Done, DriverEvent};
use crate::ni::axi::issue::{Arithmetic, Target};
use crate::ni::axi::state::Source;
use crate::tile_index::tile_index;
use crate::transport::axi_response::{DECERR, SLVERR};
use crate::transport::burst::Bursts;
use crate::transport::transaction::Owner;
use noccl_net::TileRef;
use noccl_net::pairs::FoldOrder;
use noccl_net::tree::Cube;
use noccl_run::{ActionTime, RunError};
use noccl_workload::{ElementType, Operator, PortKind, Trace};

const fn integer_sum(fold_order: FoldOrder) -> Arithmetic {
    Arithmetic {
        operator: Operator::Sum,
        element: ElementType::Int64,
        is_shared: false,
        fold_order,
    }
}

/// One entry while it runs.
#[derive(Debug, Clone, Default)]
struct Entry {
    time: ActionTime,
    has_started: bool,
    /// Participants that have asserted valid, by tile; kept for diagnosis.
    contributed: Vec<u32>,
    /// Responses still to come, all participants and bursts.
    open: u32,
    /// Reduction bursts or the barrier, opened by the first participant.
    txns: Vec<u32>,
    is_done: bool,
    is_wrong: bool,
    /// Worst response so far.
    resp: u8,
}

pub(crate) struct TraceDriver<'t> {
    trace: &'t Trace,
    entries: Vec<Entry>,
    faults: TraceFaults,
    pub num_done: usize,
}

impl<'t> TraceDriver<'t> {
    /// Checks the trace against the network and schedules every start.
    pub(crate) fn new(trace: &'t Trace, machine: &mut Machine<'_>) -> Result<Self, RunError> {
        let faults = TraceFaults::new(trace, machine)?;
        let mut entries = vec![Entry::default(); trace.transactions.len()];
        for (i, t) in trace.transactions.iter().enumerate() {
            check_beats(&t.kind, i)?;
            entries[i].open = open_responses(&t.kind, machine);
            let members = participants(&t.kind, machine, i)?;
            if members.len() != t.start_cycles.len() {
                return Err(refused(
                    i,
                    format!(
                        "{} start cycles for {} participants",
                        t.start_cycles.len(),
                        members.len()
                    ),
                ));
            }
            check_starts(&t.start_cycles, i)?;
            let mut absent = members.iter().zip(&t.start_cycles);
            if absent.any(|(tile, start)| tile.is_none() && start.is_some()) {
                let reason = "a member that does not exist has a start cycle".to_owned();
                return Err(refused(i, reason));
            }
            if faults.is_refused(i as u32) {
                // Everybody who asks gets a response of its own, and nobody waits for the others.
                let asking = t.start_cycles.iter().flatten().count() as u32;
                entries[i].open = entries[i].open / members.len() as u32 * asking;
            }
            for (m, start) in t.start_cycles.iter().enumerate() {
                if let Some(cycle) = start {
                    let (entry, member) = (i as u32, m as u32);
                    machine.call_driver(*cycle, DriverEvent::Start { entry, member });
                }
            }
        }
        crate::driver::trace::form::check_written(trace, machine)?;
        Ok(Self {
            trace,
            entries,
            faults,
            num_done: 0,
        })
    }

    /// An event of this driver is due.
    pub(crate) fn on_event(&mut self, event: DriverEvent, machine: &mut Machine<'_>) {
        match event {
            DriverEvent::Start { entry, member } => self.start(entry, member, machine),
            DriverEvent::Core(_) | DriverEvent::Create { .. } => {}
        }
    }

    /// Participant `member` of entry `index` asserts valid now.
    fn start(&mut self, index: u32, member: u32, machine: &mut Machine<'_>) {
        let entry = &mut self.entries[index as usize];
        if !entry.has_started {
            entry.has_started = true;
            entry.time.start_cycle = machine.clock.now();
        }
        if self.faults.is_refused(index) {
            self.refuse(index, member, machine);
            return;
        }
        let base = part_offset(index, machine);
        let owner = first_burst(index);
        let find = |r: TileRef| tile_index(&machine.network, r);
        match &self.trace.transactions[index as usize].kind {
            PortKind::WideWrite { from, to, beats } => {
                let target = Target::Tile(find(*to));
                write(machine, find(*from), target, *beats, index, base);
            }
            PortKind::WideMulticast { from, to, beats } => {
                let target = Target::Set(machine.network.cube(*to));
                write(machine, find(*from), target, *beats, index, base);
            }
            PortKind::WideRead {
                from,
                source,
                beats,
            } => {
                let (tile, source) = (find(*from), find(*source));
                for (b, burst) in Bursts::of_beats(*beats, machine.network.axi()).enumerate() {
                    let owner = Owner::Trace {
                        entry: index,
                        burst: b as u32,
                    };
                    machine.issue_read(tile, source, burst.offset, burst.bytes, owner);
                }
            }
            PortKind::WideReduction { group, root, beats } => {
                let (cube, root) = (machine.network.cube(*group), find(*root));
                let tile = member_tile(machine, cube, member);
                self.entries[index as usize].contributed.push(tile);
                self.contribute(machine, index, cube, root, *beats, tile);
            }
            PortKind::NarrowWrite { from, to } => {
                let (tile, to) = (find(*from), Target::Tile(find(*to)));
                machine.issue_narrow_write(tile, to, owner);
            }
            PortKind::NarrowMulticast { from, to } => {
                let (tile, to) = (find(*from), Target::Set(machine.network.cube(*to)));
                machine.issue_narrow_write(tile, to, owner);
            }
            PortKind::NarrowRead { from, source } => {
                let (tile, source) = (find(*from), find(*source));
                machine.issue_narrow_read(tile, source, owner);
            }
            PortKind::Atomic { from, to } => {
                let (tile, to) = (find(*from), find(*to));
                machine.issue_atomic(tile, to, 0, owner);
            }
            PortKind::Barrier { group, root } => {
                let (cube, root) = (machine.network.cube(*group), find(*root));
                let tile = member_tile(machine, cube, member);
                let entry = &mut self.entries[index as usize];
                entry.contributed.push(tile);
                if entry.txns.is_empty() {
                    let txn = machine.open_barrier(cube, root, owner);
                    self.faults.name(index, txn, machine);
                    entry.txns.push(txn);
                }
                machine.arrive_at_barrier(tile, entry.txns[0]);
            }
        }
    }

    /// The participant's NI responds: nothing of the entry enters the network.
    fn refuse(&self, index: u32, member: u32, machine: &mut Machine<'_>) {
        let kind = &self.trace.transactions[index as usize].kind;
        let tile = initiator(kind, member, machine);
        let owner = first_burst(index);
        let resp = DECERR;
        let done = match kind {
            PortKind::WideReduction { .. } | PortKind::Barrier { .. } => {
                Done::Member { owner, tile, resp }
            }
            PortKind::WideWrite { .. }
            | PortKind::WideMulticast { .. }
            | PortKind::WideRead { .. }
            | PortKind::NarrowWrite { .. }
            | PortKind::NarrowMulticast { .. }
            | PortKind::NarrowRead { .. }
            | PortKind::Atomic { .. } => Done::Transaction {
                owner,
                tile,
                value: 0,
                resp,
            },
        };
        for beats in burst_beats(kind, machine) {
            machine.refuse(tile, beats, done);
        }
    }

    fn contribute(
        &mut self,
        machine: &mut Machine<'_>,
        index: u32,
        group: Cube,
        root: u32,
        beats: u32,
        tile: u32,
    ) {
        let entry = &mut self.entries[index as usize];
        let base = part_offset(index, machine);
        let at = machine.coord(root);
        let fold_order = machine.network.fold_order(group.set, at, u64::from(beats));
        for (b, burst) in Bursts::of_beats(beats, machine.network.axi()).enumerate() {
            if entry.txns.len() <= b {
                let owner = Owner::Trace {
                    entry: index,
                    burst: b as u32,
                };
                entry.txns.push(machine.open_reduction(
                    group,
                    root,
                    base + burst.offset,
                    burst.bytes,
                    integer_sum(fold_order),
                    owner,
                ));
            }
            let (txn, first) = (entry.txns[b], machine.beat.line(burst.offset) as u32);
            if self.faults.differ(index, tile, txn, first, machine) {
                let seed = contribution_seed(index, tile) ^ burst.offset.wrapping_mul(0x9e37);
                machine.contribute(tile, txn, Source::Pattern(seed));
            }
        }
    }

    /// Takes note of a completion.
    pub(crate) fn on_done(&mut self, done: Done, machine: &mut Machine<'_>) {
        let (owner, resp) = match done {
            Done::Transaction { owner, resp, .. } | Done::Member { owner, resp, .. } => {
                (owner, resp)
            }
            Done::ReadBeat { .. }
            | Done::Drained { .. }
            | Done::Chain { .. }
            | Done::Delivered { .. } => return,
        };
        let Owner::Trace { entry, .. } = owner else {
            return;
        };
        let state = &mut self.entries[entry as usize];
        state.time.finish_cycle = machine.clock.now();
        state.resp = state.resp.max(resp);
        state.open -= 1;
        if state.open == 0 {
            state.is_done = true;
            self.num_done += 1;
            let kind = &self.trace.transactions[entry as usize].kind;
            let verify = crate::driver::trace::verify::Verify {
                machine,
                faults: &self.faults,
                index: entry,
            };
            let is_in_use = self.faults.may_be_in_use(entry) && state.resp == SLVERR;
            state.is_wrong = (state.resp != verify.expected_response(kind) && !is_in_use)
                || (machine.is_value() && !verify.is_right(kind));
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.num_done == self.entries.len()
    }

    pub(crate) fn times(&self) -> Vec<ActionTime> {
        self.entries.iter().map(|e| e.time).collect()
    }

    pub(crate) fn responses(&self) -> Vec<u8> {
        self.entries.iter().map(|e| e.resp).collect()
    }

    pub(crate) fn num_wrong(&self) -> u64 {
        self.entries.iter().filter(|e| e.is_wrong).count() as u64
    }

    pub(crate) fn has_started(&self, entry: usize) -> bool {
        self.entries[entry].has_started
    }

    pub(crate) fn has_contributed(&self, entry: usize, tile: u32) -> bool {
        self.entries[entry].contributed.contains(&tile)
    }

    pub(crate) fn start_of(&self, entry: usize) -> u64 {
        self.entries[entry].time.start_cycle
    }

    pub(crate) fn kind(&self, entry: usize) -> &'t PortKind {
        &self.trace.transactions[entry].kind
    }

    /// Entries that are not over.
    pub(crate) fn open_entries(&self) -> impl Iterator<Item = usize> + '_ {
        self.entries
            .iter()
            .enumerate()
            .filter(|(_, e)| !e.is_done)
            .map(|(i, _)| i)
    }
}

fn write(machine: &mut Machine<'_>, tile: u32, target: Target, beats: u32, index: u32, base: u64) {
    for (b, burst) in Bursts::of_beats(beats, machine.network.axi()).enumerate() {
        let owner = Owner::Trace {
            entry: index,
            burst: b as u32,
        };
        let seed = contribution_seed(index, tile) ^ burst.offset.wrapping_mul(0x9e37);
        machine.issue_write(
            tile,
            target,
            base + burst.offset,
            burst.bytes,
            owner,
            Source::Pattern(seed),
        );
    }
}

fn member_tile(machine: &Machine<'_>, group: Cube, member: u32) -> u32 {
    let at = group
        .members()
        .nth(member as usize)
        .expect("start cycles were counted against members");
    machine.network.tile_at(at).0
}

/// The tile of a participant.
fn initiator(kind: &PortKind, member: u32, machine: &Machine<'_>) -> u32 {
    match (kind.initiator(), kind.group()) {
        (Some(from), _) => tile_index(&machine.network, from),
        // 0: kinds without an initiator have a group.
        (None, group) => group.map_or(0, |(_, set)| {
            member_tile(machine, machine.network.cube(set), member)
        }),
    }
}
