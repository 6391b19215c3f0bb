// SPDX-License-Identifier: Apache-2.0
//! The participants of a collective, resolved on a network.

use crate::CollError;
use noccl_net::{Coord, MultiAddress, Network, TileId, TileRef, cover};
use noccl_workload::Collective;
use std::collections::BTreeSet;

/// Participants, their cover, and where data enters or leaves the group.
#[derive(Debug)]
pub(crate) struct Group {
    /// Members, ascending (x outer, y inner).
    pub(crate) members: Vec<Coord>,
    /// The same as a set.
    pub(crate) set: BTreeSet<Coord>,
    /// Disjoint multi-addresses that together are the group.
    pub(crate) pieces: Vec<MultiAddress>,
    /// Root of the collective.
    pub(crate) root: TileRef,
    /// The root if it is a member, else the member nearest to it (lowest coordinate among equals).
    pub(crate) entry: Coord,
}

impl Group {
    pub(crate) fn new(network: &Network, collective: &Collective) -> Result<Self, CollError> {
        let members = network.members(&collective.group)?;
        let root = network.find(collective.root).ok_or_else(|| {
            CollError::Impossible(format!(
                "root {}: no such tile; this network has {}x{} clusters and {} memory tiles",
                collective.root,
                network.cluster_width(),
                network.cluster_height(),
                network.memories().count()
            ))
        })?;
        let set: BTreeSet<Coord> = members.iter().copied().collect();
        let entry = nearest(network, &members, root);
        // Cores reach no multi-address.
        let pieces = if network.routers().carries_words() {
            Vec::new()
        } else {
            cover(network, &collective.group)?
        };
        Ok(Self {
            pieces,
            entry,
            members,
            set,
            root: collective.root,
        })
    }

    /// Does the root take part itself?
    pub(crate) fn is_root_member(&self) -> bool {
        self.root == TileRef::Cluster(self.entry)
    }

    /// Columns and rows if the group is all of columns × rows.
    pub(crate) fn columns_and_rows(&self) -> Option<(Vec<u16>, Vec<u16>)> {
        let columns: BTreeSet<u16> = self.members.iter().map(|c| c.x).collect();
        let rows: BTreeSet<u16> = self.members.iter().map(|c| c.y).collect();
        (columns.len() * rows.len() == self.members.len())
            .then(|| (columns.into_iter().collect(), rows.into_iter().collect()))
    }
}

/// The cluster nearest to a tile, the lowest coordinate among equals; `clusters` is not empty.
fn nearest(network: &Network, clusters: &[Coord], tile: TileId) -> Coord {
    let at = network.coord(tile);
    clusters
        .iter()
        .copied()
        .min_by_key(|c| (network.mesh_coord(*c).hops_to(at), *c))
        .unwrap_or(Coord::new(0, 0))
}
