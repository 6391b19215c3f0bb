// SPDX-License-Identifier: Apache-2.0
//! What happens when, in an order that depends on nothing but the schedule.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What happens; numbers are those of shares, flows, tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FlowEvent {
    /// A flow has sent its last beat, if its rate has not changed since (number of the change).
    Sent(u32, u32),
    /// A read request is at the tile that it asks.
    Asked(u32),
    /// The last beat of a read is in the engine's buffer.
    Read(u32),
    /// The engine of a tile has a transfer less.
    EngineFree(u32),
    /// A share is over.
    Over(u32),
    /// The compute cores are free again.
    Computed(u32),
    /// The engine has the command of a share.
    Commanded(u32),
    /// The control core has executed the instructions of a share.
    Issued(u32),
    /// An agent looks at its queue.
    Wake(u32),
}

/// Events to come.
#[derive(Debug, Default)]
pub(super) struct FlowEvents {
    heap: BinaryHeap<Reverse<(u64, u64, FlowEvent)>>,
    num: u64,
}

impl FlowEvents {
    /// Something happens at a cycle, behind what has been planned for it before.
    pub(super) fn at(&mut self, cycle: f64, event: FlowEvent) {
        // Bits of numbers that are not negative are in their order.
        let key = cycle.max(0.0).to_bits();
        self.heap.push(Reverse((key, self.num, event)));
        self.num += 1;
    }

    pub(super) fn next(&mut self) -> Option<(f64, FlowEvent)> {
        let Reverse((cycle, _, event)) = self.heap.pop()?;
        Some((f64::from_bits(cycle), event))
    }
}
