// SPDX-License-Identifier: Apache-2.0
//! For tests: a second statement of what happens before what, by vector clocks.
//!
//! A schedule is run step by step in some legal order. Every activity (a core's share, an engine, a copy at a destination) counts its
//! steps, and each step knows the latest one of every activity that it has heard of. Nothing of [`super::Order`] is used: what
//! a step waits for is written down here from `docs/order.md`, kind by kind.

mod kinds;

use crate::Schedule;
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
                    .for_each(|(own, known)| *own = *known.max(own));
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
