// SPDX-License-Identifier: Apache-2.0
//! Actions that programs state while the clusters act (`noccl_run::OpenRun`).
//!
//! The end of a share is told in the cycle in which its core sees it, polls included: what is stated then begins in the cycle in which it
//! would begin if it had been known.

use super::barrier::Barriers;
use super::event;
use super::instances::{Instances, Runner, participants, runner};
use super::{Agent, Agents};
use crate::driver::actions::Actions;
use crate::machine::Machine;
use noccl_net::{Network, TileId};
use noccl_run::{Busy, Ended, Order, RunError};
use noccl_workload::{Action, ActionId};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

/// What programs are told of the clusters.
#[derive(Debug)]
pub(crate) struct Watched {
    /// Shares whose ends the cores have seen since the last call.
    ended: Vec<Ended>,
    /// By tile: shares beside the control core's queue, and those that it has begun while it waits in a barrier.
    beside: BTreeMap<u32, VecDeque<u32>>,
    in_barrier: BTreeSet<u32>,
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
                beside: BTreeMap::new(),
                in_barrier: BTreeSet::new(),
                num_told: 0,
                busy: vec![Busy::default(); network.num_tiles()],
            })),
        }
    }

    /// Do clusters do such an action?
    ///
    /// # Errors
    /// [`RunError::Refused`].
    pub(crate) fn accepts(&self, action: &Action) -> Result<(), RunError> {
        let number = self.actions.len() as u32;
        participants(self.network, number as usize, action)?;
        Barriers::none().add(self.network, number, &action.kind)
    }

    /// States an action; the shares of held tiles stand in no queue until they are released.
    ///
    /// # Errors
    /// [`RunError::Refused`]; then nothing has changed.
    pub(crate) fn state(
        &mut self,
        action: Action,
        is_held: &dyn Fn(TileId) -> bool,
        order: Order,
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
            } else if order == Order::Beside && self.is_of_control(id) {
                self.stand_beside(id, machine);
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

    fn is_of_control(&self, id: u32) -> bool {
        let tile = self.instances.all[id as usize].tile;
        runner(self.network, &self.kind(id), tile) == Runner::Control
    }

    fn stand_beside(&mut self, id: u32, machine: &mut Machine<'_>) {
        let tile = self.instances.all[id as usize].tile;
        if let Some(watched) = &mut self.watched {
            watched.beside.entry(tile).or_default().push_back(id);
        }
        machine.call_driver(machine.clock.now(), event::WAKE_CONTROL, tile);
    }

    /// The instance beside a control core's queue that it begins now, if it is free or waits in a barrier.
    pub(super) fn begin_beside(&mut self, tile: u32) -> Option<u32> {
        let id = *self.watched.as_ref()?.beside.get(&tile)?.front()?;
        let agent = self.control.entry(tile).or_default();
        let (is_busy, last) = (agent.is_busy, agent.last);
        if is_busy {
            let last = last.map(|last| self.kind(last));
            last.filter(|kind| kind.barrier().is_some())?;
        }
        let watched = self.watched.as_mut()?;
        watched.beside.get_mut(&tile)?.pop_front();
        if is_busy {
            watched.in_barrier.insert(id);
        } else if let Some(agent) = self.control.get_mut(&tile) {
            agent.is_busy = true;
            agent.last = Some(id);
        }
        Some(id)
    }

    /// The instructions of an instance are executed: the control core is free again, unless it goes on to wait in its barrier.
    pub(super) fn free_after(&mut self, id: u32, tile: u32, machine: &mut Machine<'_>) {
        let watched = self.watched.as_mut();
        if watched.is_some_and(|watched| watched.in_barrier.remove(&id)) {
            return;
        }
        self.free_control(tile, machine);
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
            is_over: true,
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
