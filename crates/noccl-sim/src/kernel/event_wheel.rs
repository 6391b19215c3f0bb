// SPDX-License-Identifier: Apache-2.0
//! Events in the near and far future, in order of cycle and, within a cycle, of insertion.
//!
//! Almost every event is one to a few cycles away: a ring of buckets serves those without comparing
//! anything; an ordered map holds the rest.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const RING: usize = 64;

/// Time-ordered queue of small events.
#[derive(Serialize, Deserialize)]
pub(crate) struct Wheel<E> {
    ring: Vec<Vec<E>>,
    /// Events beyond the ring, by cycle and number.
    far: BTreeMap<(u64, u64), E>,
    sequence: u64,
    in_ring: usize,
    now: u64,
}

impl<E: Copy> Wheel<E> {
    pub(crate) fn new() -> Self {
        Self {
            ring: (0..RING).map(|_| Vec::new()).collect(),
            far: BTreeMap::new(),
            sequence: 0,
            in_ring: 0,
            now: 0,
        }
    }

    /// Schedules `event` for `cycle`, which is not before the cycle being processed.
    pub(crate) fn push(&mut self, cycle: u64, event: E) {
        let cycle = cycle.max(self.now);
        if cycle < self.now + RING as u64 {
            self.ring[cycle as usize % RING].push(event);
            self.in_ring += 1;
        } else {
            self.far.insert((cycle, self.sequence), event);
            self.sequence += 1;
        }
    }

    /// Events that have not been taken.
    pub(crate) fn len(&self) -> usize {
        self.in_ring + self.far.len()
    }

    /// Moves to `cycle` and hands out its events through `into`, which is cleared first.
    ///
    /// Cycles are visited in ascending order; none with an event is skipped.
    pub(crate) fn take(&mut self, cycle: u64, into: &mut Vec<E>) {
        self.now = cycle;
        into.clear();
        // Far events of this cycle were scheduled earlier than anything in the ring's bucket.
        while let Some(first) = self.far.first_entry().filter(|e| e.key().0 <= cycle) {
            into.push(first.remove());
        }
        if self.in_ring > 0 {
            let bucket = &mut self.ring[cycle as usize % RING];
            self.in_ring -= bucket.len();
            into.append(bucket);
        }
    }

    /// Does it have its ring, and only events that are as they should be?
    pub(crate) fn is_sound(&self, mut is_event: impl FnMut(E) -> bool) -> bool {
        let in_ring: usize = self.ring.iter().map(Vec::len).sum();
        let mut all = self.ring.iter().flatten().chain(self.far.values());
        self.ring.len() == RING && in_ring == self.in_ring && all.all(|event| is_event(*event))
    }

    /// Are there events due at `cycle`, pushed while it is being processed?
    pub(crate) fn has_now(&self) -> bool {
        !self.ring[self.now as usize % RING].is_empty()
    }

    /// Cycle of the next event after the current one.
    pub(crate) fn next_cycle(&self) -> Option<u64> {
        let far = self.far.keys().next().map(|(at, _)| *at);
        let near = (self.in_ring > 0)
            .then(|| {
                (self.now..self.now + RING as u64)
                    .find(|c| !self.ring[*c as usize % RING].is_empty())
            })
            .flatten();
        match (near, far) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }
}
