// SPDX-License-Identifier: Apache-2.0
//! Driver that runs a schedule: per cluster a control core, a DMA engine and the compute cores.
//!
//! The control core starts DMA transfers and takes part in barriers, the compute cores run
//! `local_reduce`, `compute` and kernels; each works on its actions in schedule order and spends the documented
//! instructions, one per cycle (`docs/papers/S1.md`, "Instructions"). Start of a transfer: the DMA engine
//! takes the command. End of an action: the core can see its completion.

use crate::barrier::Barriers;
use crate::dma::{Dma, Movement, Side};
use crate::instances::{Instances, Runner, runner};
use crate::issue::Arithmetic;
use crate::kernels::{compute_locally, copy_locally, reduce_locally};
use crate::machine::{Done, Machine};
use crate::ni::Source;
use crate::txn::Owner;
use noccl_net::Network;
use noccl_run::{ActionTime, RunError};
use noccl_workload::{ActionKind, Schedule, Transfer};
use std::collections::{HashMap, VecDeque};

/// Driver events; `detail` is an instance.
pub(crate) mod event {
    /// An agent begins its next action, if it can.
    pub(crate) const WAKE_CONTROL: u32 = 0;
    pub(crate) const WAKE_COMPUTE: u32 = 1;
    /// The control core has executed the instructions of an action.
    pub(crate) const ISSUED: u32 = 2;
    /// The first request of a DMA movement leaves the engine.
    pub(crate) const DMA_START: u32 = 3;
    /// The core can see that an instance is over.
    pub(crate) const OVER: u32 = 4;
    /// The compute cores have finished, unless the network borrowed their FPUs.
    pub(crate) const COMPUTED: u32 = 5;
    /// The store of an arrival reaches the NI.
    pub(crate) const ARRIVE: u32 = 6;
}

/// Events from here on are the barriers'.
pub(crate) const BARRIER_EVENTS: u32 = 16;

/// One in-order agent.
#[derive(Debug, Default)]
struct Agent {
    queue: VecDeque<u32>,
    is_busy: bool,
    /// Instance taken from the queue last.
    last: Option<u32>,
}

impl Agent {
    /// Takes the next instance of the queue if the agent is free and nothing holds the instance back.
    fn begin_next(&mut self, instances: &Instances) -> Option<u32> {
        let id = *self.queue.front()?;
        if self.is_busy || instances.all[id as usize].open > 0 {
            return None;
        }
        self.is_busy = true;
        self.last = self.queue.pop_front();
        self.last
    }
}

pub(crate) struct Agents<'s> {
    pub(crate) network: &'s Network,
    schedule: &'s Schedule,
    pub instances: Instances,
    control: HashMap<u32, Agent>,
    compute: HashMap<u32, Agent>,
    engines: HashMap<u32, Dma>,
    barriers: Barriers,
    /// Transactions of running reductions and arrivals by action, and responses each member still waits
    /// for (deliveries: bursts that each destination still waits for).
    pub(crate) reductions: HashMap<u32, Vec<u32>>,
    pub(crate) open_bursts: HashMap<u32, u32>,
    pub num_done: usize,
}

impl<'s> Agents<'s> {
    pub(crate) fn new(schedule: &'s Schedule, machine: &mut Machine<'s>) -> Result<Self, RunError> {
        let instances = Instances::new(machine.network, schedule)?;
        let mut agents = Self {
            network: machine.network,
            schedule,
            barriers: Barriers::new(machine.network, schedule)?,
            instances,
            control: HashMap::new(),
            compute: HashMap::new(),
            engines: HashMap::new(),
            reductions: HashMap::new(),
            open_bursts: HashMap::new(),
            num_done: 0,
        };
        for id in 0..agents.instances.all.len() as u32 {
            let instance = &agents.instances.all[id as usize];
            let tile = instance.tile;
            let kind = &agents.schedule.actions[instance.action as usize].kind;
            let (side, what) = match runner(machine.network, kind, tile) {
                Runner::Control => (&mut agents.control, event::WAKE_CONTROL),
                Runner::Compute => (&mut agents.compute, event::WAKE_COMPUTE),
                Runner::Nobody => continue,
            };
            let agent = side.entry(tile).or_default();
            if agent.queue.is_empty() {
                machine.call_driver(0, what, tile);
            }
            agent.queue.push_back(id);
        }
        Ok(agents)
    }

    pub(crate) fn is_over(&self) -> bool {
        self.num_done == self.instances.all.len()
    }

    /// A driver event is due.
    pub(crate) fn on_event(&mut self, what: u32, detail: u32, machine: &mut Machine<'_>) {
        match what {
            event::WAKE_CONTROL => self.wake_control(detail, machine),
            event::WAKE_COMPUTE => self.wake_compute(detail, machine),
            event::ISSUED => self.issued(detail, machine),
            event::DMA_START => self.dma_start(detail, machine),
            event::OVER => self.over(detail, machine),
            event::COMPUTED => self.computed(detail, machine),
            event::ARRIVE => {
                if let ActionKind::Arrival(arrival) = self.kind(detail) {
                    self.arrive(detail, arrival, machine);
                }
            }
            _ => self
                .barriers
                .on_event(what - BARRIER_EVENTS, detail, machine),
        }
        self.finish_barriers(machine);
    }

    /// A completion from the machine.
    pub(crate) fn on_done(&mut self, done: Done, machine: &mut Machine<'_>) {
        let spec = &machine.network.spec().cluster;
        let seen = machine.cycle + u64::from(spec.response_path_cycles + spec.dma.complete_cycles);
        match done {
            Done::ReadBeat { tile, bytes } => {
                if let Some(engine) = self.engines.get_mut(&tile)
                    && let Some(instance) = engine.on_read_beat(tile, bytes, machine)
                {
                    let complete = u64::from(machine.network.spec().cluster.dma.complete_cycles);
                    machine.call_driver(machine.cycle + complete, event::OVER, instance);
                }
            }
            Done::Drained { tile } => {
                if let Some(engine) = self.engines.get_mut(&tile) {
                    engine.read_ahead(tile, machine);
                }
            }
            Done::Transaction {
                owner: Owner::DmaWrite { instance },
                tile,
                ..
            } => {
                let engine = self.engines.entry(tile).or_default();
                let finished = engine.on_write_response(tile, instance, machine);
                if let Some(instance) = finished.filter(|id| self.waits_for_responses(*id)) {
                    machine.call_driver(seen, event::OVER, instance);
                }
            }
            Done::Member {
                owner: Owner::Reduction { action },
                tile,
                ..
            } => {
                let id = self
                    .instances
                    .at(action, tile)
                    .expect("a member of the reduction has an instance");
                let open = self
                    .open_bursts
                    .get_mut(&id)
                    .expect("the member has contributed");
                *open -= 1;
                if *open == 0 {
                    machine.call_driver(seen, event::OVER, id);
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
                if let ActionKind::Arrival(arrival) = self.kind_of(action) {
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

    /// Members that have left a barrier.
    fn finish_barriers(&mut self, machine: &mut Machine<'_>) {
        for (cycle, action, tile) in self.barriers.take_left() {
            let id = self
                .instances
                .at(action, tile)
                .expect("a member of the barrier has an instance");
            machine.call_driver(cycle, event::OVER, id);
        }
    }

    fn wake_control(&mut self, tile: u32, machine: &mut Machine<'_>) {
        let agent = self.control.get_mut(&tile);
        let Some(id) = agent.and_then(|a| a.begin_next(&self.instances)) else {
            return;
        };
        let instance = &mut self.instances.all[id as usize];
        let instructions = &machine.network.spec().cluster.instructions;
        let count = match self.schedule.actions[instance.action as usize].kind {
            ActionKind::Barrier(_) | ActionKind::Arrival(_) => instructions.barrier_store,
            ActionKind::Transfer(ref t) | ActionKind::Delivery(ref t) if t.rows > 1 => {
                instructions.dma_start_2d
            }
            ActionKind::Transfer(_)
            | ActionKind::Delivery(_)
            | ActionKind::InNetworkReduction(_)
            | ActionKind::LocalReduce(_)
            | ActionKind::Kernel(_)
            | ActionKind::Compute(_) => instructions.dma_start,
        };
        instance.start_cycle = machine.cycle;
        machine.call_driver(machine.cycle + u64::from(count), event::ISSUED, id);
    }

    /// The instructions are executed: the DMA engine has its command, or the barrier's store leaves.
    fn issued(&mut self, id: u32, machine: &mut Machine<'_>) {
        let (action, tile) = (
            self.instances.all[id as usize].action,
            self.instances.all[id as usize].tile,
        );
        let cluster = &machine.network.spec().cluster;
        match self.kind_of(action) {
            ActionKind::Barrier(_) => {
                self.barriers.enter(action, tile, machine);
                return;
            }
            ActionKind::Arrival(arrival) => {
                self.send_arrival(id, arrival, machine);
                return;
            }
            ActionKind::Transfer(_)
            | ActionKind::Delivery(_)
            | ActionKind::InNetworkReduction(_)
            | ActionKind::LocalReduce(_)
            | ActionKind::Kernel(_)
            | ActionKind::Compute(_) => {}
        }
        self.instances.all[id as usize].start_cycle = machine.cycle;
        let leaves = u64::from(cluster.dma.start_cycles + cluster.request_path_cycles);
        machine.call_driver(machine.cycle + leaves, event::DMA_START, id);
        self.free_control(tile, machine);
    }

    pub(crate) fn free_control(&mut self, tile: u32, machine: &mut Machine<'_>) {
        if let Some(agent) = self.control.get_mut(&tile) {
            agent.is_busy = false;
        }
        self.wake_control(tile, machine);
    }

    fn dma_start(&mut self, id: u32, machine: &mut Machine<'_>) {
        let (action, tile) = (
            self.instances.all[id as usize].action,
            self.instances.all[id as usize].tile,
        );
        match &self.schedule.actions[action as usize].kind {
            ActionKind::Transfer(transfer) => self.start_transfer(id, tile, transfer, machine),
            ActionKind::Delivery(transfer) => {
                self.expect_delivery(id, transfer, machine);
                self.start_transfer(id, tile, transfer, machine);
            }
            ActionKind::InNetworkReduction(_) => self.contribute(id, action, tile, machine),
            ActionKind::LocalReduce(_)
            | ActionKind::Compute(_)
            | ActionKind::Kernel(_)
            | ActionKind::Arrival(_)
            | ActionKind::Barrier(_) => {}
        }
    }

    fn start_transfer(
        &mut self,
        id: u32,
        tile: u32,
        transfer: &Transfer,
        machine: &mut Machine<'_>,
    ) {
        if transfer.bytes == 0 || transfer.rows == 0 {
            self.over(id, machine);
            return;
        }
        let movement = Movement::of(id, tile, transfer, machine.network);
        if let (Side::Own, Side::Own) = (movement.source, movement.destination) {
            let beats = copy_locally(tile, &movement, machine);
            machine.call_driver(machine.cycle + beats, event::OVER, id);
            return;
        }
        self.engines
            .entry(tile)
            .or_default()
            .take(tile, movement, machine);
    }

    fn contribute(&mut self, id: u32, action: u32, tile: u32, machine: &mut Machine<'_>) {
        let ActionKind::InNetworkReduction(r) = &self.schedule.actions[action as usize].kind else {
            return;
        };
        if r.bytes == 0 {
            self.over(id, machine);
            return;
        }
        let root = machine.network.find(r.root.tile).map_or(0, |t| t.0);
        let group = machine.network.cube(r.group);
        let arithmetic = Arithmetic {
            operator: r.operator,
            element: r.element,
        };
        let bursts: Vec<_> =
            crate::burst::Bursts::new(r.root.offset, r.bytes, machine.network.spec()).collect();
        let owner = Owner::Reduction { action };
        let txns = self.reductions.entry(action).or_insert_with(|| {
            let open = |b: &crate::burst::Burst| {
                machine.open_reduction(
                    group,
                    root,
                    r.root.offset + b.offset,
                    b.bytes,
                    arithmetic,
                    owner,
                )
            };
            bursts.iter().map(open).collect()
        });
        for (txn, burst) in txns.iter().zip(&bursts) {
            machine.contribute(tile, *txn, Source::Memory(r.source_offset + burst.offset));
        }
        self.open_bursts.insert(id, bursts.len() as u32);
    }

    fn wake_compute(&mut self, tile: u32, machine: &mut Machine<'_>) {
        let agent = self.compute.get_mut(&tile);
        let Some(id) = agent.and_then(|a| a.begin_next(&self.instances)) else {
            return;
        };
        let instance = &mut self.instances.all[id as usize];
        instance.start_cycle = machine.cycle;
        let cluster = &machine.network.spec().cluster;
        let start = u64::from(cluster.instructions.compute_start);
        let work = match &self.schedule.actions[instance.action as usize].kind {
            ActionKind::LocalReduce(l) => {
                let beats = l.bytes.div_ceil(64) * (l.inputs.len() as u64 - 1).max(1);
                start + (beats * u64::from(cluster.compute_millicycles_per_beat)).div_ceil(1000)
            }
            ActionKind::Compute(c) => start + c.cycles,
            ActionKind::Kernel(k) => k.cycles,
            ActionKind::Transfer(_)
            | ActionKind::Delivery(_)
            | ActionKind::Arrival(_)
            | ActionKind::InNetworkReduction(_)
            | ActionKind::Barrier(_) => 0,
        };
        let end = machine.cycle + work;
        machine.fpu_busy_until[tile as usize] = end;
        machine.call_driver(end, event::COMPUTED, id);
    }

    fn computed(&mut self, id: u32, machine: &mut Machine<'_>) {
        let (action, tile) = (
            self.instances.all[id as usize].action,
            self.instances.all[id as usize].tile,
        );
        let end = machine.fpu_busy_until[tile as usize];
        if end > machine.cycle {
            machine.call_driver(end, event::COMPUTED, id);
            return;
        }
        match self.kind_of(action) {
            ActionKind::LocalReduce(reduce) => reduce_locally(tile, reduce, machine),
            ActionKind::Kernel(kernel) => compute_locally(tile, kernel, machine),
            ActionKind::Compute(_)
            | ActionKind::Transfer(_)
            | ActionKind::Delivery(_)
            | ActionKind::Arrival(_)
            | ActionKind::InNetworkReduction(_)
            | ActionKind::Barrier(_) => {}
        }
        if let Some(agent) = self.compute.get_mut(&tile) {
            agent.is_busy = false;
        }
        self.over(id, machine);
        self.wake_compute(tile, machine);
    }

    /// The core sees that an instance is over: dependents may start.
    pub(crate) fn over(&mut self, id: u32, machine: &mut Machine<'_>) {
        let instance = &mut self.instances.all[id as usize];
        instance.finish_cycle = machine.cycle;
        instance.is_done = true;
        self.num_done += 1;
        let (tile, action) = (instance.tile, instance.action);
        let instructions = &machine.network.spec().cluster.instructions;
        // Whoever waits for a DMA transfer or a flag polls for it.
        let wait = match self.kind_of(action) {
            ActionKind::Transfer(_) | ActionKind::InNetworkReduction(_) => instructions.dma_wait,
            ActionKind::Delivery(_) | ActionKind::Arrival(_) => instructions.poll,
            ActionKind::LocalReduce(_)
            | ActionKind::Compute(_)
            | ActionKind::Kernel(_)
            | ActionKind::Barrier(_) => 0,
        };
        let awake = machine.cycle + u64::from(wait);
        for position in self.instances.waiting(id) {
            let next = self.instances.next(position);
            self.instances.all[next as usize].open -= 1;
            machine.call_driver(awake, event::WAKE_CONTROL, tile);
            machine.call_driver(awake, event::WAKE_COMPUTE, tile);
        }
        if let ActionKind::Barrier(_) = self.schedule.actions[action as usize].kind {
            self.free_control(tile, machine);
        }
    }

    /// Start and end of every action: first and last over its participants.
    pub(crate) fn times(&self) -> Vec<ActionTime> {
        let range = |a: usize| {
            &self.instances.all
                [self.instances.first[a] as usize..self.instances.first[a + 1] as usize]
        };
        (0..self.schedule.actions.len())
            .map(|a| ActionTime {
                start_cycle: range(a).iter().map(|i| i.start_cycle).min().unwrap_or(0),
                finish_cycle: range(a).iter().map(|i| i.finish_cycle).max().unwrap_or(0),
            })
            .collect()
    }

    fn agent_of(&self, instance: u32) -> Option<&Agent> {
        let tile = self.instances.all[instance as usize].tile;
        match runner(self.network, self.kind(instance), tile) {
            Runner::Compute => self.compute.get(&tile),
            Runner::Control => self.control.get(&tile),
            Runner::Nobody => None,
        }
    }

    pub(crate) fn kind(&self, instance: u32) -> &'s ActionKind {
        self.kind_of(self.instances.all[instance as usize].action)
    }

    fn kind_of(&self, action: u32) -> &'s ActionKind {
        &self.schedule.actions[action as usize].kind
    }

    /// Is it still in its agent's queue?
    pub(crate) fn is_queued(&self, instance: u32) -> bool {
        let agent = self.agent_of(instance);
        agent.is_some_and(|a| a.queue.contains(&instance))
    }

    /// For diagnosis: `None` if the instance is under way; itself if it is next and waits for its
    /// dependencies only; else the instance that its agent does first.
    pub(crate) fn stands_behind(&self, instance: u32) -> Option<u32> {
        let agent = self.agent_of(instance)?;
        let at = agent.queue.iter().position(|i| *i == instance)?;
        if at > 0 {
            return agent.queue.front().copied();
        }
        Some(agent.last.filter(|_| agent.is_busy).unwrap_or(instance))
    }

    /// For diagnosis: since when an instance's agent has had nothing else to do before it.
    pub(crate) fn ready_since(&self, instance: u32) -> u64 {
        let last = self.agent_of(instance).and_then(|a| a.last);
        let last = last.map(|id| &self.instances.all[id as usize]);
        last.map_or(0, |i| i.start_cycle.max(i.finish_cycle))
    }
}
