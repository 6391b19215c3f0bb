// SPDX-License-Identifier: Apache-2.0
//! One mesh, one kind of communication, one backend; and when the actions of a schedule happen there.

use super::{Backend, Collectives, GemmRequest};
use crate::Error;
use crate::runs::Session;
use noccl_model::{Calibration, predict};
use noccl_net::Network;
use noccl_run::{Counters, MemoryImage, Mode, RunConfig, RunResult, Tally};
use noccl_workload::{ActionId, Place, Schedule};
use std::cell::RefCell;

/// What a row is about.
#[derive(Clone, Copy)]
pub(super) struct GemmCase<'a> {
    pub(super) network: &'a Network,
    pub(super) request: &'a GemmRequest,
    pub(super) backend: Backend,
    pub(super) collectives: Collectives,
    pub(super) session: &'a RefCell<Session<RunResult>>,
    pub(super) tally: &'a Tally<'a>,
}

/// When each action started and ended, and what happened in all.
pub(super) struct Timed {
    actions: Vec<(f64, f64)>,
    pub(super) cycles: u64,
    pub(super) counters: Counters,
    /// What the simulator leaves in the places that were asked for.
    pub(super) memory: Vec<MemoryImage>,
}

impl Timed {
    pub(super) fn start(&self, action: ActionId) -> f64 {
        self.actions[action.0 as usize].0
    }

    pub(super) fn finish(&self, action: ActionId) -> f64 {
        self.actions[action.0 as usize].1
    }

    /// End of the last action.
    pub(super) fn end(&self) -> f64 {
        self.actions.iter().map(|a| a.1).fold(0.0, f64::max)
    }
}

impl GemmCase<'_> {
    /// Do bytes move?
    pub(super) fn has_values(&self) -> bool {
        match self.backend {
            Backend::Sim => self.request.mode == Mode::Value,
            Backend::Model | Backend::Published | Backend::PublishedWithDistance => false,
        }
    }

    /// Does the backend know this kind of communication? S1 has no equations of deliveries, and what waits for nothing but them is the simulator's.
    pub(super) fn is_known(&self) -> bool {
        self.collectives != Collectives::Deliveries || self.backend == Backend::Sim
    }

    /// Runs a schedule, or predicts it if that is what the case is about.
    pub(super) fn time(
        &self,
        schedule: &Schedule,
        images: &[MemoryImage],
        outputs: &[(Place, u64)],
    ) -> Result<Timed, Error> {
        match self.backend {
            Backend::Sim => self.simulated(schedule, images, outputs),
            Backend::Model | Backend::Published | Backend::PublishedWithDistance => {
                self.predicted(schedule)
            }
        }
    }

    /// Nothing runs that the checker has not proved.
    fn simulated(
        &self,
        schedule: &Schedule,
        images: &[MemoryImage],
        outputs: &[(Place, u64)],
    ) -> Result<Timed, Error> {
        noccl_workload::check(self.network, schedule)?;
        let config = RunConfig {
            threads: self.request.threads,
            ..RunConfig::new(self.request.mode)
        };
        let result = self.tally.run(|on_progress| {
            self.session.borrow_mut().simulate(
                self.network,
                schedule,
                images,
                outputs,
                &config,
                on_progress,
            )
        })?;
        let actions = result.actions.iter();
        Ok(Timed {
            actions: actions
                .map(|a| (a.start_cycle as f64, a.finish_cycle as f64))
                .collect(),
            cycles: result.cycles,
            counters: result.counters,
            memory: result.memory,
        })
    }

    fn predicted(&self, schedule: &Schedule) -> Result<Timed, Error> {
        let prediction = match &self.request.calibration {
            Some(calibration) => predict(self.network, schedule, calibration)?,
            None => predict(self.network, schedule, &Calibration::shipped()?)?,
        };
        Ok(Timed {
            cycles: prediction.cycles.round() as u64,
            counters: prediction.counters,
            actions: prediction.actions,
            memory: Vec::new(),
        })
    }
}
