// SPDX-License-Identifier: Apache-2.0
//! The participants of a collective, resolved on a network.

use crate::CollError;
use noccl_net::{Coord, MultiAddress, Network, TileId, TileRef, cover};
use noccl_workload::check::fit_together;
use noccl_workload::{Collective, InNetworkReduction, Place};
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
    /// Per cluster that gathers (the root, the entry): pieces (indices) that may be reduced at the same time.
    steps: Vec<(Coord, Vec<Vec<usize>>)>,
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
        let mut gatherers = vec![entry];
        match collective.root {
            TileRef::Cluster(root) if root != entry => gatherers.push(root),
            TileRef::Cluster(_) | TileRef::Memory(_) => {}
        }
        let steps = gatherers
            .into_iter()
            .map(|at| (at, steps(network, collective, &pieces, at)))
            .collect();
        Ok(Self {
            pieces,
            steps,
            entry,
            members,
            set,
            root: collective.root,
        })
    }

    /// Pieces (indices) that may be reduced into a cluster at the same time, step after step.
    pub(crate) fn steps(&self, gatherer: Coord) -> Vec<Vec<usize>> {
        let known = self.steps.iter().find(|(at, _)| *at == gatherer);
        match known {
            Some((_, steps)) => steps.clone(),
            None => (0..self.pieces.len()).map(|piece| vec![piece]).collect(),
        }
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

/// Cuts the pieces, in their order, into steps for whose operands the routers' stores have space.
fn steps(
    network: &Network,
    collective: &Collective,
    pieces: &[MultiAddress],
    gatherer: Coord,
) -> Vec<Vec<usize>> {
    let mut steps: Vec<Vec<usize>> = vec![Vec::new()];
    let mut open: Vec<InNetworkReduction> = Vec::new();
    for (idx, piece) in pieces.iter().enumerate() {
        if piece.len() > 1 {
            let place = |offset| Place {
                tile: TileRef::Cluster(gatherer),
                offset,
            };
            open.push(InNetworkReduction {
                group: *piece,
                source_offset: collective.input_offset,
                root: place(collective.output_offset),
                bytes: collective.bytes,
                operator: collective.operator,
                element: collective.element,
            });
            if open.len() > 1 && !fit_together(network, &open) {
                open.drain(..open.len() - 1);
                steps.push(Vec::new());
            }
        }
        if let Some(step) = steps.last_mut() {
            step.push(idx);
        }
    }
    steps
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
