// SPDX-License-Identifier: Apache-2.0
//! The run of an estimate: agents begin shares, shares end, those that waited begin.

use super::links::{FlowLinks, Moved};
use super::movement::FlowMovement;
use super::sync::{Entered, FlowEvent, FlowEvents};
use crate::ModelError;
use crate::predict::absent;
use noccl_net::{AxiNetwork, Network, TileId};
use noccl_spec::{AxiTiles, Cluster, Plane};
use noccl_workload::{
    ActionKind, Agent, Completion, Instances, LocalReduce, Schedule, Transfer, participants,
};
use std::collections::{HashMap, VecDeque};

/// Everything that an estimate knows of a run.
pub(super) struct Run<'a> {
    pub(super) costs: Costs<'a>,
    schedule: &'a Schedule,
    pub(super) shares: Instances<Times>,
    queues: Vec<Vec<u32>>,
    pub(super) completions: Vec<Completion>,
    pub(super) events: FlowEvents,
    pub(super) links: FlowLinks,
    /// What each flow is for.
    pub(super) movements: Vec<FlowMovement>,
    pub(super) moved: Vec<Moved>,
    pub(super) engines: Vec<Engine>,
    agents: Vec<AgentState>,
    /// Per action: members that have come to a barrier or told a root.
    pub(super) entered: HashMap<u32, Entered>,
}

impl<'a> Run<'a> {
    pub(super) fn new(network: AxiNetwork<'a>, schedule: &'a Schedule) -> Result<Self, ModelError> {
        for (number, action) in schedule.actions.iter().enumerate() {
            if !is_known(&action.kind) {
                return Err(ModelError::Schedule {
                    action: number,
                    reason: format!(
                        "the estimate of shared links knows no {}; accepted: transfers, deliveries, additions, \
                         computation, barriers and arrivals",
                        action.kind.words()
                    ),
                });
            }
        }
        let FlowWork {
            shares,
            queues,
            completions,
        } = FlowWork::new(&network, schedule);
        let mut events = FlowEvents::default();
        for (number, queue) in queues.iter().enumerate() {
            if !queue.is_empty() {
                events.at(0.0, FlowEvent::Wake(number as u32));
            }
        }
        Ok(Self {
            costs: Costs::new(network),
            schedule,
            shares,
            queues,
            completions,
            events,
            links: FlowLinks::new(&network),
            movements: Vec::new(),
            moved: Vec::new(),
            engines: vec![Engine::default(); network.num_tiles()],
            agents: vec![AgentState::default(); network.num_tiles() * 2],
            entered: HashMap::new(),
        })
    }

    /// Start of the first and end of the last participant of every action.
    pub(super) fn times(mut self) -> Result<Vec<(f64, f64)>, ModelError> {
        while let Some((now, event)) = self.events.next() {
            match event {
                FlowEvent::Wake(agent) => self.wake(agent, now),
                FlowEvent::Issued(share) => self.issued(share, now)?,
                FlowEvent::Commanded(share) => self.commanded(share, now)?,
                FlowEvent::Computed(share) => self.computed(share, now),
                FlowEvent::Over(share) => self.over(share, now),
                FlowEvent::EngineFree(tile) => self.engine_free(TileId(tile), now)?,
                FlowEvent::Read(flow) => self.read(flow, now)?,
                FlowEvent::Asked(flow) => self.leave(flow, now),
                FlowEvent::Sent(flow, change) => self.sent(flow, change, now),
            }
        }
        let mut all = self.shares.all.iter();
        if let Some((_, stuck)) = all.find(|(_, share)| !share.is_over) {
            let accepted = "actions whose participants can all begin";
            return Err(absent(stuck.action as usize, "an end", accepted));
        }
        let all = |number: usize| {
            self.shares
                .of(number as u32)
                .map(|id| self.shares.all[id].data)
        };
        let times = (0..self.schedule.actions.len()).map(|number| {
            let begin = all(number).map(|times| times.begin);
            let end = all(number).map(|times| times.end);
            (begin.fold(f64::INFINITY, f64::min), end.fold(0.0, f64::max))
        });
        Ok(times.collect())
    }

    pub(super) fn kind(&self, share: u32) -> &'a ActionKind {
        &self.schedule.actions[self.shares.all[share].action as usize].kind
    }

    /// An agent begins the next share of its queue, if it is free and the share waits for nothing.
    fn wake(&mut self, number: u32, now: f64) {
        let state = self.agents[number as usize];
        let queue = &self.queues[number as usize];
        let Some(share) = queue.get(state.begun).copied() else {
            return;
        };
        if state.is_busy || !self.shares.is_ready(share) {
            return;
        }
        let next = &mut self.agents[number as usize];
        next.begun += 1;
        next.is_busy = true;
        self.shares.all[share].data.begin = now;
        let kind = self.kind(share);
        if number == agent(self.shares.all[share].tile, Agent::Control) {
            let end = now + self.costs.instructions(kind);
            self.events.at(end, FlowEvent::Issued(share));
            return;
        }
        let end = now + self.work(kind);
        self.events.at(end, FlowEvent::Computed(share));
    }

    /// Cycles of the compute cores.
    fn work(&self, kind: &ActionKind) -> f64 {
        match kind {
            ActionKind::LocalReduce(reduce) => self.costs.additions(reduce),
            ActionKind::Compute(compute) => self.costs.compute_start() + compute.cycles as f64,
            ActionKind::Kernel(kernel) => kernel.cycles as f64,
            ActionKind::Transfer(_)
            | ActionKind::Delivery(_)
            | ActionKind::Arrival(_)
            | ActionKind::InNetworkReduction(_)
            | ActionKind::InNetworkAllReduce(_)
            | ActionKind::Chain(_)
            | ActionKind::ListMulticast(_)
            | ActionKind::Message(_)
            | ActionKind::StaticMulticast(_)
            | ActionKind::Barrier(_) => 0.0,
        }
    }

    /// The control core has executed the instructions of a share.
    fn issued(&mut self, share: u32, now: f64) -> Result<(), ModelError> {
        let (action, tile) = {
            let share = &self.shares.all[share];
            (share.action, share.tile)
        };
        let kind = self.kind(share);
        if let Some(barrier) = kind.barrier() {
            // Who waits in a barrier does nothing else.
            return self.enter_barrier(share, barrier, now);
        }
        if let Some(arrival) = kind.arrival() {
            self.arrive(share, arrival, now)?;
        } else {
            for other in self.shares.of(action) {
                self.shares.all[other].data.begin = now;
            }
            let command = now + self.costs.command();
            self.events.at(command, FlowEvent::Commanded(share));
        }
        self.free(tile, Agent::Control, now);
        Ok(())
    }

    fn free(&mut self, tile: TileId, of: Agent, now: f64) {
        let number = agent(tile, of);
        self.agents[number as usize].is_busy = false;
        self.wake(number, now);
    }

    fn computed(&mut self, share: u32, now: f64) {
        let tile = self.shares.all[share].tile;
        self.agents[agent(tile, Agent::Compute) as usize].is_busy = false;
        self.over(share, now);
        self.wake(agent(tile, Agent::Compute), now);
    }

    /// A share is over: those of its tile that wait for it may begin once its cores have noticed.
    pub(super) fn over(&mut self, share: u32, now: f64) {
        let state = &mut self.shares.all[share];
        state.data.end = now;
        let tile = state.tile;
        let mut has_waiters = false;
        self.shares.end(share, |_, _| has_waiters = true);
        if has_waiters {
            let awake = now + self.costs.wait(self.completion(share));
            for of in [Agent::Control, Agent::Compute] {
                let number = agent(tile, of);
                let is_left = |queue: &Vec<u32>| self.agents[number as usize].begun < queue.len();
                if self.queues.get(number as usize).is_some_and(is_left) {
                    self.events.at(awake, FlowEvent::Wake(number));
                }
            }
        }
        if self.kind(share).barrier().is_some() {
            self.free(tile, Agent::Control, now);
        }
    }
}

/// Does the estimate know actions of this kind?
const fn is_known(kind: &ActionKind) -> bool {
    match kind {
        ActionKind::Transfer(_)
        | ActionKind::Delivery(_)
        | ActionKind::LocalReduce(_)
        | ActionKind::Compute(_)
        | ActionKind::Kernel(_)
        | ActionKind::Arrival(_)
        | ActionKind::Barrier(_) => true,
        ActionKind::InNetworkReduction(_)
        | ActionKind::InNetworkAllReduce(_)
        | ActionKind::Chain(_)
        | ActionKind::ListMulticast(_)
        | ActionKind::Message(_)
        | ActionKind::StaticMulticast(_) => false,
    }
}

// What every cluster has in work: its agents, its DMA engine, the beats that wait at its interface.

/// An agent: works on its queue, one share after the other.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct AgentState {
    /// Shares of its queue that it has begun.
    pub(super) begun: usize,
    pub(super) is_busy: bool,
}

/// A DMA engine and an interface.
#[derive(Debug, Clone, Default)]
pub(super) struct Engine {
    /// Shares that wait until the engine works on fewer transfers than its limit.
    pub(super) waiting: VecDeque<u32>,
    pub(super) num_active: u32,
    /// Flows of reads that the engine has not asked for.
    pub(super) reads: VecDeque<u32>,
    /// Flits that it has asked for and that are not in its buffer, and from which tile.
    pub(super) in_flight: f64,
    pub(super) reads_from: u32,
    /// Flows of writes and of read data that leave this tile one after the other; the first of each is on its path.
    pub(super) outgoing: [VecDeque<u32>; 2],
}

// A schedule as its participants see it: instances of its actions, and which agent works on which of them.

/// When an instance begins and ends.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Times {
    pub(super) begin: f64,
    pub(super) end: f64,
}

/// What agents work on.
#[derive(Debug)]
pub(super) struct FlowWork {
    pub(super) shares: Instances<Times>,
    /// Instances that each agent works on, in order; agents as [`agent`] numbers them.
    pub(super) queues: Vec<Vec<u32>>,
    /// Per action.
    pub(super) completions: Vec<Completion>,
}

/// Number of an agent: two per tile.
pub(super) const fn agent(tile: TileId, agent: Agent) -> u32 {
    tile.0 * 2 + matches!(agent, Agent::Compute) as u32
}

impl FlowWork {
    pub(super) fn new(network: &Network, schedule: &Schedule) -> Self {
        let mut work = Self {
            shares: Instances::new(network.num_tiles()),
            queues: vec![Vec::new(); network.num_tiles() * 2],
            completions: Vec::with_capacity(schedule.actions.len()),
        };
        for action in &schedule.actions {
            let tiles = participants(network, &action.kind);
            let number = work.shares.push(&tiles, Times::default);
            for id in work.shares.of(number) {
                let tile = work.shares.all[id].tile;
                if let Some(runs) = action.kind.agent_at(network, tile) {
                    work.queues[agent(tile, runs) as usize].push(id);
                }
            }
            // The checker refuses an action that waits for a later one; a tile that only sees an end waits for nothing.
            let does_work = |tile| action.kind.agent_at(network, tile).is_some();
            work.shares.link(number, action, does_work);
            work.completions.push(action.kind.completion());
        }
        work
    }
}

// What things cost, from the spec alone: cycles of instructions, engines, paths and beats.

/// Registers of a path besides its hops: into the first router and out of the last.
const ENDS_CYCLES: f64 = 2.0;
/// The same of an ideal crossbar, whatever the distance.
const CROSSBAR_CYCLES: f64 = 1.0;

/// Costs of one network.
#[derive(Debug, Clone, Copy)]
pub(super) struct Costs<'a> {
    pub(super) network: AxiNetwork<'a>,
    pub(super) axi: &'a AxiTiles,
    hops: [f64; 3],
    has_links: bool,
}

impl<'a> Costs<'a> {
    pub(super) fn new(network: AxiNetwork<'a>) -> Self {
        let hop = |plane| f64::from(network.plane(plane).hop_cycles);
        Self {
            network,
            axi: network.axi(),
            hops: Plane::ALL.map(hop),
            has_links: network.routers().has_links,
        }
    }

    /// From an interface to another one, for a flit that nobody holds up.
    pub(super) fn path(&self, plane: Plane, from: TileId, to: TileId) -> f64 {
        if !self.has_links {
            return CROSSBAR_CYCLES;
        }
        let paths = f64::from(self.network.paths_between(from, to));
        ENDS_CYCLES + self.hops[plane.idx()] * paths
    }

    /// Instructions of a control core for its share.
    pub(super) fn instructions(&self, kind: &ActionKind) -> f64 {
        let instructions = &self.axi.cluster.instructions;
        f64::from(if kind.barrier().is_some() || kind.arrival().is_some() {
            instructions.barrier_store
        } else if kind.transfer().is_some_and(|t| t.rows > 1) {
            instructions.dma_start_2d
        } else {
            instructions.dma_start
        })
    }

    /// From the engine's command to its first beat at the interface.
    pub(super) fn command(&self) -> f64 {
        let cluster = &self.axi.cluster;
        f64::from(cluster.dma.start_cycles + cluster.request_path_cycles)
    }

    /// From a response at the interface until the core can see it.
    pub(super) fn response(&self) -> f64 {
        let cluster = &self.axi.cluster;
        f64::from(cluster.response_path_cycles + cluster.dma.complete_cycles)
    }

    /// From the end of an action until those who wait for it go on.
    pub(super) fn wait(&self, completion: Completion) -> f64 {
        let instructions = &self.axi.cluster.instructions;
        f64::from(match completion {
            Completion::Engine => instructions.dma_wait,
            Completion::Flag => instructions.poll,
            Completion::AtOnce => 0,
        })
    }

    /// Flits of a transfer on the wide plane.
    pub(super) fn flits(&self, transfer: &Transfer) -> f64 {
        let beat = self.network.beat_bytes().max(1);
        let (offset, stride) = (transfer.destination.offset(), transfer.destination_stride);
        let address_flits = u64::from(self.network.routers().address_flits);
        let longest = u64::from(self.axi.ni.max_burst_beats).max(1);
        let line = |row: u64| {
            // Lines that do not begin at a beat touch one more.
            let start = (offset % beat).wrapping_add(row.wrapping_mul(stride % beat)) % beat;
            let beats = (start + transfer.bytes).div_ceil(beat);
            (beats + beats.div_ceil(longest) * address_flits) as f64
        };
        let rows = u64::from(transfer.rows);
        if stride % beat == 0 || rows <= 1 {
            return line(0) * rows as f64;
        }
        // Places of lines within a beat repeat themselves.
        let (rounds, rest) = (rows / beat, rows % beat);
        let sum = |rows: u64| (0..rows).map(line).sum::<f64>();
        sum(beat.min(rows)) * rounds as f64 + sum(rest)
    }

    /// Beats per cycle of a read over that path at most: an engine asks no further ahead than its buffer.
    pub(super) fn read_rate(&self, initiator: TileId, source: TileId) -> f64 {
        let fitting = self.axi.ni.beats(self.axi.ni.burst_boundary_bytes.into());
        let burst = fitting.min(self.axi.ni.max_burst_beats.into());
        let window = u64::from(self.axi.cluster.dma.buffer_beats) / burst.max(1) * burst;
        if window == 0 {
            return 1.0;
        }
        let round_trip = self.path(Plane::Req, initiator, source)
            + self.path(Plane::Wide, source, initiator)
            + 1.0;
        (window as f64 / (round_trip + burst as f64)).min(1.0)
    }

    /// Cycles of the compute cores for an addition.
    pub(super) fn additions(&self, reduce: &LocalReduce) -> f64 {
        let cluster = &self.axi.cluster;
        let operands = (reduce.inputs.len() as u64).saturating_sub(1).max(1);
        let beats = reduce.bytes.div_ceil(Cluster::COMPUTE_BEAT_BYTES) as f64 * operands as f64;
        let work = (beats * f64::from(cluster.compute_millicycles_per_beat) / 1000.0).ceil();
        self.compute_start() + work
    }

    pub(super) fn compute_start(&self) -> f64 {
        f64::from(self.axi.cluster.instructions.compute_start)
    }
}
