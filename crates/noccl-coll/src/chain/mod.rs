// SPDX-License-Identifier: Apache-2.0
//! Chains of Torrent endpoints: the multicast over them, and the order in which they visit their destinations (S3 §III).

pub mod order;

use crate::candidates::Offer;
use crate::entry::{Entry, OnClusters, Parameters};
use crate::steps::at;
use crate::steps::{Builder, transfer};
use crate::task::Task;
use crate::{Algorithm, Choice, CollError};
use noccl_net::{Coord, MultiAddress, TileId, TileRef};
use noccl_workload::{
    AccessPattern, Action, ActionKind, CHAIN_BEAT_BYTES, Chain, ChainDestination, CollectiveKind,
    Destination, MAX_FIELD,
};
use order::{ChainOrder, chain_order};

// Multicast over chains of Torrent endpoints (S3 §III-A).
//
// An action per chain, one unless more are asked for: the root's endpoint tells every destination who its neighbours are,
// and the payload passes from one to the next while each keeps a copy. The destinations need be no multi-address, and the
// routers do nothing for it.
//
// By blocks, a chain visits one member of every multi-address of the group, and the network's multicast does the
// rest: the root tells each of these members by a beat of the payload that it has all of it, then each multicasts
// to its own block.

/// Numbers of chains that a comparison tries besides one.
const CHAINS: [u32; 3] = [2, 4, 8];

pub(crate) const ENTRY: Entry = Entry {
    parameters: Parameters {
        has_chains: true,
        ..Parameters::NONE
    },
    on_clusters: Some(OnClusters {
        candidates,
        ..OnClusters::new(|kind| kind == CollectiveKind::Multicast, by_endpoints)
    }),
    ..Entry::named("chainwrite")
};

fn candidates(offer: &Offer<'_>) -> Vec<Choice> {
    let orders = [ChainOrder::Latency, ChainOrder::Greedy, ChainOrder::Id];
    let single = orders.map(Choice::chainwrite).into_iter();
    // Chains that wait for each other in the initiator's queue gain nothing.
    let endpoint = offer.network.capabilities().chains;
    let is_open = endpoint.is_some_and(|e| e.open_tasks > 1);
    let several = CHAINS.into_iter().filter(|_| is_open);
    let several = several.map(|chains| Choice::chainwrites(ChainOrder::Latency, chains));
    let blocks = Choice::chainwrite_blocks(ChainOrder::Latency, 1);
    single.chain(several).chain([blocks]).collect()
}

impl Choice {
    /// A multicast over a chain of Torrent endpoints in this order.
    #[must_use]
    pub const fn chainwrite(order: ChainOrder) -> Self {
        Self::chainwrites(order, 1)
    }

    /// A multicast over several chains of one initiator, which share the members.
    #[must_use]
    pub const fn chainwrites(order: ChainOrder, chains: u32) -> Self {
        let mut choice = Self::new(Algorithm::Chainwrite, 1);
        choice.order = order;
        choice.chains = chains;
        choice
    }

    /// A multicast over a chain that visits one member of every block, which multicasts to the others.
    #[must_use]
    pub const fn chainwrite_blocks(order: ChainOrder, chains: u32) -> Self {
        let mut choice = Self::chainwrites(order, chains);
        choice.by_blocks = true;
        choice
    }
}

/// The multicast as one or more chains.
fn by_endpoints(task: &Task<'_>) -> Result<Vec<Action>, CollError> {
    let root = initiator(task)?;
    if task.choice.by_blocks {
        return by_blocks(task, root);
    }
    let collective = task.collective;
    let members = task.group.members.iter().copied();
    let followers: Vec<Coord> = members.filter(|at| *at != root).collect();
    let mut chains = parts(task, root, &followers)?;
    let is_in_place = collective.input_offset == collective.output_offset;
    if task.group.set.contains(&root) && !is_in_place {
        match chains.first_mut() {
            Some(first) => first.push(root),
            None => chains.push(vec![root]),
        }
    }
    let mut builder = Builder::default();
    for destinations in &chains {
        builder.add(chain(task, destinations), &[root]);
    }
    Ok(builder.finish())
}

/// Chains over a member of each block, a beat to each of these, multicasts.
fn by_blocks(task: &Task<'_>, root: Coord) -> Result<Vec<Action>, CollError> {
    let collective = task.collective;
    let (output, bytes) = (collective.output_offset, collective.bytes);
    let blocks = &task.group.cover;
    if blocks.iter().all(|block| block.len() == 1) {
        return Err(task.unsupported(
            "accepted: a group with blocks, multi-addresses of more than one cluster; found single clusters",
        ));
    }
    // Multicasts within rectangles that have nothing in common share no link, so packets cannot wait for each other.
    let is_published = !task.network.routers().shares_results;
    if is_published && !blocks.iter().all(|block| is_rectangle(*block)) {
        return Err(task.unsupported(
            "accepted: blocks without gaps, since published routers deadlock where multicasts overlap; found strided \
             ones",
        ));
    }
    let is_own = |block: &&MultiAddress| block.contains(root);
    let heads: Vec<(Coord, MultiAddress)> = blocks
        .iter()
        .filter(|block| !is_own(block))
        .map(|block| (nearest(root, *block), *block))
        .collect();
    let destinations: Vec<Coord> = heads.iter().map(|(head, _)| *head).collect();
    let mut builder = Builder::default();
    for part in parts(task, root, &destinations)? {
        builder.add(chain(task, &part), &[root]);
    }
    let source = at(root, collective.input_offset);
    let to_block = |set| Destination::Multicast {
        set,
        offset: output,
    };
    let local = blocks
        .iter()
        .find(is_own)
        .map(|block| ActionKind::Transfer(transfer(root, source, to_block(*block), bytes)));
    // Bytes that are written onto themselves must not be read meanwhile.
    let (early, late) = match local {
        Some(local) if source.offset == output => (None, Some(local)),
        local => (local, None),
    };
    if let Some(local) = early {
        builder.add(local, &[root]);
    }
    builder.end_step();
    for (head, _) in heads.iter().filter(|(_, block)| block.len() > 1) {
        let destination = Destination::One(at(*head, output));
        let beat = transfer(root, source, destination, CHAIN_BEAT_BYTES);
        builder.add(ActionKind::Delivery(beat), &[root, *head]);
    }
    builder.end_step();
    if let Some(local) = late {
        builder.add(local, &[root]);
    }
    for (head, block) in heads.iter().filter(|(_, block)| block.len() > 1) {
        let whole = transfer(*head, at(*head, output), to_block(*block), bytes);
        builder.add(ActionKind::Transfer(whole), &[*head]);
    }
    builder.end_step();
    Ok(builder.finish())
}

/// The root, if it can begin chains of this payload.
fn initiator(task: &Task<'_>) -> Result<Coord, CollError> {
    if task.network.capabilities().chains.is_none() {
        return Err(task.unsupported(
            "clusters have no Torrent endpoint; accepted: a spec with [cluster.torrent], as in the preset \
             torrent_4x5",
        ));
    }
    let bytes = task.collective.bytes;
    if !bytes.is_multiple_of(CHAIN_BEAT_BYTES) || bytes / CHAIN_BEAT_BYTES > MAX_FIELD {
        return Err(task.unsupported(&format!(
            "accepted: a multiple of {CHAIN_BEAT_BYTES} bytes, at most {MAX_FIELD} times as much; found {bytes}"
        )));
    }
    match task.collective.root {
        TileRef::Cluster(root) => Ok(root),
        TileRef::Memory(_) => Err(task.unsupported(&format!(
            "accepted: a cluster as root, memory tiles have no endpoint; found {}",
            task.collective.root
        ))),
    }
}

/// The destinations of each chain: equal parts of the order of all, each in an order of its own.
fn parts(
    task: &Task<'_>,
    root: Coord,
    destinations: &[Coord],
) -> Result<Vec<Vec<Coord>>, CollError> {
    let num_chains = task.choice.chains.max(1) as usize;
    if num_chains > destinations.len().max(1) {
        return Err(task.unsupported(&format!(
            "accepted: at most a chain per destination, of which there are {}; found {num_chains}",
            destinations.len()
        )));
    }
    let endpoint = task.network.capabilities().chains;
    // 0: where endpoints have no chains, every chain is too long.
    let most = endpoint.map_or(0, |e| e.max_followers as usize);
    let longest = destinations.len().div_ceil(num_chains);
    if longest > most {
        return Err(task.unsupported(&format!(
            "accepted: at most {most} destinations of a chain, cluster.torrent.max_destinations; found {longest}"
        )));
    }
    let all = in_order(task, root, destinations)?;
    match (all.len(), num_chains) {
        (0, _) => Ok(Vec::new()),
        (_, 1) => Ok(vec![all]),
        (num_destinations, _) => {
            let cut = |at: usize| at * num_destinations / num_chains;
            let part = |at: usize| in_order(task, root, &all[cut(at)..cut(at + 1)]);
            (0..num_chains).map(part).collect()
        }
    }
}

fn chain(task: &Task<'_>, destinations: &[Coord]) -> ActionKind {
    let collective = task.collective;
    let bytes = collective.bytes;
    let output = AccessPattern::linear(collective.output_offset, bytes);
    let destination = |at: &Coord| ChainDestination {
        tile: TileRef::Cluster(*at),
        pattern: output.clone(),
    };
    ActionKind::Chain(Chain {
        initiator: collective.root,
        source: AccessPattern::linear(collective.input_offset, bytes),
        destinations: destinations.iter().map(destination).collect(),
        bytes,
    })
}

/// Destinations in the choice's order.
fn in_order(task: &Task<'_>, root: Coord, destinations: &[Coord]) -> Result<Vec<Coord>, CollError> {
    let network = task.network;
    let tile = |at: &Coord| network.tile_at(network.mesh_coord(*at));
    let tiles: Vec<TileId> = destinations.iter().map(tile).collect();
    let order = chain_order(&network, tile(&root), &tiles, task.choice.order)?;
    let cluster = |tile: TileId| network.cluster_coord(network.coord(tile));
    Ok(order.into_iter().filter_map(cluster).collect())
}

/// Is every cluster between two members one too?
fn is_rectangle(block: MultiAddress) -> bool {
    let is_whole = |mask: u16| (mask + 1).is_power_of_two();
    is_whole(block.mask.x) && is_whole(block.mask.y)
}

/// The member of a block that is nearest to the root, the lowest of equals.
fn nearest(root: Coord, block: MultiAddress) -> Coord {
    let near = block.members().min_by_key(|at| (root.hops_to(*at), *at));
    near.unwrap_or(block.base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_of_a_chain_reads_back_from_its_name() {
        for order in ChainOrder::ALL {
            for chains in [1, 2, 7] {
                for choice in [
                    Choice::chainwrites(order, chains),
                    Choice::chainwrite_blocks(order, chains),
                ] {
                    assert_eq!(choice.to_string().parse::<Choice>().as_ref(), Ok(&choice));
                }
            }
        }
    }
}
