// SPDX-License-Identifier: Apache-2.0
//! The simulator as a backend.

use crate::checkpoint::{CheckpointError, Reader, Writer};
use crate::driver::schedule::ScheduleRun;
use crate::machine::Machine;
use crate::record::recorder::OnCycle;
use crate::router::esp::{EspRun, refused};
use crate::router::smart::SmartRun;
use crate::router::udn::{self, CoreRun};
use crate::router::{Engine, engine_of};
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
    Esp(Box<EspRun<'a>>),
    Smart(Box<SmartRun<'a>>),
    Cores(Box<CoreRun<'a>>),
}

impl Backend for Simulator {
    type Run<'a> = Simulation<'a>;

    fn start<'a>(&self, request: &Request<'a>) -> Result<Simulation<'a>, RunError> {
        request.config.check()?;
        let engine = engine_of(request.network);
        refuse_rounds(&engine, request.config)?;
        let kind = match engine {
            Engine::Machine(behaviour) => {
                let machine = Machine::new(request.network, request.config.clone(), behaviour);
                let run = ScheduleRun::on(machine, request.schedule, request.inputs)?;
                Kind::Machine(Box::new(run))
            }
            Engine::Esp => Kind::Esp(Box::new(EspRun::new(request)?)),
            Engine::Smart => Kind::Smart(Box::new(SmartRun::new(request)?)),
            Engine::Cores => Kind::Cores(Box::new(CoreRun::new(request)?)),
        };
        Ok(Simulation(kind))
    }
}

impl<'a> Simulation<'a> {
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
            Engine::Smart => Kind::Smart(Box::new(SmartRun::recorded(request, on_cycle)?)),
            Engine::Machine(_) | Engine::Esp | Engine::Cores => {
                let run = ScheduleRun::recorded(network, schedule, inputs, config, on_cycle)?;
                Kind::Machine(Box::new(run))
            }
        }))
    }
}

/// Messages of rounds are those of core tiles.
fn refuse_rounds(engine: &Engine, config: &RunConfig) -> Result<(), RunError> {
    let asked = match engine {
        Engine::Cores => return Ok(()),
        Engine::Machine(_) | Engine::Esp | Engine::Smart if config.is_lock_step => {
            "rounds in lock-step"
        }
        Engine::Machine(_) | Engine::Esp | Engine::Smart if config.noise_seed.is_some() => "noise",
        Engine::Machine(_) | Engine::Esp | Engine::Smart => return Ok(()),
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
            Kind::Esp(_) => Err(refused("a run that can be saved").into()),
            Kind::Smart(_) => Err(crate::router::smart::refused("a run that can be saved").into()),
            Kind::Cores(_) => Err(udn::refused("a run that can be saved").into()),
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

/// Asks the run of either kind.
macro_rules! either {
    ($self:expr, $run:ident => $what:expr) => {
        match $self {
            Kind::Machine($run) => $what,
            Kind::Esp($run) => $what,
            Kind::Smart($run) => $what,
            Kind::Cores($run) => $what,
        }
    };
}

impl Run for Simulation<'_> {
    type Result = RunResult;

    fn status(&self) -> &dyn Status {
        either!(&self.0, run => run.status())
    }

    fn step(&mut self) {
        either!(&mut self.0, run => Run::step(&mut **run));
    }

    fn is_over(&self) -> bool {
        either!(&self.0, run => run.is_over())
    }

    fn progress(&self) -> Progress {
        either!(&self.0, run => run.progress())
    }

    fn diagnose(&self) -> Diagnosis {
        either!(&self.0, run => run.diagnose())
    }

    fn result(&self, outputs: &[(Place, u64)]) -> RunResult {
        either!(&self.0, run => run.result(outputs))
    }
}
