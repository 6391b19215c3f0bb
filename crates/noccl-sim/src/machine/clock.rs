// SPDX-License-Identifier: Apache-2.0
//! The cycle of a run, what becomes due in later ones, and when anything moved last.

use super::event::Event;
use crate::kernel::event_wheel::Wheel;

/// Time of a run.
pub(crate) struct Clock {
    pub cycle: u64,
    /// Last cycle in which anything moved or became due.
    pub last_progress: u64,
    pub wheel: Wheel<Event>,
    /// Events that are being worked off; empty between two cycles.
    pub due: Vec<Event>,
}

impl Clock {
    pub(crate) fn new() -> Self {
        Self {
            cycle: 0,
            last_progress: 0,
            wheel: Wheel::new(),
            due: Vec::new(),
        }
    }

    /// Something moves in this cycle.
    #[inline]
    pub(crate) const fn note_progress(&mut self) {
        self.last_progress = self.cycle;
    }

    /// Takes the events that are due in this cycle; whoever takes them gives the list back ([`Clock::give_back`]).
    pub(crate) fn take_due(&mut self) -> Vec<Event> {
        let mut due = std::mem::take(&mut self.due);
        self.wheel.take(self.cycle, &mut due);
        if !due.is_empty() {
            // What it sets in motion may be held up in this cycle: waiting for a late event is no stall.
            self.note_progress();
        }
        due
    }

    pub(crate) fn give_back(&mut self, due: Vec<Event>) {
        self.due = due;
    }

    /// The next cycle; cycles in which nothing happens are skipped if nothing can move, but not the end of the run.
    pub(crate) fn advance(&mut self, is_idle: bool, max_cycles: u64) {
        self.cycle += 1;
        if is_idle && let Some(next) = self.wheel.next_cycle() {
            self.cycle = self.cycle.max(next.min(max_cycles));
        }
    }
}
