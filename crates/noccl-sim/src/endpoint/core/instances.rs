// SPDX-License-Identifier: Apache-2.0
//! A schedule as the agents see it: one instance per action and participant, with local dependencies.

use crate::kernel::waiters::Waiters;
use crate::router::published::refuse_operands;
use noccl_net::{Network, TileId, TileRef};
use noccl_run::RunError;
use noccl_workload::{Action, ActionKind, Agent, InNetworkReduction, Need, NetworkFold, Schedule};
use serde::{Deserialize, Serialize};

/// No share.
const NOBODY: u32 = u32::MAX;

/// One participant's share of one action. What the schedule says of it is in no checkpoint.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Instance {
    #[serde(skip)]
    pub action: u32,
    #[serde(skip)]
    pub tile: u32,
    /// Instances that must be over first.
    pub open: u32,
    pub is_done: bool,
    pub start_cycle: u64,
    pub finish_cycle: u64,
}

/// All instances, in action order, and which agent runs them.
#[derive(Debug)]
pub(crate) struct Instances {
    pub all: Vec<Instance>,
    /// Instances of each action are `first[a]..first[a + 1]`, ascending by tile.
    pub first: Vec<u32>,
    /// Instances that wait for another one.
    pub waiters: Waiters,
    /// Share of the action at hand by tile, while it is linked.
    own: Vec<u32>,
}

impl Instance {
    const fn new(action: u32, tile: u32) -> Self {
        Self {
            action,
            tile,
            open: 0,
            is_done: false,
            start_cycle: 0,
            finish_cycle: 0,
        }
    }
}

/// Who runs a share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Runner {
    /// The control core.
    Control,
    /// The compute cores.
    Compute,
    /// Nobody: the tile only notices.
    Nobody,
}

impl Instances {
    /// None yet.
    pub(crate) fn none(network: &Network) -> Self {
        Self {
            all: Vec::new(),
            first: vec![0],
            waiters: Waiters::default(),
            own: vec![NOBODY; network.num_tiles()],
        }
    }

    /// Expands a schedule.
    ///
    /// # Errors
    /// [`RunError::Refused`] for tiles that do not exist. Everything else is the checker's business.
    pub(crate) fn new(network: &Network, schedule: &Schedule) -> Result<Self, RunError> {
        let mut instances = Self::none(network);
        for action in &schedule.actions {
            instances.push(network, action)?;
        }
        // A wrong schedule may wait for a later action: the run then says so.
        for (number, action) in schedule.actions.iter().enumerate() {
            instances.link(network, number as u32, action);
        }
        Ok(instances)
    }

    /// Takes in the next action; [`Instances::link`] says what it waits for.
    ///
    /// # Errors
    /// As [`Instances::new`]; then nothing has changed.
    pub(crate) fn push(&mut self, network: &Network, action: &Action) -> Result<(), RunError> {
        let number = self.first.len() - 1;
        let tiles = participants(network, number, action)?;
        let shares = tiles.iter().map(|tile| Instance::new(number as u32, *tile));
        self.all.extend(shares);
        self.first.push(self.all.len() as u32);
        self.waiters.grow_to(self.all.len());
        Ok(())
    }

    /// What the shares of an action wait for.
    pub(crate) fn link(&mut self, network: &Network, number: u32, action: &Action) {
        let shares = self.of(number).filter(|id| {
            let tile = self.all[*id as usize].tile;
            runner(network, &action.kind, tile) != Runner::Nobody
        });
        for id in shares.collect::<Vec<_>>() {
            self.own[self.all[id as usize].tile as usize] = id;
        }
        for before in &action.after {
            self.link_to(before.0, number);
        }
        for id in self.of(number) {
            self.own[self.all[id as usize].tile as usize] = NOBODY;
        }
    }

    /// Dependencies of an action's shares, by tile in `own`, on one earlier action: the shorter of both lists
    /// is walked.
    fn link_to(&mut self, before: u32, action: u32) {
        if before as usize + 1 >= self.first.len() {
            return;
        }
        let (earlier, shares) = (self.of(before), self.of(action));
        if earlier.len() <= shares.len() {
            for id in earlier {
                self.wait(id, self.own[self.all[id as usize].tile as usize]);
            }
        } else {
            for share in shares {
                let tile = self.all[share as usize].tile;
                if let Some(id) = self.at(before, tile) {
                    self.wait(id, self.own[tile as usize]);
                }
            }
        }
    }

    /// One instance waits for another one that is not over.
    fn wait(&mut self, before: u32, waiting: u32) {
        if waiting != NOBODY && !self.all[before as usize].is_done {
            self.waiters.add(before, waiting);
            self.all[waiting as usize].open += 1;
        }
    }

    /// Instances of an action, ascending by tile.
    pub(crate) fn of(&self, action: u32) -> std::ops::Range<u32> {
        self.first[action as usize]..self.first[action as usize + 1]
    }

    /// The instance of an action at a tile.
    pub(crate) fn at(&self, action: u32, tile: u32) -> Option<u32> {
        // A program may name an action that does not exist.
        let end = *self.first.get(action as usize + 1)?;
        let start = self.first[action as usize];
        let shares = &self.all[start as usize..end as usize];
        let found = shares.binary_search_by_key(&tile, |i| i.tile).ok()?;
        Some(start + found as u32)
    }
}

/// Who runs a tile's share of an action?
pub(crate) fn runner(network: &Network, kind: &ActionKind, tile: u32) -> Runner {
    match kind.agent_at(network, TileId(tile)) {
        Some(Agent::Compute) => Runner::Compute,
        Some(Agent::Control) => Runner::Control,
        None => Runner::Nobody,
    }
}

/// Can the root of an all-reduce fold and share?
fn refuse_sharing(network: &Network, r: &InNetworkReduction) -> Result<(), &'static str> {
    let is_member = matches!(r.root.tile, TileRef::Cluster(at) if r.group.contains(at));
    if !is_member || r.group.len() < 2 {
        return Err("the root of an all-reduce is a member of a group of at least two");
    }
    if network.routers().shares_results {
        return Ok(());
    }
    Err("published interfaces do not pass results on")
}

/// Participants of an action, ascending by tile.
pub(super) fn participants(
    network: &Network,
    index: usize,
    action: &Action,
) -> Result<Vec<u32>, RunError> {
    let what = || format!("actions[{index}]");
    let refused = |reason: &str| RunError::Refused {
        backend: "sim",
        what: what(),
        reason: reason.to_owned(),
    };
    let tiles = noccl_workload::participants(network, &action.kind);
    if tiles.is_empty() {
        return Err(refused("it names a tile that is not on the mesh"));
    }
    if action.kind.needs() == Need::Chains && network.capabilities().chains.is_none() {
        return Err(refused(
            "its clusters have no Torrent endpoint; accepted: a spec with [cluster.torrent], as in the preset torrent_4x5",
        ));
    }
    if action.kind.needs() == Need::Words {
        return Err(refused(
            "its clusters have no cores that send words; accepted: a network of core tiles, as the preset tilepro64_8x8",
        ));
    }
    if action.kind.needs() == Need::ListMulticast {
        return Err(refused(
            "its routers multicast by no list; accepted: a spec with router.flow = \"esp\", as in the preset esp_4x5",
        ));
    }
    if let Some(fold) = action.kind.network_fold().filter(|f| f.is_shared) {
        refuse_sharing(network, fold.reduction).map_err(&refused)?;
    }
    if let Some(NetworkFold { reduction: r, .. }) = action.kind.network_fold() {
        let root = network.find(r.root.tile);
        let root = root.ok_or_else(|| refused("its root is not on the mesh"))?;
        let (group, root) = (network.cube(r.group), network.coord(root));
        refuse_operands(network, what(), group, root)?;
    }
    Ok(tiles.iter().map(|t| t.0).collect())
}
