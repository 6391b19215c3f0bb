// SPDX-License-Identifier: Apache-2.0
//! Actions that programs submit while the clusters act (`noccl_run::OpenRun`).
//!
//! The end of a share is told in the cycle in which its core sees it, polls included: what is submitted then begins in the cycle in which it
//! would begin if it had been known.

use super::barrier::Barriers;
use super::event::CoreEvent;
use super::instances::{Instances, Runner, link, participants, push, runner};
use super::{Agent, Agents};
use crate::driver::actions::Actions;
use crate::machine::Machine;
use noccl_net::{Network, TileId};
use noccl_run::{Busy, Ended, Order, RankTime, RunError, TimeSlices};
use noccl_workload::{Action, ActionId, ActionKind};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

/// What programs are told of the clusters.
#[derive(Debug)]
pub(crate) struct Watched {
    /// Shares whose ends the cores have seen since the last call.
    ended: Vec<Ended>,
    /// By tile: shares beside the queues of the control core and of the compute cores, and those that the control core has begun while it
    /// waits in a barrier.
    beside: BTreeMap<u32, VecDeque<u32>>,
    beside_compute: BTreeMap<u32, VecDeque<u32>>,
    in_barrier: BTreeSet<u32>,
    /// Members of barriers that do not wait there.
    passing: BTreeSet<u32>,
    /// Shares whose ends have been told.
    num_told: u32,
    /// Instructions of each tile's control core.
    busy: Vec<Busy>,
    /// By tile: when, if that is kept.
    times: Option<Vec<TimeSlices>>,
}

impl Watched {
    /// A tile's control core executes instructions of what it sends or receives.
    pub(super) fn is_busy(&mut self, tile: u32, time: RankTime, now: u64, cycles: u32) {
        let cycles = u64::from(cycles);
        let busy = &mut self.busy[tile as usize];
        match time {
            RankTime::Send => busy.send_cycles += cycles,
            RankTime::Receive => busy.receive_cycles += cycles,
            RankTime::Compute
            | RankTime::Wait
            | RankTime::Execute
            | RankTime::WaitForSpace
            | RankTime::WaitForWords => {}
        }
        if let Some(times) = &mut self.times {
            times[tile as usize].add(time, now, now + cycles);
        }
    }
}

impl<'s> Agents<'s> {
    /// Agents that have nothing to do yet: programs submit their actions.
    pub(crate) fn open(network: &'s Network) -> Self {
        Self {
            network,
            actions: Actions::none(),
            instances: Instances::new(network.num_tiles()),
            control: HashMap::new(),
            compute: HashMap::new(),
            engines: HashMap::new(),
            commands: Vec::new(),
            barriers: Barriers::none(),
            reductions: HashMap::new(),
            open_bursts: HashMap::new(),
            watched: Some(Box::new(Watched {
                ended: Vec::new(),
                beside: BTreeMap::new(),
                beside_compute: BTreeMap::new(),
                in_barrier: BTreeSet::new(),
                passing: BTreeSet::new(),
                num_told: 0,
                busy: vec![Busy::default(); network.num_tiles()],
                times: None,
            })),
        }
    }

    /// Do clusters do such an action?
    ///
    /// # Errors
    /// [`RunError::Refused`].
    pub(crate) fn accepts(&self, action: &Action) -> Result<(), RunError> {
        let number = self.instances.num_actions();
        participants(self.network, number as usize, action)?;
        Barriers::none().add(self.network, number, &action.kind)
    }

    /// Submits an action; the shares of held tiles stand in no queue until they are released.
    ///
    /// # Errors
    /// [`RunError::Refused`]; then nothing has changed.
    pub(crate) fn submit(
        &mut self,
        action: Action,
        is_held: &dyn Fn(TileId) -> bool,
        order: Order,
        machine: &mut Machine<'_>,
    ) -> Result<ActionId, RunError> {
        let number = self.instances.num_actions();
        self.barriers.add(self.network, number, &action.kind)?;
        if let Err(refused) = push(&mut self.instances, self.network, &action) {
            self.barriers.remove(number);
            return Err(refused);
        }
        link(&mut self.instances, self.network, number, &action);
        self.actions.push(action);
        for id in self.instances.of(number) {
            if is_held(self.instances.all[id].tile) {
                self.instances.hold(id);
            } else {
                self.stand(id, order, machine);
            }
        }
        Ok(ActionId(number))
    }

    /// A held share may begin when its agent comes to it and it waits for nothing else.
    pub(crate) fn release(
        &mut self,
        action: ActionId,
        tile: TileId,
        order: Order,
        machine: &mut Machine<'_>,
    ) {
        if let Some(id) = self.instances.at(action.0, tile) {
            self.instances.release(id);
            self.stand(id, order, machine);
        }
    }

    /// A share stands in its agent's queue, or beside it. Time that passes has its place in the queue: a look at a queue comes behind what
    /// has come.
    fn stand(&mut self, id: u32, order: Order, machine: &mut Machine<'_>) {
        let (at, kind) = (self.instances.all[id].tile, self.kind(id));
        let (tile, runner) = (at.0, runner(self.network, &kind, at));
        let is_barrier = kind.barrier().is_some();
        let passes_time = matches!(*kind, ActionKind::Compute(_));
        let watched = self.watched.as_mut().filter(|_| order == Order::Concurrent);
        let (beside, wake) = match (watched, runner) {
            (Some(watched), Runner::Control) => {
                if is_barrier {
                    watched.passing.insert(id);
                }
                (&mut watched.beside, CoreEvent::WakeControl { tile })
            }
            (Some(watched), Runner::Compute) if !passes_time => {
                (&mut watched.beside_compute, CoreEvent::WakeCompute { tile })
            }
            (Some(_) | None, Runner::Control | Runner::Compute | Runner::Nobody) => {
                return self.queue(id, machine);
            }
        };
        beside.entry(tile).or_default().push_back(id);
        machine.call_driver(machine.clock.now(), wake);
    }

    /// The instance beside the compute cores' queue that they begin now, if they are free.
    pub(super) fn begin_beside_compute(&mut self, tile: u32) -> Option<u32> {
        let (watched, instances) = (self.watched.as_mut()?, &self.instances);
        let beside = watched.beside_compute.get_mut(&tile)?;
        let is_ready = |id: &u32| instances.is_ready(*id);
        let ready = beside.iter().position(is_ready)?;
        let agent = self.compute.entry(tile).or_default();
        if agent.is_busy {
            return None;
        }
        agent.is_busy = true;
        agent.last = beside.remove(ready);
        agent.last
    }

    /// Is an instance a member of a barrier in which its core does not wait? Asked when it enters.
    pub(super) fn passes(&self, id: u32) -> bool {
        let watched = self.watched.as_ref();
        watched.is_some_and(|watched| watched.passing.contains(&id))
    }

    /// The first instance beside a control core's queue that waits for nothing, if the core is free or waits in a barrier.
    pub(super) fn begin_beside(&mut self, tile: u32) -> Option<u32> {
        let beside = self.watched.as_ref()?.beside.get(&tile)?;
        let is_ready = |id: &u32| self.instances.is_ready(*id);
        let place = beside.iter().position(is_ready)?;
        let id = *beside.get(place)?;
        let agent = self.control.entry(tile).or_default();
        let (is_busy, last) = (agent.is_busy, agent.last);
        if is_busy {
            let last = self.instances.all.get(last?)?.action;
            self.actions.find(last)?.barrier()?;
        }
        let watched = self.watched.as_mut()?;
        watched.beside.get_mut(&tile)?.remove(place);
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
        let at = self.instances.all[id].tile;
        let tile = at.0;
        let (side, wake) = match runner(self.network, &self.kind(id), at) {
            Runner::Control => (&mut self.control, CoreEvent::WakeControl { tile }),
            Runner::Compute => (&mut self.compute, CoreEvent::WakeCompute { tile }),
            Runner::Nobody => return,
        };
        let agent: &mut Agent = side.entry(tile).or_default();
        agent.queue.push_back(id);
        machine.call_driver(machine.clock.now(), wake);
    }

    /// A core sees the end of a share.
    pub(super) fn tell(&mut self, id: u32, machine: &Machine<'_>) {
        let share = &self.instances.all[id];
        let (action, tile) = (ActionId(share.action), share.tile);
        let ended = Ended {
            action,
            tile,
            cycle: machine.clock.now(),
            is_over: true,
            is_last: self.instances.close(id),
        };
        if let Some(watched) = &mut self.watched {
            watched.ended.push(ended);
            watched.num_told += 1;
        }
        if ended.is_last {
            self.forget(ended.action.0);
        }
    }

    /// All participants have seen the end of an action: what is still in flight of it (responses to posted stores, and to
    /// writes whose initiator has seen its own copy) needs nothing of it.
    fn forget(&mut self, action: u32) {
        for id in self.instances.of(action) {
            self.open_bursts.remove(&id);
            if let Some(watched) = &mut self.watched {
                watched.passing.remove(&id);
            }
        }
        self.instances.forget(action);
        self.actions.forget(action);
        self.barriers.remove(action);
        self.reductions.remove(&action);
    }

    /// Shares that have ended since the last call.
    pub(crate) fn take_ended(&mut self, to: &mut Vec<Ended>) {
        if let Some(watched) = &mut self.watched {
            to.append(&mut watched.ended);
        }
    }

    /// Is everything over that was submitted, and told?
    pub(crate) fn is_told(&self) -> bool {
        // 0: nobody is told of instances that nobody watches.
        let told = self.watched.as_ref().map_or(0, |watched| watched.num_told);
        told == self.instances.num_instances()
    }

    pub(crate) fn busy(&self, tile: TileId) -> Busy {
        let watched = self.watched.as_ref();
        watched.map_or_else(Busy::default, |watched| watched.busy[tile.idx()])
    }

    /// From now on it is kept when control cores send and receive.
    pub(crate) fn record_times(&mut self) {
        let tiles = self.network.num_tiles();
        if let Some(watched) = &mut self.watched {
            watched.times = Some(vec![TimeSlices::default(); tiles]);
        }
    }

    pub(crate) fn times_of(&self, tile: TileId) -> TimeSlices {
        let times = self.watched.as_ref().and_then(|w| w.times.as_ref());
        times.map_or_else(TimeSlices::default, |times| times[tile.idx()].clone())
    }
}
