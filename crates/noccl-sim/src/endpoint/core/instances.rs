// SPDX-License-Identifier: Apache-2.0
//! A schedule as the agents see it: one instance per action and participant, with local dependencies.

use crate::router::published::refuse_operands;
use noccl_net::{Network, TileId, TileRef};
use noccl_run::RunError;
use noccl_workload::{Action, ActionKind, Agent, InNetworkReduction, Need, NetworkFold, Schedule};
use serde::{Deserialize, Serialize};

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
    /// Instances that wait for another one, grouped by it.
    next: Vec<u32>,
    /// Where each group starts; one more entry than instances.
    next_starts: Vec<u32>,
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
    /// Expands a schedule.
    ///
    /// # Errors
    /// [`RunError::Refused`] for tiles that do not exist. Everything else is the checker's business.
    pub(crate) fn new(network: &Network, schedule: &Schedule) -> Result<Self, RunError> {
        let mut instances = Self {
            all: Vec::new(),
            first: vec![0],
            next: Vec::new(),
            next_starts: Vec::new(),
        };
        for (a, action) in schedule.actions.iter().enumerate() {
            let tiles = participants(network, a, action)?;
            let shares = tiles.iter().map(|tile| Instance::new(a as u32, *tile));
            instances.all.extend(shares);
            instances.first.push(instances.all.len() as u32);
        }
        instances.link(network, schedule);
        Ok(instances)
    }

    /// Dependencies. A wrong program may wait for a later action: the run then says so.
    fn link(&mut self, network: &Network, schedule: &Schedule) {
        let mut edges: Vec<(u32, u32)> = Vec::new();
        // Share of the action at hand by tile.
        let mut own = vec![u32::MAX; network.num_tiles()];
        for (a, action) in schedule.actions.iter().enumerate() {
            let shares = self.of(a as u32).filter(|id| {
                let tile = self.all[*id as usize].tile;
                runner(network, &action.kind, tile) != Runner::Nobody
            });
            for id in shares.clone() {
                own[self.all[id as usize].tile as usize] = id;
            }
            let known = edges.len();
            for before in &action.after {
                self.link_to(before.0, a as u32, &own, &mut edges);
            }
            for (_, id) in &edges[known..] {
                self.all[*id as usize].open += 1;
            }
            for id in self.of(a as u32) {
                own[self.all[id as usize].tile as usize] = u32::MAX;
            }
        }
        self.next_starts = vec![0; self.all.len() + 1];
        for (earlier, _) in &edges {
            self.next_starts[*earlier as usize + 1] += 1;
        }
        for id in 0..self.all.len() {
            self.next_starts[id + 1] += self.next_starts[id];
        }
        let mut at = self.next_starts.clone();
        self.next = vec![0; edges.len()];
        for (earlier, id) in edges {
            self.next[at[earlier as usize] as usize] = id;
            at[earlier as usize] += 1;
        }
    }

    /// Dependencies of an action's shares, by tile in `own`, on one earlier action: the shorter of both lists
    /// is walked.
    fn link_to(&self, before: u32, action: u32, own: &[u32], edges: &mut Vec<(u32, u32)>) {
        if before as usize + 1 >= self.first.len() {
            return;
        }
        let tile = |id: u32| self.all[id as usize].tile;
        if self.of(before).len() <= self.of(action).len() {
            let pairs = self.of(before).map(|id| (id, own[tile(id) as usize]));
            edges.extend(pairs.filter(|(_, id)| *id != u32::MAX));
        } else {
            let shares = self.of(action).map(|id| own[tile(id) as usize]);
            let waiting = shares.filter(|id| *id != u32::MAX);
            edges.extend(waiting.filter_map(|id| Some((self.at(before, tile(id))?, id))));
        }
    }

    /// Where the instances that wait for this one stand; see [`Instances::next`].
    pub(crate) fn waiting(&self, id: u32) -> std::ops::Range<u32> {
        self.next_starts[id as usize]..self.next_starts[id as usize + 1]
    }

    pub(crate) fn next(&self, position: u32) -> u32 {
        self.next[position as usize]
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
fn participants(network: &Network, index: usize, action: &Action) -> Result<Vec<u32>, RunError> {
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
