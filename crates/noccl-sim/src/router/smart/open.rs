// SPDX-License-Identifier: Apache-2.0
//! A run over routers with bypass whose actions are stated while it goes on.

use super::messages::Messages;
use super::{SmartNetwork, SmartRun};
use noccl_net::{Network, TileId};
use noccl_run::{Busy, Ended, Mode, OpenRun, Order, Run, RunConfig, RunError, Status, TimeSlices};
use noccl_workload::{Action, ActionId, Place};

/// A run between two cycles, or within one while programs state actions.
pub(crate) struct OpenSmartRun<'a> {
    network: &'a Network,
    run: SmartRun<'a>,
    phase: Phase,
}

/// How far the cycle has come in which the run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Between,
    /// What was due has been done.
    Begun,
    /// The routers have moved flits, or not.
    Moved(bool),
}

impl<'a> OpenSmartRun<'a> {
    /// A run before its first cycle.
    ///
    /// # Errors
    /// [`RunError::Refused`].
    pub(crate) fn new(network: &'a Network, config: &RunConfig) -> Result<Self, RunError> {
        let on = SmartNetwork::new(network)?;
        let messages = Messages::open(on, config.mode == Mode::Value);
        Ok(Self {
            network,
            run: SmartRun::of(on, messages, config)?,
            phase: Phase::Between,
        })
    }

    /// Goes on up to the next end of a share or of a phase.
    fn go_on(&mut self) {
        match self.phase {
            Phase::Between => {
                self.run.begin();
                self.phase = Phase::Begun;
            }
            Phase::Begun | Phase::Moved(_) if !self.run.messages.ready.is_empty() => {
                self.run.begin_stated();
            }
            Phase::Begun => self.phase = Phase::Moved(self.run.move_on()),
            Phase::Moved(has_moved) => {
                self.run.end_cycle(has_moved);
                self.phase = Phase::Between;
            }
        }
    }
}

impl OpenRun for OpenSmartRun<'_> {
    fn status(&self) -> &dyn Status {
        &self.run
    }

    fn cycle(&self) -> u64 {
        match self.phase {
            Phase::Between => self.run.next,
            Phase::Begun | Phase::Moved(_) => self.run.cycle,
        }
    }

    fn accepts(&self, action: &Action) -> Result<(), RunError> {
        self.run.messages.accepts(action)
    }

    fn state(
        &mut self,
        action: Action,
        is_held: &dyn Fn(TileId) -> bool,
        _: Order,
    ) -> Result<ActionId, RunError> {
        let messages = &mut self.run.messages;
        messages.take_in(&action)?;
        let number = messages.actions.push(action.clone());
        messages.link(number, &action, is_held);
        Ok(ActionId(number))
    }

    fn release(&mut self, action: ActionId, tile: TileId, _: Order) {
        let messages = &mut self.run.messages;
        if let Some(id) = messages.instances.at(action.0, tile)
            && messages.instances.release(id)
        {
            messages.ready.push_back((action.0, tile));
        }
    }

    fn advance(&mut self, ended: &mut Vec<Ended>) -> Result<(), RunError> {
        while !self.run.is_over() {
            self.go_on();
            if let Some(told) = &mut self.run.messages.ended {
                ended.append(told);
            }
            if !ended.is_empty() {
                return Ok(());
            }
            if self.phase == Phase::Between && self.run.activity().is_stalled(self.run.config()) {
                return Err(RunError::Stall(Box::new(self.run.diagnose())));
            }
        }
        Ok(())
    }

    fn write(&mut self, place: Place, bytes: &[u8]) {
        let network = self.network;
        self.run
            .messages
            .memories
            .write_place(network, place, bytes);
    }

    fn read(&self, place: Place, bytes: u64) -> Vec<u8> {
        self.run
            .messages
            .memories
            .read_place(self.network, place, bytes)
    }

    fn busy(&self, _: TileId) -> Busy {
        // Interfaces carry everything out; cores take no part.
        Busy::default()
    }

    fn record_times(&mut self) {}

    fn times(&self, _: TileId) -> TimeSlices {
        TimeSlices::default()
    }
}
