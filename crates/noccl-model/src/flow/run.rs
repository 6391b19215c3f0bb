// SPDX-License-Identifier: Apache-2.0
//! The run of an estimate: agents begin shares, shares end, those that waited begin.

use super::clusters::{AgentState, Engine};
use super::cost::Costs;
use super::event::{FlowEvent, FlowEvents};
use super::links::{FlowLinks, Moved};
use super::movement::FlowMovement;
use super::shares::{FlowWork, Times, agent};
use super::sync::Entered;
use crate::ModelError;
use crate::predict::absent;
use noccl_net::{Network, TileId};
use noccl_workload::{ActionKind, Agent, Instances, Notice, Schedule};
use std::collections::HashMap;

/// Everything that an estimate knows of a run.
pub(super) struct Run<'a> {
    pub(super) costs: Costs<'a>,
    schedule: &'a Schedule,
    pub(super) shares: Instances<Times>,
    queues: Vec<Vec<u32>>,
    pub(super) notices: Vec<Notice>,
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
    pub(super) fn new(network: &'a Network, schedule: &'a Schedule) -> Result<Self, ModelError> {
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
            notices,
        } = FlowWork::new(network, schedule);
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
            notices,
            events,
            links: FlowLinks::new(network),
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
            let awake = now + self.costs.wait(self.notice(share));
            for of in [Agent::Control, Agent::Compute] {
                self.events.at(awake, FlowEvent::Wake(agent(tile, of)));
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
