// SPDX-License-Identifier: Apache-2.0
//! A run on clusters that accepts actions while it is simulated.

use super::drain_done;
use crate::diagnose::diagnose;
use crate::diagnose::view::Driver;
use crate::endpoint::core::Agents;
use crate::machine::Machine;
use crate::machine::event::DriverEvent;
use noccl_net::TileId;
use noccl_run::{
    Busy, Ended, OpenRun, Order, RecordRequest, Recording, RunError, Status, TimeSlices,
};
use noccl_workload::{Action, ActionId, Place};

/// A run between two cycles, or within one while programs submit actions.
pub(crate) struct OpenMachineRun<'a> {
    machine: Machine<'a>,
    agents: Agents<'a>,
    events: Vec<DriverEvent>,
    /// Has the cycle begun in which the run stands?
    is_in_cycle: bool,
}

impl<'a> OpenMachineRun<'a> {
    /// A run before its first cycle.
    pub(crate) fn new(machine: Machine<'a>) -> Self {
        let agents = Agents::open(machine.network.network());
        Self {
            machine,
            agents,
            events: Vec::new(),
            is_in_cycle: false,
        }
    }

    /// Lets the agents see what this cycle brings, up to the next share that ends. Returns whether one has.
    fn act(&mut self, ended: &mut Vec<Ended>) -> bool {
        let Self {
            machine,
            agents,
            events,
            is_in_cycle,
        } = self;
        if *is_in_cycle {
            if !machine.more_events(events) {
                return false;
            }
        } else {
            machine.begin_cycle(events);
            *is_in_cycle = true;
        }
        loop {
            for event in events.iter() {
                agents.on_event(*event, machine);
            }
            drain_done(machine, |done, machine| agents.on_done(done, machine));
            agents.take_ended(ended);
            if !ended.is_empty() {
                return true;
            }
            if !machine.more_events(events) {
                return false;
            }
        }
    }
}

impl OpenRun for OpenMachineRun<'_> {
    fn status(&self) -> &dyn Status {
        &self.machine
    }

    fn cycle(&self) -> u64 {
        self.machine.clock.now()
    }

    fn accepts(&self, action: &Action) -> Result<(), RunError> {
        self.agents.accepts(action)
    }

    fn submit(
        &mut self,
        action: Action,
        is_held: &dyn Fn(TileId) -> bool,
        order: Order,
    ) -> Result<ActionId, RunError> {
        self.agents
            .submit(action, is_held, order, &mut self.machine)
    }

    fn release(&mut self, action: ActionId, tile: TileId, order: Order) {
        self.agents.release(action, tile, order, &mut self.machine);
    }

    fn advance(&mut self, ended: &mut Vec<Ended>) -> Result<(), RunError> {
        loop {
            if self.act(ended) || self.agents.is_told() {
                return Ok(());
            }
            self.machine.end_cycle();
            self.is_in_cycle = false;
            let status: &dyn Status = &self.machine;
            if status.activity().is_stalled(status.config()) {
                let found = diagnose(&self.machine, Driver::Agents(&self.agents));
                return Err(RunError::Stall(Box::new(found)));
            }
        }
    }

    fn write(&mut self, place: Place, bytes: &[u8]) {
        let network = self.machine.network;
        self.machine
            .memory
            .memories
            .write_place(&network, place, bytes);
    }

    fn read(&self, place: Place, bytes: u64) -> Vec<u8> {
        self.machine
            .memory
            .memories
            .read_place(&self.machine.network, place, bytes)
    }

    fn busy(&self, tile: TileId) -> Busy {
        self.agents.busy(tile)
    }

    fn record_times(&mut self) {
        self.agents.record_times();
    }

    fn times(&self, tile: TileId) -> TimeSlices {
        self.agents.times_of(tile)
    }

    fn record(&mut self, asked: RecordRequest) {
        self.machine.record(asked);
    }

    fn take_recording(&mut self) -> Option<Recording> {
        self.machine.take_recording()
    }
}
