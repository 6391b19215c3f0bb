// SPDX-License-Identifier: Apache-2.0
//! The run of a schedule as a thing that can stand still between two cycles.

use crate::checkpoint::machine::{restore_machine, save_machine};
use crate::checkpoint::{CheckpointError, Reader, Writer};
use crate::diagnose::diagnose;
use crate::diagnose::view::Driver;
use crate::driver::{drain_done, result_of};
use crate::endpoint::core::Agents;
use crate::explain::Observer;
use crate::machine::Machine;
use crate::machine::event::DriverEvent;
use crate::over_time::TimeRecorder;
use crate::record::OnCycle;
use noccl_net::Network;
use noccl_run::{
    Diagnosis, MemoryImage, OnProgress, Progress, Run, RunConfig, RunError, RunResult, Status,
};
use noccl_workload::{Place, Schedule};
use std::io::{Read, Write};

/// A run of a schedule between two cycles.
///
/// It can be [saved](ScheduleRun::save) there, and a process that [loads](ScheduleRun::load) it goes on to
/// the result that this one would have come to.
pub struct ScheduleRun<'a> {
    machine: Machine<'a>,
    agents: Agents<'a>,
    events: Vec<DriverEvent>,
}

impl<'a> ScheduleRun<'a> {
    /// A run before its first cycle; `inputs` are in the memories.
    ///
    /// # Errors
    /// [`RunError::Refused`].
    pub fn new(
        network: &'a Network,
        schedule: &'a Schedule,
        inputs: &[MemoryImage],
        config: &RunConfig,
    ) -> Result<Self, RunError> {
        let machine = Machine::of(network, config, "a run that can be saved")?;
        Self::on(machine, schedule, inputs)
    }

    /// As [`ScheduleRun::new`], with a record of every cycle.
    ///
    /// # Errors
    /// As [`ScheduleRun::new`]; refused for published routers.
    pub fn recorded(
        network: &'a Network,
        schedule: &'a Schedule,
        inputs: &[MemoryImage],
        config: &RunConfig,
        on_cycle: OnCycle<'a>,
    ) -> Result<Self, RunError> {
        let mut machine = Machine::of(network, config, "a record of cycles")?;
        machine.record_to(on_cycle)?;
        Self::on(machine, schedule, inputs)
    }

    /// As [`ScheduleRun::new`], on a new machine.
    pub(crate) fn on(
        mut machine: Machine<'a>,
        schedule: &'a Schedule,
        inputs: &[MemoryImage],
    ) -> Result<Self, RunError> {
        let memories = &mut machine.memory.memories;
        memories.fill(&machine.network, inputs)?;
        let agents = Agents::new(schedule, &mut machine)?;
        Ok(Self {
            machine,
            agents,
            events: Vec::new(),
        })
    }

    /// Somebody watches the machine from now on.
    pub(crate) fn observe(&mut self, observer: Observer) {
        self.machine.observer = Some(observer);
    }

    /// The recorder, if it is what watches.
    pub(crate) fn take_recorder(&mut self) -> Option<Box<TimeRecorder>> {
        match self.machine.observer.take() {
            Some(Observer::Recorder(recorder)) => Some(recorder),
            Some(Observer::Log(_) | Observer::Watcher(_)) | None => None,
        }
    }

    /// The action of a tile's part of it.
    pub(crate) fn action_of(&self, instance: u32) -> Option<u32> {
        let known = self.agents.instances.all.get(instance);
        known.map(|instance| instance.action)
    }

    /// What a run that is over was made of.
    pub(crate) fn into_parts(self) -> (Machine<'a>, Agents<'a>) {
        (self.machine, self.agents)
    }

    /// The cycle that comes next.
    #[must_use]
    pub const fn cycle(&self) -> u64 {
        self.machine.clock.now()
    }

    /// Is every action done?
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.agents.is_over()
    }

    /// Simulates one cycle.
    ///
    /// # Errors
    /// [`RunError::Stall`] with a diagnosis.
    pub fn step(&mut self) -> Result<(), RunError> {
        noccl_run::step(self).map(drop)
    }

    /// Simulates until every action is done.
    ///
    /// # Errors
    /// [`RunError::Stall`]; [`RunError::Interrupted`] if `on_progress` asks for an end: the run then stands
    /// still between two cycles, may be saved, and goes on with the next call.
    pub fn advance(&mut self, on_progress: OnProgress<'_>) -> Result<(), RunError> {
        noccl_run::advance(self, on_progress)
    }

    /// The result of a run that is over; `outputs` (place, bytes) are read from the memories.
    #[must_use]
    pub fn result(&self, outputs: &[(Place, u64)]) -> RunResult {
        result_of(&self.machine, self.agents.times(), outputs)
    }

    /// Appends the state to a checkpoint.
    ///
    /// # Errors
    /// [`CheckpointError::Io`].
    pub fn save<W: Write>(&self, to: &mut Writer<W>) -> Result<(), CheckpointError> {
        save_machine(&self.machine, to)?;
        self.agents.save(to)
    }

    /// A run as it was saved. The caller has compared the checkpoint's identity with that of this network,
    /// schedule and configuration.
    ///
    /// # Errors
    /// [`CheckpointError::Damaged`], [`CheckpointError::Io`], [`CheckpointError::Run`].
    pub fn load<R: Read>(
        network: &'a Network,
        schedule: &'a Schedule,
        config: &RunConfig,
        from: &mut Reader<R>,
    ) -> Result<Self, CheckpointError> {
        let mut run = Self::new(network, schedule, &[], config)?;
        restore_machine(&mut run.machine, from)?;
        run.agents.restore(from)?;
        Ok(run)
    }
}

impl Run for ScheduleRun<'_> {
    type Result = RunResult;

    fn status(&self) -> &dyn Status {
        &self.machine
    }

    fn step(&mut self) {
        let Self {
            machine,
            agents,
            events,
        } = self;
        machine.begin_cycle(events);
        loop {
            for event in events.iter() {
                agents.on_event(*event, machine);
            }
            drain_done(machine, |done, machine| agents.on_done(done, machine));
            if !machine.more_events(events) {
                break;
            }
        }
        machine.end_cycle();
    }

    fn is_over(&self) -> bool {
        self.agents.is_over()
    }

    fn progress(&self) -> Progress {
        Progress {
            cycle: self.machine.clock.now(),
            actions_done: self.agents.instances.num_over(),
            actions_total: self.agents.instances.num_instances() as usize,
        }
    }

    fn diagnose(&self) -> Diagnosis {
        diagnose(&self.machine, Driver::Agents(&self.agents))
    }

    fn result(&self, outputs: &[(Place, u64)]) -> RunResult {
        ScheduleRun::result(self, outputs)
    }
}
