// SPDX-License-Identifier: Apache-2.0
//! For tests: a second statement of what happens before what, by vector clocks.
//!
//! A schedule is run step by step in some legal order. Every activity (a core's share, an engine, a copy at a destination) counts its
//! steps, and each step knows the latest one of every activity that it has heard of. Nothing of [`super::Order`] is used: what
//! a step waits for is written down here from `docs/order.md`, kind by kind.

use crate::{ActionKind, Destination, Schedule, Transfer};
use noccl_net::{Network, TileId, TileRef, TileSet};
use std::collections::HashMap;

type StepId = usize;

/// Something that is done at once, when the steps before it are done.
struct Step {
    activity: usize,
    after: Vec<StepId>,
}

/// Bytes that are read or written between two steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Touch {
    pub(super) action: usize,
    pub(super) tile: TileId,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) writes: bool,
    from: StepId,
    to: StepId,
}

/// When the bytes that a delivery reads count as read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadOfDelivery {
    /// Before the first flag.
    Flag,
    /// When the initiator has finished: what the checker demanded once.
    Initiator,
}

/// A schedule as steps.
pub(super) struct Program<'a> {
    network: &'a Network,
    are_in_lists: bool,
    read_of_delivery: ReadOfDelivery,
    steps: Vec<Step>,
    num_activities: usize,
    touches: Vec<Touch>,
    /// Last step of a tile's share of an action.
    ended: HashMap<(usize, TileId), StepId>,
    /// Last share of a core's main list, and last receive by source.
    main: HashMap<TileId, StepId>,
    receives: HashMap<(TileId, TileId), StepId>,
}

impl<'a> Program<'a> {
    pub(super) fn new(
        network: &'a Network,
        schedule: &Schedule,
        are_in_lists: bool,
        read_of_delivery: ReadOfDelivery,
    ) -> Self {
        let mut program = Self {
            network,
            are_in_lists,
            read_of_delivery,
            steps: Vec::new(),
            num_activities: 0,
            touches: Vec::new(),
            ended: HashMap::new(),
            main: HashMap::new(),
            receives: HashMap::new(),
        };
        for (index, action) in schedule.actions.iter().enumerate() {
            let after: Vec<usize> = action.after.iter().map(|a| a.0 as usize).collect();
            program.act(index, &action.kind, &after);
        }
        program
    }

    /// A step of an activity of its own.
    fn step(&mut self, after: Vec<StepId>) -> StepId {
        let activity = self.num_activities;
        self.num_activities += 1;
        self.steps.push(Step { activity, after });
        self.steps.len() - 1
    }

    /// The next step of the activity of another one, which it follows.
    fn next(&mut self, of: StepId, mut after: Vec<StepId>) -> StepId {
        after.push(of);
        let activity = self.steps[of].activity;
        self.steps.push(Step { activity, after });
        self.steps.len() - 1
    }

    fn tile(&self, tile: TileRef) -> TileId {
        self.network.find(tile).unwrap()
    }

    fn tiles(&self, set: &TileSet) -> Vec<TileId> {
        let members = self.network.members(set).unwrap();
        let tiles = members.into_iter().map(TileRef::Cluster);
        tiles.map(|tile| self.tile(tile)).collect()
    }

    /// A tile begins its share: it has finished its shares of all earlier actions that are named.
    fn begin(&mut self, tile: TileId, after: &[usize]) -> StepId {
        let mut after: Vec<_> = after
            .iter()
            .filter_map(|earlier| self.ended.get(&(*earlier, tile)).copied())
            .collect();
        after.extend(self.main.get(&tile).filter(|_| self.are_in_lists));
        self.step(after)
    }

    fn end(&mut self, action: usize, tile: TileId, step: StepId) {
        self.ended.insert((action, tile), step);
        self.main.insert(tile, step);
    }

    fn touch(
        &mut self,
        (action, writes): (usize, bool),
        tile: TileId,
        (start, bytes): (u64, u64),
        (from, to): (StepId, StepId),
    ) {
        if bytes > 0 {
            self.touches.push(Touch {
                action,
                tile,
                start,
                end: start + bytes,
                writes,
                from,
                to,
            });
        }
    }

    fn act(&mut self, action: usize, kind: &ActionKind, after: &[usize]) {
        match kind {
            ActionKind::Transfer(t) => self.movement(action, t, after, false),
            ActionKind::Delivery(t) => self.movement(action, t, after, true),
            ActionKind::Compute(c) => self.alone(action, self.tile(c.tile), after, &[], None),
            ActionKind::LocalReduce(r) => {
                let reads: Vec<_> = r.inputs.iter().map(|input| (*input, r.bytes)).collect();
                let write = Some((r.output, r.bytes));
                self.alone(action, self.tile(r.tile), after, &reads, write);
            }
            ActionKind::Kernel(k) => {
                let reads = k.operation.reads();
                let reads: Vec<_> = reads.iter().map(|r| (r.offset, r.bytes)).collect();
                let write = k.operation.write();
                for tile in self.tiles(&k.group) {
                    let write = Some((write.offset, write.bytes));
                    self.alone(action, tile, after, &reads, write);
                }
            }
            ActionKind::Barrier(b) => {
                let (tiles, begun) = self.all_begin(&b.group, after);
                for (tile, own) in tiles.into_iter().zip(&begun) {
                    let released = self.next(*own, begun.clone());
                    self.end(action, tile, released);
                }
            }
            ActionKind::Arrival(a) => {
                let (tiles, begun) = self.all_begin(&TileSet::Cube(a.group), after);
                for (tile, own) in tiles.into_iter().zip(&begun) {
                    let is_root = tile == self.tile(a.root);
                    let waits = if is_root { begun.clone() } else { Vec::new() };
                    let released = self.next(*own, waits);
                    self.end(action, tile, released);
                }
            }
            ActionKind::InNetworkReduction(_)
            | ActionKind::InNetworkAllReduce(_)
            | ActionKind::ListMulticast(_)
            | ActionKind::Message(_)
            | ActionKind::StaticMulticast(_) => self.together(action, kind, after),
            ActionKind::Chain(c) => {
                let tile = self.tile(c.initiator);
                let begun = self.begin(tile, after);
                let ended = self.next(begun, Vec::new());
                for extent in c.source.extents() {
                    self.touch((action, false), tile, extent, (begun, ended));
                }
                for destination in &c.destinations {
                    let tile = self.tile(destination.tile);
                    for extent in destination.pattern.extents() {
                        self.touch((action, true), tile, extent, (begun, ended));
                    }
                }
                self.end(action, tile, ended);
            }
        }
    }

    fn all_begin(&mut self, group: &TileSet, after: &[usize]) -> (Vec<TileId>, Vec<StepId>) {
        let tiles = self.tiles(group);
        let begun = tiles.iter().map(|tile| self.begin(*tile, after)).collect();
        (tiles, begun)
    }

    /// A core and its own memory.
    fn alone(
        &mut self,
        action: usize,
        tile: TileId,
        after: &[usize],
        reads: &[(u64, u64)],
        write: Option<(u64, u64)>,
    ) {
        let begun = self.begin(tile, after);
        let ended = self.next(begun, Vec::new());
        for read in reads {
            self.touch((action, false), tile, *read, (begun, ended));
        }
        if let Some(write) = write {
            self.touch((action, true), tile, write, (begun, ended));
        }
        self.end(action, tile, ended);
    }

    /// An engine reads, writes at every target, and has responses; a delivery raises a flag behind each copy.
    fn movement(&mut self, action: usize, t: &Transfer, after: &[usize], has_flags: bool) {
        let initiator = self.tile(t.initiator);
        let begun = self.begin(initiator, after);
        let read = self.step(vec![begun]);
        let (targets, offset) = match t.destination {
            Destination::One(place) => (vec![self.tile(place.tile)], place.offset),
            Destination::Multicast { set, offset } => (self.tiles(&TileSet::Cube(set)), offset),
        };
        let written: Vec<StepId> = targets.iter().map(|_| self.step(vec![read])).collect();
        let ended = self.next(begun, written.clone());
        self.end(action, initiator, ended);
        if has_flags {
            for (tile, written) in targets.iter().zip(&written) {
                let flag = self.next(*written, Vec::new());
                self.end(action, *tile, flag);
            }
        }
        let is_old_rule = has_flags && self.read_of_delivery == ReadOfDelivery::Initiator;
        let read = match self.ended.get(&(action, initiator)) {
            Some(ended) if is_old_rule => *ended,
            _ => read,
        };
        let source = self.tile(t.source.tile);
        for row in 0..u64::from(t.rows) {
            let from = (t.source.offset + row * t.source_stride, t.bytes);
            self.touch((action, false), source, from, (begun, read));
            let to = (offset + row * t.destination_stride, t.bytes);
            for (tile, written) in targets.iter().zip(&written) {
                self.touch((action, true), *tile, to, (begun, *written));
            }
        }
    }

    /// Kinds in which several tiles take part and bytes pass between them.
    fn together(&mut self, action: usize, kind: &ActionKind, after: &[usize]) {
        match kind {
            ActionKind::InNetworkReduction(r) => {
                let root = self.tile(r.root.tile);
                let (tiles, begun) = self.all_begin(&TileSet::Cube(r.group), after);
                let all = self.step(begun.clone());
                let read = self.next(all, Vec::new());
                let written = self.step(vec![read]);
                for (tile, own) in tiles.iter().zip(&begun) {
                    self.touch(
                        (action, false),
                        *tile,
                        (r.source_offset, r.bytes),
                        (*own, read),
                    );
                    let waits = if r.bytes > 0 { vec![written] } else { vec![] };
                    let ended = self.next(*own, waits);
                    self.end(action, *tile, ended);
                }
                self.touch(
                    (action, true),
                    root,
                    (r.root.offset, r.bytes),
                    (all, written),
                );
            }
            ActionKind::InNetworkAllReduce(r) => {
                let (tiles, begun) = self.all_begin(&TileSet::Cube(r.group), after);
                let all = self.step(begun.clone());
                let read = self.next(all, Vec::new());
                for (tile, own) in tiles.iter().zip(&begun) {
                    let written = self.step(vec![read]);
                    self.touch(
                        (action, false),
                        *tile,
                        (r.source_offset, r.bytes),
                        (*own, read),
                    );
                    self.touch(
                        (action, true),
                        *tile,
                        (r.root.offset, r.bytes),
                        (all, written),
                    );
                    let waits = if r.bytes > 0 { vec![written] } else { vec![] };
                    let ended = self.next(*own, waits);
                    self.end(action, *tile, ended);
                }
            }
            ActionKind::ListMulticast(m) => {
                let source = self.tile(m.source);
                let targets: Vec<_> = m.destinations.iter().map(|t| self.tile(*t)).collect();
                let own = self.begin(source, after);
                let begun: Vec<_> = targets.iter().map(|t| self.begin(*t, after)).collect();
                let all = self.step([&begun[..], &[own]].concat());
                let read = self.next(own, vec![all]);
                self.touch(
                    (action, false),
                    source,
                    (m.source_offset, m.bytes),
                    (own, read),
                );
                self.end(action, source, read);
                for (tile, asked) in targets.into_iter().zip(begun) {
                    let written = self.next(asked, vec![read]);
                    self.touch((action, true), tile, (m.offset, m.bytes), (all, written));
                    self.end(action, tile, written);
                }
            }
            ActionKind::Message(m) => {
                let (source, target) = (self.tile(m.source.tile), self.tile(m.destination.tile));
                let own = self.begin(source, after);
                let from = (m.source.offset, m.bytes);
                let to = (m.destination.offset, m.bytes);
                let read = self.next(own, Vec::new());
                self.touch((action, false), source, from, (own, read));
                if source == target {
                    self.touch((action, true), source, to, (own, read));
                    self.end(action, source, read);
                    return;
                }
                let asked = self.begin_receive(source, target, after);
                let met = self.next(asked, vec![own]);
                let written = self.next(met, vec![read]);
                self.touch((action, true), target, to, (met, written));
                self.end(action, source, read);
                self.ended.insert((action, target), written);
                self.receives.insert((source, target), written);
            }
            ActionKind::StaticMulticast(m) => {
                let root = self.tile(m.source.tile);
                let tiles = self.tiles(&m.set.tile_set());
                let own = self.begin(root, after);
                let read = self.next(own, Vec::new());
                self.touch(
                    (action, false),
                    root,
                    (m.source.offset, m.bytes),
                    (own, read),
                );
                for tile in tiles.into_iter().filter(|tile| *tile != root) {
                    let begun = self.begin(tile, after);
                    let met = self.next(begun, vec![own]);
                    let written = self.next(met, vec![read]);
                    self.touch((action, true), tile, (m.offset, m.bytes), (met, written));
                    self.end(action, tile, written);
                }
                self.end(action, root, read);
            }
            ActionKind::Transfer(_)
            | ActionKind::Delivery(_)
            | ActionKind::LocalReduce(_)
            | ActionKind::Compute(_)
            | ActionKind::Kernel(_)
            | ActionKind::Barrier(_)
            | ActionKind::Arrival(_)
            | ActionKind::Chain(_) => unreachable!("`act` has these"),
        }
    }

    /// A receive is in no list but that of its pair of tiles.
    fn begin_receive(&mut self, source: TileId, target: TileId, after: &[usize]) -> StepId {
        let mut before: Vec<_> = after
            .iter()
            .filter_map(|earlier| self.ended.get(&(*earlier, target)).copied())
            .collect();
        let last = self.receives.get(&(source, target));
        before.extend(last.filter(|_| self.are_in_lists));
        self.step(before)
    }

    /// Runs all steps in a random legal order; per step what it knows of every activity's count.
    fn run(&self, mut seed: u64) -> Vec<Vec<u32>> {
        let mut clocks: Vec<Vec<u32>> = vec![Vec::new(); self.steps.len()];
        let mut counts = vec![0; self.num_activities];
        let mut open: Vec<StepId> = (0..self.steps.len()).collect();
        while !open.is_empty() {
            let is_ready = |at: &usize| {
                let mut after = self.steps[open[*at]].after.iter();
                after.all(|step| !clocks[*step].is_empty())
            };
            let ready: Vec<usize> = (0..open.len()).filter(is_ready).collect();
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let step = open.swap_remove(ready[(seed >> 33) as usize % ready.len()]);
            let mut clock = vec![0; self.num_activities];
            for before in &self.steps[step].after {
                let known = clocks[*before].iter();
                clock
                    .iter_mut()
                    .zip(known)
                    .for_each(|(c, k)| *c = *k.max(c));
            }
            let activity = self.steps[step].activity;
            counts[activity] += 1;
            clock[activity] = counts[activity];
            clocks[step] = clock;
        }
        clocks
    }

    /// All pairs of accesses to one byte, one of them a write, of which neither is over before the other begins.
    pub(super) fn races(&self, seed: u64) -> Vec<(Touch, Touch)> {
        let clocks = self.run(seed);
        let knows = |step: StepId, of: StepId| {
            let activity = self.steps[of].activity;
            clocks[step][activity] >= clocks[of][activity]
        };
        let mut races = Vec::new();
        for (at, one) in self.touches.iter().enumerate() {
            for other in &self.touches[..at] {
                let is_conflict = one.tile == other.tile
                    && (one.writes || other.writes)
                    && one.action != other.action
                    && one.start < other.end
                    && other.start < one.end;
                if is_conflict && !knows(one.from, other.to) && !knows(other.from, one.to) {
                    races.push((*other, *one));
                }
            }
        }
        races
    }
}
