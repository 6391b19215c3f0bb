// SPDX-License-Identifier: Apache-2.0
//! Actions as each core sees them: its instance of every action, in their order, and what each instance waits for.
//!
//! Actions are taken in one after the other: all before the first cycle if they are those of a schedule, and during the run
//! if programs submit them. An instance waits for earlier ones of the same core, and for its release if it is held.

use noccl_net::{Network, TileId};
use noccl_run::{ActionTime, Ended};
use noccl_workload::{Action, ActionId, ActionKind, Instances, Numbered, participants};
use std::collections::BTreeMap;

/// Instances of all cores.
#[derive(Debug)]
pub(super) struct Program {
    pub instances: Instances<()>,
    /// Last message of each pair of tiles, if messages of a pair are received one after the other.
    last_of_pair: Option<BTreeMap<(TileId, TileId), u32>>,
    /// By action: when the first of its instances began, and when the last one that is over ended.
    times: Numbered<(Option<u64>, u64)>,
    /// Instances that have ended, of a run whose program asks for them; `None` in the run of a schedule.
    ended: Option<Vec<Ended>>,
}

impl Program {
    /// No actions yet. Those of a schedule are received in its order by each pair of tiles; what programs submit is received in the
    /// order in which it is released, and forgotten when it is over.
    pub(super) fn new(is_open: bool, num_tiles: usize) -> Self {
        Self {
            instances: Instances::new(num_tiles),
            last_of_pair: (!is_open).then(BTreeMap::new),
            times: Numbered::default(),
            ended: is_open.then(Vec::new),
        }
    }

    /// Takes in the next action; its instances are behind all others.
    pub(super) fn push(
        &mut self,
        network: &Network,
        action: &Action,
        is_held: &dyn Fn(TileId) -> bool,
    ) {
        let tiles = participants(network, &action.kind);
        let number = self.instances.push(&tiles, || ());
        self.times.push((None, 0));
        self.instances.link(number, action, |_| true);
        if let Some((before, waiting)) = self.receive_before(network, number, action) {
            self.instances.wait(before, waiting);
        }
        for id in self.instances.of(number) {
            if is_held(self.instances.all[id].tile) {
                self.instances.hold(id);
            }
        }
    }

    /// The message that the same pair of tiles receives before: a pair of instances.
    fn receive_before(
        &mut self,
        network: &Network,
        number: u32,
        action: &Action,
    ) -> Option<(u32, u32)> {
        let ActionKind::Message(message) = &action.kind else {
            return None;
        };
        let source = network.find(message.source.tile)?;
        let target = network.find(message.destination.tile)?;
        let share = self
            .instances
            .at(number, target)
            .filter(|_| source != target)?;
        let before = self.last_of_pair.as_mut()?.insert((source, target), share);
        before.map(|before| (before, share))
    }

    pub(super) fn begin(&mut self, share: u32, now: u64) {
        let (start, _) = &mut self.times[self.instances.all[share].action];
        start.get_or_insert(now);
    }

    /// An instance is over; `is_next` gets those of the same core that may begin now.
    pub(super) fn end(&mut self, share: u32, now: u64, mut is_next: impl FnMut(u32)) {
        self.begin(share, now);
        let (action, tile) = (
            self.instances.all[share].action,
            self.instances.all[share].tile,
        );
        self.times[action].1 = now;
        self.instances.end(share, |waiting, is_ready| {
            if is_ready {
                is_next(waiting);
            }
        });
        let is_last = self.instances.is_action_over(action);
        self.note(Ended {
            action: ActionId(action),
            tile,
            cycle: now,
            is_over: true,
            is_last,
        });
    }

    /// The first words of a message have come in a cycle; told if its receiver has not asked for it.
    pub(super) fn comes(&mut self, share: u32, now: u64) {
        if !self.instances.is_ready(share) {
            let receiving = &self.instances.all[share];
            let (action, tile) = (receiving.action, receiving.tile);
            self.note(Ended {
                action: ActionId(action),
                tile,
                cycle: now,
                is_over: false,
                is_last: false,
            });
        }
    }

    fn note(&mut self, end: Ended) {
        if let Some(ended) = &mut self.ended {
            ended.push(end);
        }
    }

    /// Of what a program has submitted: forgets the action of an instance that is over, if it was the last one. Returns the
    /// action then.
    pub(super) fn forget(&mut self, share: u32) -> Option<u32> {
        let action = self.instances.all[share].action;
        let is_last = self.ended.is_some() && self.instances.close(share);
        is_last.then(|| {
            self.instances.forget(action);
            self.times.forget(action);
            action
        })
    }

    /// Instances that have ended since the last call, if the program asks for them.
    pub(super) fn take_ended(&mut self, to: &mut Vec<Ended>) {
        if let Some(ended) = &mut self.ended {
            to.append(ended);
        }
    }

    /// Does a program ask for the ends of instances?
    pub(super) const fn is_watched(&self) -> bool {
        self.ended.is_some()
    }

    /// By action that is not forgotten.
    pub(super) fn times(&self) -> Vec<ActionTime> {
        let time = |(_, (start, finish)): (u32, &(Option<u64>, u64))| ActionTime {
            // 0: an action that nobody has begun.
            start_cycle: start.unwrap_or(0),
            finish_cycle: *finish,
        };
        self.times.iter().map(time).collect()
    }
}
