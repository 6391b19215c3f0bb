// SPDX-License-Identifier: Apache-2.0
//! What all hardware in lock-step does, wherever it is driven.

use super::LockstepError;
use noccl_run::{CycleRecord, MemoryImage};

/// Cycles after the last event in which hardware must stay still: more than any timer of it.
const DRAIN_CYCLES: u64 = 300;

/// Hardware that takes the course of a recorded run, cycle by cycle.
pub trait Follow {
    /// Cycles up to and including a recorded one.
    ///
    /// # Errors
    /// The first difference or broken assertion; the hardware is of no use afterwards.
    fn follow(&mut self, record: &CycleRecord) -> Result<(), LockstepError>;

    /// As [`Self::follow`] with only as much compared as drives the hardware: what it costs alone.
    ///
    /// # Errors
    /// As [`Self::follow`].
    fn replay(&mut self, record: &CycleRecord) -> Result<(), LockstepError>;

    /// Cycles before `cycle` in which nothing may happen.
    ///
    /// # Errors
    /// As [`Self::follow`].
    fn idle_until(&mut self, cycle: u64) -> Result<(), LockstepError>;

    /// Cycles after the last event, in which nothing may happen.
    ///
    /// # Errors
    /// As [`Self::follow`].
    fn drain(&mut self) -> Result<(), LockstepError> {
        self.idle_until(self.cycle() + DRAIN_CYCLES)
    }

    /// Memories hold these bytes, if the hardware has memories.
    ///
    /// # Errors
    /// The first line that differs.
    fn check(&self, images: &[MemoryImage]) -> Result<(), LockstepError>;

    /// The next cycle of the hardware.
    fn cycle(&self) -> u64;

    /// Handshakes that hardware and record had in common so far.
    fn num_compared(&self) -> u64;
}
