// SPDX-License-Identifier: Apache-2.0
//! What others ask about actions and instances: results, diagnosis.

use super::{Agent, Agents};
use crate::driver::actions::KindRef;
use crate::endpoint::core::instances::{Runner, runner};
use noccl_net::counts::max_or_zero;
use noccl_run::ActionTime;

impl<'s> Agents<'s> {
    /// Start and end of every action: first and last over its participants.
    pub(crate) fn times(&self) -> Vec<ActionTime> {
        let times = |action| {
            self.instances
                .of(action)
                .map(|id| self.instances.all[id].data)
        };
        (0..self.instances.num_actions())
            .map(|action| ActionTime {
                // 0: an action without participants takes no time.
                start_cycle: times(action).map(|t| t.start_cycle).min().unwrap_or(0),
                finish_cycle: max_or_zero(times(action).map(|t| t.finish_cycle)),
            })
            .collect()
    }

    fn agent_of(&self, instance: u32) -> Option<&Agent> {
        let tile = self.instances.all[instance].tile;
        match runner(self.network, &self.kind(instance), tile) {
            Runner::Compute => self.compute.get(&tile.0),
            Runner::Control => self.control.get(&tile.0),
            Runner::Nobody => None,
        }
    }

    pub(crate) fn kind(&self, instance: u32) -> KindRef<'s> {
        self.kind_of(self.instances.all[instance].action)
    }

    pub(super) fn kind_of(&self, action: u32) -> KindRef<'s> {
        self.actions.kind(action)
    }

    /// Is it still in its agent's queue?
    pub(crate) fn is_queued(&self, instance: u32) -> bool {
        let agent = self.agent_of(instance);
        agent.is_some_and(|a| a.queue.contains(&instance))
    }

    /// For diagnosis: `None` if the instance is in progress; itself if it is next and waits for its
    /// dependencies only; else the instance that its agent does first.
    pub(crate) fn stands_behind(&self, instance: u32) -> Option<u32> {
        let agent = self.agent_of(instance)?;
        let at = agent.queue.iter().position(|i| *i == instance)?;
        if at > 0 {
            return agent.queue.front().copied();
        }
        Some(agent.last.filter(|_| agent.is_busy).unwrap_or(instance))
    }

    /// For diagnosis: does the DMA engine do other transfers first?
    pub(crate) fn waits_for_transfers(&self, instance: u32) -> bool {
        let tile = self.instances.all[instance].tile.0;
        self.engines.get(&tile).is_some_and(|e| e.holds(instance))
    }

    /// For diagnosis: do the bursts of other reductions have to be over first?
    pub(crate) fn waits_for_reductions(&self, instance: u32) -> bool {
        let agent = self.agent_of(instance);
        agent.is_some_and(|a| a.waiting.iter().any(|id| *id == instance))
    }

    /// For diagnosis: since when an instance's agent has had nothing else to do before it.
    pub(crate) fn ready_since(&self, instance: u32) -> u64 {
        let last = self.agent_of(instance).and_then(|a| a.last);
        let last = last.and_then(|id| self.instances.all.get(id));
        // 0: an agent that has done nothing has been free from the first cycle.
        last.map_or(0, |i| i.data.start_cycle.max(i.data.finish_cycle))
    }
}
