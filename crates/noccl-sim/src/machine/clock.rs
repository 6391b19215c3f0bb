// SPDX-License-Identifier: Apache-2.0
//! The cycle of a run, what becomes due in later ones, and when anything moved last.

use super::event::Event;
use crate::kernel::event_wheel::Wheel;

/// Time of a run.
pub(crate) struct Clock {
    cycle: u64,
    /// Last cycle in which anything moved or became due.
    last_progress: u64,
    wheel: Wheel<Event>,
    /// Events that are being worked off; empty between two cycles.
    due: Vec<Event>,
}

impl Clock {
    pub(crate) fn new() -> Self {
        Self::saved(0, 0, Wheel::new())
    }

    /// A clock as it was saved, see [`Clock::state`].
    pub(crate) const fn saved(cycle: u64, last_progress: u64, wheel: Wheel<Event>) -> Self {
        Self {
            cycle,
            last_progress,
            wheel,
            due: Vec::new(),
        }
    }

    /// All that it is between two cycles.
    pub(crate) fn state(&self) -> (u64, u64, &Wheel<Event>) {
        debug_assert!(self.due.is_empty());
        (self.cycle, self.last_progress, &self.wheel)
    }

    /// The cycle of the run.
    #[inline]
    pub(crate) const fn now(&self) -> u64 {
        self.cycle
    }

    /// Last cycle in which anything moved or became due.
    #[inline]
    pub(crate) const fn last_progress(&self) -> u64 {
        self.last_progress
    }

    /// The event becomes due in that cycle.
    #[inline]
    pub(crate) fn schedule(&mut self, cycle: u64, event: Event) {
        self.wheel.push(cycle, event);
    }

    /// Events that become due later.
    pub(crate) fn num_events(&self) -> usize {
        self.wheel.len()
    }

    /// Have events been added that are due in this cycle?
    pub(crate) fn has_more_due(&self) -> bool {
        self.wheel.has_now()
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
