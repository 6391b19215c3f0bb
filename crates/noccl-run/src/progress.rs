// SPDX-License-Identifier: Apache-2.0
//! How a caller follows long work and interrupts it.

use crate::{Progress, RunError};
use std::sync::atomic::{AtomicU64, Ordering};

/// How far the work has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Units (actions, rows, seeds, points) finished.
    pub done: u64,
    /// Units in all.
    pub total: u64,
    /// Cycles simulated so far, over all runs.
    pub simulated_cycles: u64,
    /// What is being done.
    pub activity: WorkStage,
}

/// What long work is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkStage {
    /// Runs are simulated.
    Simulating,
    /// Verilator makes C++ of the hardware, for the first run with it.
    Translating,
    /// The Verilated hardware is compiled.
    Compiling {
        /// Files compiled so far.
        files: u64,
    },
}

/// A callback that sees every [`Step`] and returns false to interrupt the work.
#[derive(Clone, Copy)]
pub struct Watch<'a>(&'a (dyn Fn(Step) -> bool + Sync));

impl<'a> Watch<'a> {
    /// Watches through a callback, which may be called from several threads.
    #[must_use]
    pub const fn new(on_step: &'a (dyn Fn(Step) -> bool + Sync)) -> Self {
        Self(on_step)
    }

    /// Tells the watcher; false interrupts the work.
    #[must_use]
    pub fn report(self, step: Step) -> bool {
        (self.0)(step)
    }

    /// Nobody watches.
    #[must_use]
    pub const fn quiet() -> Watch<'static> {
        Watch(&|_| true)
    }
}

/// Counts finished units and simulated cycles of work that many threads share.
pub struct Tally<'a> {
    watch: Watch<'a>,
    total: u64,
    done: AtomicU64,
    simulated_cycles: AtomicU64,
}

impl<'a> Tally<'a> {
    /// Nothing of `total` units is done yet.
    #[must_use]
    pub const fn new(watch: Watch<'a>, total: u64) -> Self {
        Self {
            watch,
            total,
            done: AtomicU64::new(0),
            simulated_cycles: AtomicU64::new(0),
        }
    }

    /// Runs `body` with a progress callback that adds its cycles here.
    ///
    /// # Errors
    /// Those of `body`.
    pub fn run<T, E>(
        &self,
        body: impl FnOnce(&mut dyn FnMut(Progress) -> bool) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut seen_cycles = 0;
        body(&mut |progress: Progress| {
            let new = progress.cycle.saturating_sub(seen_cycles);
            seen_cycles = progress.cycle;
            self.simulated_cycles.fetch_add(new, Ordering::Relaxed);
            self.report()
        })
    }

    /// As [`Tally::run`] for a run that ends: all its cycles are counted, also those behind the last progress that it told.
    ///
    /// # Errors
    /// Those of `body`.
    pub fn run_to_end<T, E>(
        &self,
        body: impl FnOnce(&mut dyn FnMut(Progress) -> bool) -> Result<T, E>,
        cycles: impl FnOnce(&T) -> u64,
    ) -> Result<T, E> {
        let mut seen_cycles = 0;
        let ended = self.run(|on_progress| {
            body(&mut |progress: Progress| {
                seen_cycles = progress.cycle;
                on_progress(progress)
            })
        })?;
        let rest = cycles(&ended).saturating_sub(seen_cycles);
        self.simulated_cycles.fetch_add(rest, Ordering::Relaxed);
        Ok(ended)
    }

    /// How far the work has come.
    #[must_use]
    pub fn step(&self) -> Step {
        Step {
            done: self.done.load(Ordering::Relaxed),
            total: self.total,
            simulated_cycles: self.simulated_cycles.load(Ordering::Relaxed),
            activity: WorkStage::Simulating,
        }
    }

    /// As [`Tally::run`] for a single run, whose actions are the units.
    ///
    /// # Errors
    /// Those of `body`.
    pub fn run_actions<T, E>(
        watch: Watch<'_>,
        body: impl FnOnce(&mut dyn FnMut(Progress) -> bool) -> Result<T, E>,
    ) -> Result<T, E> {
        body(&mut |progress: Progress| {
            watch.report(Step {
                done: progress.actions_done as u64,
                total: progress.actions_total as u64,
                simulated_cycles: progress.cycle,
                activity: WorkStage::Simulating,
            })
        })
    }

    /// Work inside a unit has simulated some more cycles; false interrupts the work.
    #[must_use]
    pub fn follow(&self, cycles: u64) -> bool {
        self.simulated_cycles.fetch_max(cycles, Ordering::Relaxed);
        self.report()
    }

    /// One unit is finished.
    ///
    /// # Errors
    /// [`RunError::Interrupted`] if the watcher asks for an end.
    pub fn finish_unit(&self) -> Result<(), RunError> {
        self.done.fetch_add(1, Ordering::Relaxed);
        if self.report() {
            Ok(())
        } else {
            Err(RunError::Interrupted {
                cycle: self.simulated_cycles.load(Ordering::Relaxed),
            })
        }
    }

    fn report(&self) -> bool {
        self.watch.report(self.step())
    }
}
