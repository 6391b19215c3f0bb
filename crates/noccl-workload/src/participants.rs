// SPDX-License-Identifier: Apache-2.0
//! Who takes part in an action, and which sets are one transaction.
//!
//! Only a participant can wait for an action. A transfer is its initiator's alone: source and
//! destination tiles do not notice it, unless it is a delivery: then destination clusters take part. The root of a reduction and the counter of a barrier are
//! participants only if they are members of the group.

use crate::{ActionKind, Destination, Schedule, TileSetError, Transfer};
use noccl_net::{Coord, MultiAddress, Network, TileId, TileRef, TileSet};

/// Is the base of a set 0 where its mask is 1? Whoever reads a multi-address asks: members, routes and responses are
/// counted from the base, so a masked bit in it would give other members than the mask says.
///
/// # Errors
/// [`TileSetError`] saying what would be accepted.
pub fn check_base(set: MultiAddress) -> Result<(), TileSetError> {
    let base = MultiAddress::new(set.base, set.mask).base;
    if set.base == base {
        return Ok(());
    }
    Err(TileSetError {
        found: format!("base {} with mask {}", set.base, set.mask),
        accepted: format!("a base that is 0 where the mask is 1, here {base}"),
    })
}

/// Can the network address the set in one transaction here: every member mapped, no fixed bit under the mask?
///
/// # Errors
/// [`TileSetError`] saying what would be accepted.
pub fn check_multi_address(network: &Network, set: MultiAddress) -> Result<(), TileSetError> {
    check_base(set)?;
    // The largest member exists exactly if all do.
    let max = set.max();
    if max.x >= network.cluster_width() || max.y >= network.cluster_height() {
        return Err(outside(network, format!("a set that reaches {max}")));
    }
    Ok(())
}

/// The multi-address with exactly these members (sorted, without duplicates), if there is one.
#[must_use]
pub fn as_multi_address(members: &[Coord]) -> Option<MultiAddress> {
    let first = *members.first()?;
    let mask = members.iter().fold(Coord::new(0, 0), |mask, c| {
        Coord::new(mask.x | (c.x ^ first.x), mask.y | (c.y ^ first.y))
    });
    let set = MultiAddress::new(first, mask);
    let free_bits = mask.x.count_ones() + mask.y.count_ones();
    (1u64.checked_shl(free_bits) == Some(members.len() as u64)).then_some(set)
}

/// Participants of an action, ascending by tile. Absent tiles, which the checker reports, are left out.
#[must_use]
pub fn participants(network: &Network, kind: &ActionKind) -> Vec<TileId> {
    let mut tiles: Vec<TileId> = match kind {
        ActionKind::Transfer(t) => network.find(t.initiator).into_iter().collect(),
        ActionKind::LocalReduce(r) => network.find(r.tile).into_iter().collect(),
        ActionKind::Compute(c) => network.find(c.tile).into_iter().collect(),
        ActionKind::InNetworkReduction(r) | ActionKind::InNetworkAllReduce(r) => {
            of_multi_address(network, r.group)
        }
        ActionKind::Chain(chain) => network.find(chain.initiator).into_iter().collect(),
        ActionKind::ListMulticast(list) => list
            .consumers()
            .chain([list.source])
            .filter_map(|tile| network.find(tile))
            .collect(),
        ActionKind::Arrival(a) => of_multi_address(network, a.group),
        ActionKind::Barrier(b) => of_set(network, &b.group),
        ActionKind::Kernel(kernel) => of_set(network, &kernel.group),
        ActionKind::Delivery(t) => {
            let initiator = network.find(t.initiator);
            initiator
                .into_iter()
                .chain(destinations(network, t))
                .collect()
        }
    };
    tiles.sort_unstable();
    tiles.dedup();
    tiles
}

/// Clusters that a delivery tells of its end.
fn destinations(network: &Network, t: &Transfer) -> Vec<TileId> {
    match t.destination {
        Destination::One(place) => match place.tile {
            TileRef::Cluster(_) => network.find(place.tile).into_iter().collect(),
            TileRef::Memory(_) => Vec::new(),
        },
        Destination::Multicast { set, .. } => of_multi_address(network, set),
    }
}

fn of_multi_address(network: &Network, set: MultiAddress) -> Vec<TileId> {
    match check_multi_address(network, set) {
        Ok(()) => tiles_of(network, set.members()),
        Err(_) => Vec::new(),
    }
}

fn of_set(network: &Network, set: &TileSet) -> Vec<TileId> {
    match network.members(set) {
        Ok(members) => tiles_of(network, members.into_iter()),
        Err(_) => Vec::new(),
    }
}

impl Schedule {
    /// How messages name an action: its place in the file and its kind.
    pub(crate) fn action_name(&self, action: usize) -> String {
        let kind = self.actions.get(action).map_or("absent", |a| a.kind.name());
        format!("actions[{action}] ({kind})")
    }
}

impl ActionKind {
    /// Name in files.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            ActionKind::Transfer(_) => "transfer",
            ActionKind::InNetworkReduction(_) => "in_network_reduction",
            ActionKind::InNetworkAllReduce(_) => "in_network_all_reduce",
            ActionKind::LocalReduce(_) => "local_reduce",
            ActionKind::Compute(_) => "compute",
            ActionKind::Barrier(_) => "barrier",
            ActionKind::Delivery(_) => "delivery",
            ActionKind::Arrival(_) => "arrival",
            ActionKind::Kernel(_) => "kernel",
            ActionKind::Chain(_) => "chain",
            ActionKind::ListMulticast(_) => "list_multicast",
        }
    }
}

fn tiles_of(network: &Network, members: impl Iterator<Item = Coord>) -> Vec<TileId> {
    members
        .map(|c| network.tile_at(network.mesh_coord(c)))
        .collect()
}

fn outside(network: &Network, found: String) -> TileSetError {
    TileSetError {
        found,
        accepted: format!(
            "members among the {} x {} clusters, (0,0) is south-west",
            network.cluster_width(),
            network.cluster_height()
        ),
    }
}
