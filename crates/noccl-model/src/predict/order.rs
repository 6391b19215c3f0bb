// SPDX-License-Identifier: Apache-2.0
//! In which order the model looks at actions: by the time at which they can begin, so that links go to whoever
//! comes first and not to whoever stands first in the file.

use noccl_net::{Network, TileId};
use noccl_workload::{Agent, Schedule, participants};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Actions that wait for others, and those that can begin.
pub(super) struct Order {
    /// Participants of every action, ascending by tile.
    pub(super) tiles: Vec<Vec<TileId>>,
    /// Actions that an action holds back: its dependents, and the next one of each agent that runs it.
    next: Vec<Vec<u32>>,
    open: Vec<u32>,
    ready: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Order {
    pub(super) fn new(network: &Network, schedule: &Schedule) -> Self {
        let len = schedule.actions.len();
        let mut order = Self {
            tiles: Vec::with_capacity(len),
            next: vec![Vec::new(); len],
            open: vec![0; len],
            ready: BinaryHeap::new(),
        };
        let mut last: HashMap<(TileId, Agent), u32> = HashMap::new();
        for (index, action) in schedule.actions.iter().enumerate() {
            let tiles = participants(network, &action.kind);
            for tile in &tiles {
                let Some(agent) = action.kind.agent_at(network, *tile) else {
                    continue;
                };
                if let Some(before) = last.insert((*tile, agent), index as u32) {
                    order.hold(before as usize, index);
                }
            }
            for before in &action.after {
                // The checker refuses an action that waits for a later one.
                if (before.0 as usize) < index {
                    order.hold(before.0 as usize, index);
                }
            }
            order.tiles.push(tiles);
        }
        order
    }

    fn hold(&mut self, before: usize, index: usize) {
        self.next[before].push(index as u32);
        self.open[index] += 1;
    }

    /// Actions that wait for nothing.
    pub(super) fn first(&self) -> Vec<u32> {
        (0..self.open.len() as u32)
            .filter(|index| self.open[*index as usize] == 0)
            .collect()
    }

    /// An action is over: those that wait for nothing else now.
    pub(super) fn release(&mut self, index: u32) -> Vec<u32> {
        let mut free = Vec::new();
        for next in std::mem::take(&mut self.next[index as usize]) {
            self.open[next as usize] -= 1;
            if self.open[next as usize] == 0 {
                free.push(next);
            }
        }
        free
    }

    /// An action can begin at that cycle.
    pub(super) fn push(&mut self, cycle: f64, index: u32) {
        // Bits of numbers that are not negative are in their order.
        self.ready.push(Reverse((cycle.max(0.0).to_bits(), index)));
    }

    /// The action that can begin first, and when; of several the first of the schedule.
    pub(super) fn pop(&mut self) -> Option<(f64, u32)> {
        let next = self.ready.pop();
        next.map(|Reverse((cycle, index))| (f64::from_bits(cycle), index))
    }
}
