// SPDX-License-Identifier: Apache-2.0
//! The run of a trace.

use crate::diagnose::diagnose;
use crate::diagnose::view::Driver;
use crate::driver::trace::replay::TraceDriver;
use crate::driver::{drain_done, result_of};
use crate::machine::Machine;
use crate::machine::event::DriverEvent;
use noccl_run::{Diagnosis, Progress, Recording, Run, RunError, RunResult, Status};
use noccl_workload::{Place, Trace};

/// A run of a trace between two cycles.
pub(crate) struct TraceRun<'n, 't> {
    machine: Machine<'n>,
    driver: TraceDriver<'t>,
    starts: Vec<DriverEvent>,
    total: usize,
}

impl<'n, 't> TraceRun<'n, 't> {
    /// A run before its first cycle.
    ///
    /// # Errors
    /// [`RunError::Refused`].
    pub(crate) fn new(mut machine: Machine<'n>, trace: &'t Trace) -> Result<Self, RunError> {
        let driver = TraceDriver::new(trace, &mut machine)?;
        Ok(Self {
            machine,
            driver,
            starts: Vec::new(),
            total: trace.transactions.len(),
        })
    }
}

impl TraceRun<'_, '_> {
    /// What the machine has recorded, if it records.
    pub(crate) fn take_recording(&mut self) -> Option<Recording> {
        self.machine.take_recording()
    }
}

impl Run for TraceRun<'_, '_> {
    type Result = RunResult;

    fn status(&self) -> &dyn Status {
        &self.machine
    }

    fn step(&mut self) {
        let Self {
            machine,
            driver,
            starts,
            total: _,
        } = self;
        machine.begin_cycle(starts);
        loop {
            drain_done(machine, |done, machine| driver.on_done(done, machine));
            for event in starts.iter() {
                driver.on_event(*event, machine);
            }
            if !machine.more_events(starts) {
                break;
            }
        }
        if driver.is_over() {
            // The cycle of the last response is the run's last one, and stays open.
            if let Some((recorder, observed)) = machine.observe() {
                recorder.note_moves(&observed);
            }
        } else {
            machine.end_cycle();
        }
    }

    fn is_over(&self) -> bool {
        self.driver.is_over()
    }

    fn progress(&self) -> Progress {
        Progress {
            cycle: self.machine.clock.now(),
            actions_done: self.driver.num_done,
            actions_total: self.total,
        }
    }

    fn diagnose(&self) -> Diagnosis {
        diagnose(&self.machine, Driver::Trace(&self.driver))
    }

    fn result(&self, outputs: &[(Place, u64)]) -> RunResult {
        let wrong = self.driver.num_wrong();
        let mut result = result_of(&self.machine, self.driver.times(), outputs);
        result.responses = self.driver.responses();
        result.wrong_transactions = wrong + self.machine.checks.wrong_beats;
        result
    }
}
