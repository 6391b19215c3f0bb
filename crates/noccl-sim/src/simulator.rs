// SPDX-License-Identifier: Apache-2.0
//! The simulator as a backend.

use crate::checkpoint::{CheckpointError, Reader, Writer};
use crate::driver::schedule::ScheduleRun;
use crate::explain::Observer;
use crate::machine::Machine;
use crate::over_time::TimeRecorder;
use crate::record::OnCycle;
use crate::router::{RouterEngine, engine_of};
use crate::router::{esp, smart, udn};
use noccl_run::{
    Backend, Checkpoints, Diagnosis, Progress, Request, Run, RunConfig, RunError, RunResult, Status,
};
use noccl_workload::Place;
use std::io::{Read, Seek, Write};

/// The cycle-accurate backend, for routers of every kind.
#[derive(Debug, Clone, Copy, Default)]
pub struct Simulator;

/// A run of a schedule on routers of any kind, between two cycles.
pub struct Simulation<'a>(Kind<'a>);

enum Kind<'a> {
    Machine(Box<ScheduleRun<'a>>),
    /// A run whose state is not saved, and the refusal that says so.
    Other(Box<dyn Run<Result = RunResult> + 'a>, fn(&str) -> RunError),
}

impl<'a> Kind<'a> {
    fn run(&self) -> &(dyn Run<Result = RunResult> + 'a) {
        match self {
            Self::Machine(run) => &**run,
            Self::Other(run, _) => &**run,
        }
    }
}

impl Backend for Simulator {
    type Run<'a> = Simulation<'a>;

    fn start<'a>(&self, request: &Request<'a>) -> Result<Simulation<'a>, RunError> {
        request.config.check()?;
        let engine = engine_of(request.network);
        refuse_rounds(&engine, request.config)?;
        let kind = match engine {
            RouterEngine::Machine(network, behaviour) => {
                let machine = Machine::new(network, request.config.clone(), behaviour);
                let run = ScheduleRun::on(machine, request.schedule, request.inputs)?;
                Kind::Machine(Box::new(run))
            }
            RouterEngine::Esp(network) => {
                Kind::Other(Box::new(esp::schedule_run(network, request)?), esp::refused)
            }
            RouterEngine::Smart => {
                Kind::Other(Box::new(smart::schedule_run(request)?), smart::refused)
            }
            RouterEngine::Cores => Kind::Other(Box::new(udn::schedule_run(request)?), udn::refused),
        };
        Ok(Simulation(kind))
    }
}

impl<'a> Simulation<'a> {
    /// Records from now on where an engine has a place for it; else the recorder comes back.
    pub(crate) fn record_inside(
        &mut self,
        recorder: Box<TimeRecorder>,
    ) -> Result<(), Box<TimeRecorder>> {
        match &mut self.0 {
            Kind::Machine(run) => {
                run.observe(Observer::Recorder(recorder));
                Ok(())
            }
            Kind::Other(..) => Err(recorder),
        }
    }

    /// The recorder that was given to the engine.
    pub(crate) fn take_recorder(&mut self) -> Option<Box<TimeRecorder>> {
        match &mut self.0 {
            Kind::Machine(run) => run.take_recorder(),
            Kind::Other(..) => None,
        }
    }

    /// The action of a tile's part of it.
    pub(crate) fn action_of(&self, instance: u32) -> Option<u32> {
        match &self.0 {
            Kind::Machine(run) => run.action_of(instance),
            Kind::Other(..) => None,
        }
    }

    /// A run before its first cycle, with a record of every cycle.
    pub(crate) fn recorded(request: &Request<'a>, on_cycle: OnCycle<'a>) -> Result<Self, RunError> {
        request.config.check()?;
        let engine = engine_of(request.network);
        refuse_rounds(&engine, request.config)?;
        let Request {
            network,
            schedule,
            inputs,
            config,
        } = *request;
        Ok(Self(match engine {
            RouterEngine::Smart => {
                let run = smart::recorded_run(request, on_cycle)?;
                Kind::Other(Box::new(run), smart::refused)
            }
            RouterEngine::Machine(..) | RouterEngine::Esp(_) | RouterEngine::Cores => {
                let run = ScheduleRun::recorded(network, schedule, inputs, config, on_cycle)?;
                Kind::Machine(Box::new(run))
            }
        }))
    }
}

/// Messages of rounds are those of core tiles.
fn refuse_rounds(engine: &RouterEngine<'_>, config: &RunConfig) -> Result<(), RunError> {
    let asked = match engine {
        RouterEngine::Cores => return Ok(()),
        RouterEngine::Machine(..) | RouterEngine::Esp(_) | RouterEngine::Smart
            if config.is_lock_step =>
        {
            "rounds in lock-step"
        }
        RouterEngine::Machine(..) | RouterEngine::Esp(_) | RouterEngine::Smart
            if config.noise_seed.is_some() =>
        {
            "noise"
        }
        RouterEngine::Machine(..) | RouterEngine::Esp(_) | RouterEngine::Smart => return Ok(()),
    };
    Err(RunError::Refused {
        backend: "sim",
        what: asked.to_owned(),
        reason: "it is an option of cores that pass messages; accepted on core tiles, e.g. tilepro64_8x8".to_owned(),
    })
}

impl Checkpoints for Simulator {
    type Error = CheckpointError;

    fn save<W: Write>(&self, run: &Simulation<'_>, to: W) -> Result<W, CheckpointError> {
        match &run.0 {
            Kind::Machine(run) => {
                let mut writer = Writer::new(to)?;
                run.save(&mut writer)?;
                writer.finish()
            }
            Kind::Other(_, refused) => Err(refused("a run that can be saved").into()),
        }
    }

    fn load<'a, R: Read + Seek>(
        &self,
        request: &Request<'a>,
        from: R,
    ) -> Result<Simulation<'a>, CheckpointError> {
        let mut reader = Reader::open(from)?;
        let Request {
            network,
            schedule,
            config,
            ..
        } = *request;
        let run = ScheduleRun::load(network, schedule, config, &mut reader)?;
        reader.finish()?;
        Ok(Simulation(Kind::Machine(Box::new(run))))
    }
}

impl Run for Simulation<'_> {
    type Result = RunResult;

    fn status(&self) -> &dyn Status {
        self.0.run().status()
    }

    fn step(&mut self) {
        match &mut self.0 {
            Kind::Machine(run) => Run::step(&mut **run),
            Kind::Other(run, _) => run.step(),
        }
    }

    fn is_over(&self) -> bool {
        self.0.run().is_over()
    }

    fn progress(&self) -> Progress {
        self.0.run().progress()
    }

    fn diagnose(&self) -> Diagnosis {
        self.0.run().diagnose()
    }

    fn result(&self, outputs: &[(Place, u64)]) -> RunResult {
        self.0.run().result(outputs)
    }
}
