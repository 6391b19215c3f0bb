// SPDX-License-Identifier: Apache-2.0
//! Actions that programs state while the clusters act (`noccl_run::OpenRun`).
//!
//! The end of a share is told in the cycle in which its core sees it, polls included: what is stated then begins in the cycle in which it
//! would begin if it had been known.

use super::barrier::Barriers;
use super::event;
use super::instances::{Instances, Runner, runner};
use super::{Agent, Agents};
use crate::driver::actions::Actions;
use crate::machine::Machine;
use noccl_net::{Network, TileId};
use noccl_run::{Busy, Ended, RunError};
use noccl_workload::{Action, ActionId};
use std::collections::HashMap;

/// What programs are told of the clusters.
#[derive(Debug)]
pub(crate) struct Watched {
    /// Shares whose ends the cores have seen since the last call.
    ended: Vec<Ended>,
    /// Shares whose ends have been told.
    num_told: usize,
    /// Instructions of each tile's control core.
    pub(super) busy: Vec<Busy>,
}

impl<'s> Agents<'s> {
    /// Agents that have nothing to do yet: programs state their actions.
    pub(crate) fn open(network: &'s Network) -> Self {
        Self {
            network,
            actions: Actions::none(),
            instances: Instances::none(network),
            control: HashMap::new(),
            compute: HashMap::new(),
            engines: HashMap::new(),
            barriers: Barriers::none(),
            reductions: HashMap::new(),
            open_bursts: HashMap::new(),
            num_done: 0,
            watched: Some(Box::new(Watched {
                ended: Vec::new(),
                num_told: 0,
                busy: vec![Busy::default(); network.num_tiles()],
            })),
        }
    }

    /// States an action; the shares of held tiles stand in no queue until they are released.
    ///
    /// # Errors
    /// [`RunError::Refused`]; then nothing has changed.
    pub(crate) fn state(
        &mut self,
        action: Action,
        is_held: &dyn Fn(TileId) -> bool,
        machine: &mut Machine<'_>,
    ) -> Result<ActionId, RunError> {
        let number = self.actions.len() as u32;
        self.barriers.add(self.network, number, &action.kind)?;
        if let Err(refused) = self.instances.push(self.network, &action) {
            self.barriers.remove(number);
            return Err(refused);
        }
        self.instances.link(self.network, number, &action);
        self.actions.push(action);
        for id in self.instances.of(number) {
            let tile = self.instances.all[id as usize].tile;
            if is_held(TileId(tile)) {
                self.instances.all[id as usize].open += 1;
            } else {
                self.queue(id, machine);
            }
        }
        Ok(ActionId(number))
    }

    /// A held share may begin when its agent comes to it and it waits for nothing else.
    pub(crate) fn release(&mut self, action: ActionId, tile: TileId, machine: &mut Machine<'_>) {
        if let Some(id) = self.instances.at(action.0, tile.0) {
            self.instances.all[id as usize].open -= 1;
            self.queue(id, machine);
        }
    }

    fn queue(&mut self, id: u32, machine: &mut Machine<'_>) {
        let tile = self.instances.all[id as usize].tile;
        let (side, what) = match runner(self.network, &self.kind(id), tile) {
            Runner::Control => (&mut self.control, event::WAKE_CONTROL),
            Runner::Compute => (&mut self.compute, event::WAKE_COMPUTE),
            Runner::Nobody => return,
        };
        let agent: &mut Agent = side.entry(tile).or_default();
        agent.queue.push_back(id);
        machine.call_driver(machine.clock.now(), what, tile);
    }

    /// A core sees the end of a share.
    pub(super) fn tell(&mut self, id: u32, machine: &Machine<'_>) {
        let share = &self.instances.all[id as usize];
        let ended = Ended {
            action: ActionId(share.action),
            tile: TileId(share.tile),
            cycle: machine.clock.now(),
        };
        if let Some(watched) = &mut self.watched {
            watched.ended.push(ended);
            watched.num_told += 1;
        }
    }

    /// Shares that have ended since the last call.
    pub(crate) fn take_ended(&mut self, to: &mut Vec<Ended>) {
        if let Some(watched) = &mut self.watched {
            to.append(&mut watched.ended);
        }
    }

    /// Is everything over that was stated, and told?
    pub(crate) fn is_told(&self) -> bool {
        let told = self.watched.as_ref().map_or(0, |watched| watched.num_told);
        told == self.instances.all.len()
    }

    pub(crate) fn busy(&self, tile: TileId) -> Busy {
        let watched = self.watched.as_ref();
        watched.map_or_else(Busy::default, |watched| watched.busy[tile.idx()])
    }
}
