// SPDX-License-Identifier: Apache-2.0
//! A schedule as its participants see it: instances of its actions, and which agent works on which of them.

use noccl_net::{Network, TileId};
use noccl_workload::{Agent, Instances, Notice, Schedule, participants};

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
    pub(super) notices: Vec<Notice>,
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
            notices: Vec::with_capacity(schedule.actions.len()),
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
            work.notices.push(action.kind.notice());
        }
        work
    }
}
