// SPDX-License-Identifier: Apache-2.0
//! A run on core tiles whose actions are stated while it goes on.

use super::{CoreRun, refused};
use crate::endpoint::message_core::Cores;
use noccl_net::{Network, TileId};
use noccl_run::{Busy, Ended, OpenRun, Order, Run, RunConfig, RunError, Status, TimeSlices};
use noccl_workload::{Action, ActionId, Place};

/// A run between two cycles, or within one while programs state actions.
pub(crate) struct OpenCoreRun<'a> {
    run: CoreRun<'a>,
    /// Have the cores acted in the cycle in which the run stands?
    is_in_cycle: bool,
    has_acted: bool,
}

impl<'a> OpenCoreRun<'a> {
    /// A run before its first cycle.
    ///
    /// # Errors
    /// [`RunError::Refused`].
    pub(crate) fn new(network: &'a Network, config: &RunConfig) -> Result<Self, RunError> {
        let tiles = network.cores().ok_or_else(|| refused("the network"))?;
        if config.is_lock_step {
            return Err(RunError::Refused {
                backend: "sim",
                what: "rounds in lock-step".to_owned(),
                reason: "programs have no rounds; accepted: schedules".to_owned(),
            });
        }
        let cores = Cores::open(network, tiles, config);
        Ok(Self {
            run: CoreRun::of(network, tiles, cores, config),
            is_in_cycle: false,
            has_acted: false,
        })
    }

    /// The cores' part of a cycle, as far as they get before their programs have had their say.
    fn act(&mut self) {
        if self.is_in_cycle {
            self.has_acted |= self.run.act_again();
        } else {
            self.has_acted = self.run.act();
            self.is_in_cycle = true;
        }
    }
}

impl OpenRun for OpenCoreRun<'_> {
    fn status(&self) -> &dyn Status {
        &self.run
    }

    fn cycle(&self) -> u64 {
        if self.is_in_cycle {
            self.run.cycle
        } else {
            self.run.next
        }
    }

    fn accepts(&self, action: &Action) -> Result<(), RunError> {
        self.run.cores.accepts(action)
    }

    fn state(
        &mut self,
        action: Action,
        is_held: &dyn Fn(TileId) -> bool,
        order: Order,
    ) -> Result<ActionId, RunError> {
        self.run.cores.state(action, is_held, order)
    }

    fn release(&mut self, action: ActionId, tile: TileId, order: Order) {
        self.run.cores.release(action, tile, order);
    }

    fn advance(&mut self, ended: &mut Vec<Ended>) -> Result<(), RunError> {
        loop {
            self.act();
            self.run.cores.take_ended(ended);
            if !ended.is_empty() || self.run.is_over() {
                return Ok(());
            }
            if self.run.cores.asks() {
                continue;
            }
            self.run.finish_cycle(self.has_acted);
            self.is_in_cycle = false;
            self.run.cores.take_ended(ended);
            if !ended.is_empty() {
                return Ok(());
            }
            if self.run.activity().is_stalled(self.run.config()) {
                return Err(RunError::Stall(Box::new(self.run.diagnose())));
            }
        }
    }

    fn write(&mut self, place: Place, bytes: &[u8]) {
        let network = self.run.network;
        self.run.cores.memories.write_place(network, place, bytes);
    }

    fn read(&self, place: Place, bytes: u64) -> Vec<u8> {
        self.run
            .cores
            .memories
            .read_place(self.run.network, place, bytes)
    }

    fn busy(&self, tile: TileId) -> Busy {
        self.run.cores.busy(tile)
    }

    fn record_times(&mut self) {
        self.run.cores.record_times();
    }

    fn times(&self, tile: TileId) -> TimeSlices {
        self.run.cores.times_of(tile)
    }
}
