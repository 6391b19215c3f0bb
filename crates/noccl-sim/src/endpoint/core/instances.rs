// SPDX-License-Identifier: Apache-2.0
//! A schedule as the agents see it: one instance per action and participant, with local dependencies.

use crate::router::published::refuse_operands;
use noccl_net::{Network, TileId, TileRef};
use noccl_run::RunError;
use noccl_workload::{Action, ActionKind, Agent, InNetworkReduction, Need, NetworkFold, Schedule};

/// When an instance begins and ends. What the schedule says of it is in no checkpoint.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Times {
    pub start_cycle: u64,
    pub finish_cycle: u64,
}

/// All instances of a run on clusters.
pub(crate) type Instances = noccl_workload::Instances<Times>;

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

/// Expands a schedule.
///
/// # Errors
/// [`RunError::Refused`] for tiles that do not exist. Everything else is the checker's business.
pub(crate) fn instances_of(network: &Network, schedule: &Schedule) -> Result<Instances, RunError> {
    let mut instances = Instances::new(network.num_tiles());
    for action in &schedule.actions {
        push(&mut instances, network, action)?;
    }
    // A wrong schedule may wait for a later action: the run then says so.
    for (number, action) in schedule.actions.iter().enumerate() {
        link(&mut instances, network, number as u32, action);
    }
    Ok(instances)
}

/// Takes in the next action; [`link`] says what it waits for.
///
/// # Errors
/// As [`instances_of`]; then nothing has changed.
pub(crate) fn push(
    instances: &mut Instances,
    network: &Network,
    action: &Action,
) -> Result<(), RunError> {
    let tiles = participants(network, instances.num_actions() as usize, action)?;
    instances.push(&tiles, Times::default);
    Ok(())
}

/// What the instances of an action wait for.
pub(crate) fn link(instances: &mut Instances, network: &Network, number: u32, action: &Action) {
    instances.link(number, action, |tile| {
        runner(network, &action.kind, tile) != Runner::Nobody
    });
}

/// Who runs a tile's share of an action?
pub(crate) fn runner(network: &Network, kind: &ActionKind, tile: TileId) -> Runner {
    match kind.agent_at(network, tile) {
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
) -> Result<Vec<TileId>, RunError> {
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
    Ok(tiles)
}
