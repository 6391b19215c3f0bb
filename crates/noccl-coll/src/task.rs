// SPDX-License-Identifier: Apache-2.0
//! From a collective and a choice to a schedule's actions.

use crate::barrier::sync::SyncPlan;
use crate::entry::Whole;
use crate::layout::{Chunks, Layout, cut_bytes};
use crate::{Choice, CollError};
use noccl_net::{AxiNetwork, Coord, MultiAddress, Network, TileId, TileRef};
use noccl_workload::{BarrierMechanism, Collective, Place};
use std::collections::BTreeSet;
use std::ops::Deref;

/// One collective by one choice, resolved and not yet written down.
#[derive(Debug)]
pub(crate) struct Task<'a, N = AxiNetwork<'a>> {
    pub(crate) network: N,
    pub(crate) collective: &'a Collective,
    pub(crate) group: &'a Group,
    pub(crate) choice: Choice,
}

/// The same on core tiles.
pub(crate) type CoreTask<'a> = Task<'a, &'a Network>;

impl<N: Deref<Target = Network>> Task<'_, N> {
    /// Members by rank.
    pub(crate) fn members(&self) -> &[Coord] {
        &self.group.members
    }

    /// Is there one member alone?
    pub(crate) fn is_alone(&self) -> bool {
        self.members().len() == 1
    }

    /// Rank of the root, or of the member nearest to it; 0 where the collective has none.
    pub(crate) fn root(&self) -> usize {
        match self.collective.kind.has_root() {
            true => rank_of(self.members(), &self.group.entry),
            false => 0,
        }
    }

    /// Where the root has the input.
    pub(crate) fn input(&self) -> Place {
        Place {
            tile: self.collective.root,
            offset: self.collective.input_offset,
        }
    }

    /// Where the root gets the output.
    pub(crate) fn output(&self) -> Place {
        Place {
            tile: self.collective.root,
            offset: self.collective.output_offset,
        }
    }

    /// Offset of a rank's block in every input.
    pub(crate) const fn input_block(&self, rank: usize) -> u64 {
        self.collective.input_offset + rank as u64 * self.collective.bytes
    }

    /// Offset of a rank's block in every output.
    pub(crate) const fn output_block(&self, rank: usize) -> u64 {
        self.collective.output_offset + rank as u64 * self.collective.bytes
    }

    /// Chunks that the payload is really cut into.
    pub(crate) fn chunks(&self) -> Chunks {
        Chunks::new(self.collective.bytes, self.beat_bytes(), self.choice.chunks)
    }

    /// Bytes at whose multiples payloads are cut and buffers begin.
    pub(crate) fn beat_bytes(&self) -> u64 {
        cut_bytes(&self.network)
    }

    /// Scratch above inputs and outputs.
    pub(crate) fn layout(&self) -> Result<Layout, CollError> {
        Layout::new(&self.network, self.group, self.collective, self.choice)
    }

    /// Does the scratch fit?
    pub(crate) fn check_layout(&self, layout: &Layout) -> Result<(), CollError> {
        layout.check(&self.network, self.group, self.choice)
    }

    /// The barrier between steps.
    pub(crate) fn sync(&self) -> SyncPlan {
        let group = self.group;
        SyncPlan::new(
            &group.members,
            &group.cover,
            self.mechanism(self.choice.barrier),
            group.entry,
        )
    }

    /// Routers that join at FIFO heads cannot merge two barriers at once, and a group of several multi-addresses
    /// would be synchronised by barriers that overtake each other: there a counter does it.
    pub(crate) fn mechanism(&self, wanted: BarrierMechanism) -> BarrierMechanism {
        if self.group.cover.len() > 1 && !self.network.routers().joins_several {
            BarrierMechanism::Software
        } else {
            wanted
        }
    }

    /// The collective as trees and the network know it.
    pub(crate) fn whole(&self) -> Result<Whole, CollError> {
        Whole::of(self.collective.kind).ok_or_else(|| self.unsupported(Whole::ACCEPTED))
    }

    /// Columns and rows of a group that is all of columns × rows: ranks ascend by column, then by row.
    ///
    /// # Errors
    /// [`CollError::Unsupported`] if the group is no such product.
    pub(crate) fn columns_and_rows(
        &self,
        algorithm: &str,
    ) -> Result<(Vec<u16>, Vec<u16>), CollError> {
        let product = self.group.columns_and_rows();
        product.ok_or_else(|| CollError::Unsupported {
            algorithm: algorithm.to_owned(),
            collective: self.collective.kind.to_string(),
            reason: "the group must be a rectangle, row, column or mask cube; accepted for \
                     other sets: algorithms without rows and columns"
                .to_owned(),
        })
    }

    pub(crate) fn unsupported(&self, reason: &str) -> CollError {
        CollError::Unsupported {
            algorithm: self.choice.to_string(),
            collective: self.collective.kind.to_string(),
            reason: reason.to_owned(),
        }
    }
}

// The participants of a collective, resolved on a network.

/// Participants, their cover, and where data enters or leaves the group.
#[derive(Debug)]
pub(crate) struct Group {
    /// Members, ascending (x outer, y inner).
    pub(crate) members: Vec<Coord>,
    /// The same as a set.
    pub(crate) set: BTreeSet<Coord>,
    /// Disjoint multi-addresses that together are the group.
    pub(crate) cover: Vec<MultiAddress>,
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
        let cover = if network.routers().carries_words() {
            Vec::new()
        } else {
            noccl_net::cover(network, &collective.group)?
        };
        Ok(Self {
            cover,
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

// Positions in lists that contain what is searched.
//
// With 0 for an element that the list lacks, a schedule would silently take another member's slot.
// The length of the list is no index of it, so that such a schedule cannot be built.

/// Position of an element; the length of the list if the list lacks it.
pub(crate) fn position_of<T: PartialEq>(list: &[T], element: &T) -> usize {
    list.iter().take_while(|other| *other != element).count()
}

/// Rank of a member of an ascending list; their number if it is no member.
pub(crate) fn rank_of<T: Ord>(members: &[T], member: &T) -> usize {
    members.binary_search(member).unwrap_or(members.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_that_the_list_lacks_has_no_index_of_it() {
        let list = [3, 5, 8];
        assert_eq!((position_of(&list, &5), rank_of(&list, &5)), (1, 1));
        assert_eq!((position_of(&list, &4), rank_of(&list, &4)), (3, 3));
    }
}
