// SPDX-License-Identifier: Apache-2.0
//! Driver that runs a schedule: per cluster a control core, a DMA engine and the compute cores.
//!
//! The control core starts DMA transfers and takes part in barriers, the compute cores run
//! `local_reduce`, `compute` and kernels; each works on its actions in schedule order and spends the documented
//! instructions, one per cycle (`docs/papers/S1.md`, "Instructions"). Start of a transfer: the DMA engine
//! takes the command. End of an action: the core can see its completion.

pub(crate) mod barrier;
mod compute;
mod control;
pub(crate) mod event;
mod flags;
pub(crate) mod instances;
pub(crate) mod kernels;
mod open;
mod saved;
mod view;

use crate::driver::actions::Actions;
use crate::endpoint::core::barrier::Barriers;
use crate::endpoint::core::event::CoreEvent;
use crate::endpoint::core::instances::{Instances, Runner, instances_of, runner};
use crate::endpoint::dma::{Dma, DmaCommand, DmaPort};
use crate::kernel::inline_queue::Rest;
use crate::machine::Machine;
use crate::machine::event::{Done, DriverEvent};
use crate::transport::transaction::Owner;
use noccl_net::{Network, TileId};
use noccl_run::{RankTime, RunError};
use noccl_workload::{Completion, Schedule};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, VecDeque};

/// One in-order agent.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Agent {
    queue: VecDeque<u32>,
    is_busy: bool,
    /// Instance taken from the queue last.
    last: Option<u32>,
    /// Bursts that the reductions in work may have open, and the reductions that wait for one of these.
    reducing: u32,
    waiting: Rest<u32>,
}

impl Agent {
    /// Takes the next instance of the queue if the agent is free and nothing holds the instance back.
    fn begin_next(&mut self, instances: &Instances) -> Option<u32> {
        let id = *self.queue.front()?;
        if self.is_busy || !instances.is_ready(id) {
            return None;
        }
        self.is_busy = true;
        self.last = self.queue.pop_front();
        self.last
    }
}

pub(crate) struct Agents<'s> {
    pub(crate) network: &'s Network,
    actions: Actions<'s>,
    pub instances: Instances,
    control: HashMap<u32, Agent>,
    compute: HashMap<u32, Agent>,
    engines: HashMap<u32, Dma>,
    /// What an engine asks for; empty between two events.
    commands: Vec<DmaCommand>,
    barriers: Barriers,
    /// Transactions of running reductions and arrivals by action, and responses each member still waits
    /// for (deliveries: bursts that each destination still waits for).
    pub(crate) reductions: HashMap<u32, Vec<u32>>,
    open_bursts: HashMap<u32, u32>,
    /// What programs are told; `None` in the run of a schedule.
    watched: Option<Box<open::Watched>>,
}

impl<'s> Agents<'s> {
    pub(crate) fn new(schedule: &'s Schedule, machine: &mut Machine<'s>) -> Result<Self, RunError> {
        let network = machine.network.network();
        let instances = instances_of(network, schedule)?;
        let mut agents = Self {
            network,
            actions: Actions::of(schedule),
            barriers: Barriers::new(network, schedule)?,
            instances,
            control: HashMap::new(),
            compute: HashMap::new(),
            engines: HashMap::new(),
            commands: Vec::new(),
            reductions: HashMap::new(),
            open_bursts: HashMap::new(),
            watched: None,
        };
        for id in 0..agents.instances.num_instances() {
            let instance = &agents.instances.all[id];
            let at = instance.tile;
            let kind = agents.actions.kind(instance.action);
            let tile = at.0;
            let (side, wake) = match runner(network, &kind, at) {
                Runner::Control => (&mut agents.control, CoreEvent::WakeControl { tile }),
                Runner::Compute => (&mut agents.compute, CoreEvent::WakeCompute { tile }),
                Runner::Nobody => continue,
            };
            let agent = side.entry(tile).or_default();
            if agent.queue.is_empty() {
                machine.call_driver(0, wake);
            }
            agent.queue.push_back(id);
        }
        Ok(agents)
    }

    pub(crate) fn is_over(&self) -> bool {
        self.instances.is_over()
    }

    /// A driver event is due.
    pub(crate) fn on_event(&mut self, event: DriverEvent, machine: &mut Machine<'_>) {
        match event {
            DriverEvent::Core(event) => self.on_core_event(event, machine),
            DriverEvent::Start { .. } | DriverEvent::Create { .. } => {}
        }
        self.finish_barriers(machine);
    }

    fn on_core_event(&mut self, event: CoreEvent, machine: &mut Machine<'_>) {
        match event {
            CoreEvent::WakeControl { tile } => self.wake_control(tile, machine),
            CoreEvent::WakeCompute { tile } => self.wake_compute(tile, machine),
            CoreEvent::Issued { instance } => self.issued(instance, machine),
            CoreEvent::DmaStart { instance } => self.dma_start(instance, machine),
            CoreEvent::Over { instance } => self.over(instance, machine),
            CoreEvent::Ended { instance } => self.tell(instance, machine),
            CoreEvent::Computed { instance } => self.computed(instance, machine),
            CoreEvent::Arrive { instance } => {
                if let Some(arrival) = self.kind(instance).arrival() {
                    self.arrive(instance, arrival, machine);
                }
            }
            CoreEvent::Store { instance } => {
                let share = &self.instances.all[instance];
                let (action, tile) = (share.action, share.tile.0);
                self.barriers.store(action, tile, machine);
            }
            CoreEvent::Polled { action } => Barriers::polled(action, machine),
            CoreEvent::Release { action } => self.barriers.release(action, machine),
        }
    }

    /// A completion from the machine.
    pub(crate) fn on_done(&mut self, done: Done, machine: &mut Machine<'_>) {
        let spec = &machine.network.axi().cluster;
        let seen =
            machine.clock.now() + u64::from(spec.response_path_cycles + spec.dma.complete_cycles);
        match done {
            Done::Chain { instance } => self.over(instance, machine),
            Done::ReadBeat { tile, bytes } => {
                let pull =
                    self.with_engine(tile, machine, |dma, port| dma.on_read_beat(bytes, port));
                if let Some(instance) = pull {
                    let complete = u64::from(machine.network.axi().cluster.dma.complete_cycles);
                    machine
                        .call_driver(machine.clock.now() + complete, CoreEvent::Over { instance });
                }
            }
            Done::Drained { tile } => {
                self.with_engine(tile, machine, Dma::read_ahead);
            }
            Done::Transaction {
                owner: Owner::DmaWrite { instance },
                tile,
                ..
            } => {
                let finished = self.with_engine(tile, machine, |dma, port| {
                    dma.on_write_response(instance, port)
                });
                if let Some(instance) = finished.filter(|id| self.waits_for_responses(*id)) {
                    machine.call_driver(seen, CoreEvent::Over { instance });
                }
            }
            Done::Member {
                owner: Owner::Reduction { action },
                tile,
                ..
            } => {
                let id = self
                    .instances
                    .at(action, TileId(tile))
                    .expect("a member of the reduction has an instance");
                let open = self
                    .open_bursts
                    .get_mut(&id)
                    .expect("the member has contributed");
                *open -= 1;
                if *open == 0 {
                    machine.call_driver(seen, CoreEvent::Over { instance: id });
                    self.end_reduction(action, tile, machine);
                }
            }
            Done::Transaction {
                owner: Owner::Barrier { action },
                tile,
                value,
                ..
            } => {
                self.barriers.on_response(action, tile, value, machine);
            }
            Done::Member {
                owner: Owner::Barrier { action },
                tile,
                ..
            } => {
                // The response to a member's store may come behind the root's end.
                let Some(kind) = self.actions.find(action) else {
                    return;
                };
                if let Some(arrival) = kind.arrival() {
                    self.on_arrival(action, tile, arrival, machine);
                } else {
                    self.barriers.on_member(action, tile, machine);
                }
            }
            Done::Delivered {
                owner: Owner::DmaWrite { instance },
                tile,
                ..
            } => self.on_delivered(instance, tile, machine),
            Done::Delivered {
                owner: Owner::Barrier { action },
                tile,
                ..
            } => {
                self.barriers.on_delivered(action, tile, machine);
            }
            Done::Transaction { .. } | Done::Member { .. } | Done::Delivered { .. } => {}
        }
        self.finish_barriers(machine);
    }

    /// Passes an event on to a tile's DMA engine, and carries out what the engine asks for.
    fn with_engine<R>(
        &mut self,
        tile: u32,
        machine: &mut Machine<'_>,
        on_event: impl FnOnce(&mut Dma, &mut DmaPort<'_>) -> R,
    ) -> R {
        let engine = self.engines.entry(tile).or_default();
        let mut commands = std::mem::take(&mut self.commands);
        let result = on_event(engine, &mut machine.dma_port(tile, &mut commands));
        for command in commands.drain(..) {
            machine.issue_of_dma(tile, command);
        }
        self.commands = commands;
        result
    }

    /// Members that have left a barrier.
    fn finish_barriers(&mut self, machine: &mut Machine<'_>) {
        for (cycle, action, tile) in self.barriers.take_left() {
            let id = self
                .instances
                .at(action, TileId(tile))
                .expect("a member of the barrier has an instance");
            machine.call_driver(cycle, CoreEvent::Over { instance: id });
        }
    }

    /// The core sees that an instance is over: dependents may start.
    pub(crate) fn over(&mut self, id: u32, machine: &mut Machine<'_>) {
        let instance = &mut self.instances.all[id];
        instance.data.finish_cycle = machine.clock.now();
        let (tile, action) = (instance.tile.0, instance.action);
        let instructions = &machine.network.axi().cluster.instructions;
        // Whoever waits for a DMA transfer or a flag polls for it.
        let wait = match self.kind_of(action).completion() {
            Completion::Engine => instructions.dma_wait,
            Completion::Flag => instructions.poll,
            Completion::AtOnce => 0,
        };
        let awake = machine.clock.now() + u64::from(wait);
        if let Some(watched) = &mut self.watched {
            watched.is_busy(tile, RankTime::Receive, machine.clock.now(), wait);
            machine.call_driver(awake, CoreEvent::Ended { instance: id });
        }
        self.instances.end(id, |_, _| {
            machine.call_driver(awake, CoreEvent::WakeControl { tile });
            machine.call_driver(awake, CoreEvent::WakeCompute { tile });
        });
        if self.kind_of(action).barrier().is_some() && !self.passes(id) {
            self.free_control(tile, machine);
        }
    }
}
