// SPDX-License-Identifier: Apache-2.0
//! A schedule as the agents see it: one instance per action and participant, with local dependencies.

use noccl_net::{Network, TileRef};
use noccl_run::RunError;
use noccl_workload::{Action, ActionKind, Schedule};
use std::collections::HashMap;

/// One participant's share of one action.
#[derive(Debug, Clone)]
pub(crate) struct Instance {
    pub action: u32,
    pub tile: u32,
    /// Instances that must be over first.
    pub open: u32,
    /// Instances that wait for this one.
    pub next: Vec<u32>,
    pub start_cycle: u64,
    pub finish_cycle: u64,
    pub is_done: bool,
}

/// All instances, in action order, and which agent runs them.
#[derive(Debug)]
pub(crate) struct Instances {
    pub all: Vec<Instance>,
    /// Instances of each action are `first[a]..first[a + 1]`, members in rank order.
    pub first: Vec<u32>,
}

impl Instance {
    const fn new(action: u32, tile: u32) -> Self {
        Self {
            action,
            tile,
            open: 0,
            next: Vec::new(),
            start_cycle: 0,
            finish_cycle: 0,
            is_done: false,
        }
    }
}

impl Instances {
    /// Expands a schedule.
    ///
    /// # Errors
    /// [`RunError::Refused`] for tiles that do not exist. Everything else is the checker's business.
    pub(crate) fn new(network: &Network, schedule: &Schedule) -> Result<Self, RunError> {
        let mut all: Vec<Instance> = Vec::new();
        let mut first = vec![0];
        let mut of: HashMap<(u32, u32), u32> = HashMap::new();
        for (a, action) in schedule.actions.iter().enumerate() {
            for tile in participants(network, a, action)? {
                of.insert((a as u32, tile), all.len() as u32);
                all.push(Instance::new(a as u32, tile));
            }
            first.push(all.len() as u32);
        }
        // A second pass, since a wrong program may wait for a later action: the run then says so.
        for id in 0..all.len() {
            let (action, tile) = (all[id].action, all[id].tile);
            for before in &schedule.actions[action as usize].after {
                if let Some(earlier) = of.get(&(before.0, tile)) {
                    all[*earlier as usize].next.push(id as u32);
                    all[id].open += 1;
                }
            }
        }
        Ok(Self { all, first })
    }

    /// Instances of an action, members in rank order.
    pub(crate) fn of(&self, action: u32) -> std::ops::Range<u32> {
        self.first[action as usize]..self.first[action as usize + 1]
    }

    /// The instance of an action at a tile.
    pub(crate) fn at(&self, action: u32, tile: u32) -> Option<u32> {
        let range = self.first[action as usize]..self.first[action as usize + 1];
        range.clone().find(|i| self.all[*i as usize].tile == tile)
    }
}

fn participants(network: &Network, index: usize, action: &Action) -> Result<Vec<u32>, RunError> {
    let refused = |reason: String| RunError::Refused {
        backend: "sim",
        what: format!("actions[{index}]"),
        reason,
    };
    let one = |tile: &TileRef| match network.find(*tile) {
        Some(t) => Ok(vec![t.0]),
        None => Err(refused(format!("{tile} is not on the mesh"))),
    };
    match &action.kind {
        ActionKind::Transfer(t) => one(&t.initiator),
        ActionKind::LocalReduce(l) => one(&l.tile),
        ActionKind::Compute(c) => one(&c.tile),
        ActionKind::InNetworkReduction(r) => {
            let root = network
                .find(r.root.tile)
                .ok_or_else(|| refused(format!("{} is not on the mesh", r.root.tile)))?;
            let what = format!("actions[{index}]");
            crate::peer::refuse_three_operands(
                network,
                what,
                network.cube(r.group),
                network.coord(root),
            )?;
            let absent = || refused("the group names a cluster that does not exist".to_owned());
            network
                .multi_tiles(r.group)
                .map(|t| t.map(|t| t.0).ok_or_else(absent))
                .collect()
        }
        ActionKind::Barrier(b) => {
            let members = network
                .members(&b.group)
                .map_err(|e| refused(e.to_string()))?;
            Ok(members
                .iter()
                .map(|c| network.tile_at(network.mesh_coord(*c)).0)
                .collect())
        }
    }
}
