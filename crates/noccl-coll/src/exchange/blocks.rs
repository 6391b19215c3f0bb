// SPDX-License-Identifier: Apache-2.0
//! Collectives of blocks (all-gather, reduce-scatter, all-to-all): where each block lies.
//!
//! Ranks are the members in ascending order. Blocks lie one behind the other, by rank.

use crate::CollError;
use crate::builder::Builder;
use crate::group::Group;
use crate::steps::transfer;
use noccl_net::{Coord, Network, TileRef};
use noccl_workload::{
    Action, ActionKind, Collective, Destination, InNetworkReduction, LocalReduce, Place,
};

/// A collective of blocks over a group.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Blocks<'a> {
    pub(crate) network: &'a Network,
    pub(crate) group: &'a Group,
    pub(crate) collective: &'a Collective,
}

impl<'a> Blocks<'a> {
    /// Members by rank.
    pub(crate) fn members(self) -> &'a [Coord] {
        &self.group.members
    }

    /// Bytes of one block.
    pub(crate) const fn bytes(self) -> u64 {
        self.collective.bytes
    }

    /// Offset of a rank's block in every input.
    pub(crate) const fn input(self, rank: usize) -> u64 {
        self.collective.input_offset + rank as u64 * self.bytes()
    }

    /// Offset of a rank's block in every output.
    pub(crate) const fn output(self, rank: usize) -> u64 {
        self.collective.output_offset + rank as u64 * self.bytes()
    }

    /// A reduction by the network over a set of contributors.
    pub(crate) fn reduction(
        self,
        group: noccl_net::MultiAddress,
        source_offset: u64,
        root: Place,
        bytes: u64,
    ) -> ActionKind {
        ActionKind::InNetworkReduction(InNetworkReduction {
            group,
            source_offset,
            root,
            bytes,
            operator: self.collective.operator,
            element: self.collective.element,
        })
    }

    /// A fold by a member's cores.
    pub(crate) fn fold(self, at: Coord, inputs: Vec<u64>, output: u64) -> LocalReduce {
        LocalReduce {
            tile: TileRef::Cluster(at),
            inputs,
            output,
            bytes: self.bytes(),
            operator: self.collective.operator,
            element: self.collective.element,
        }
    }

    /// Rank of each cluster of columns × rows: ranks ascend by column, then by row.
    ///
    /// # Errors
    /// [`CollError::Unsupported`] if the group is no such product.
    pub(crate) fn columns_and_rows(
        self,
        algorithm: &str,
    ) -> Result<(Vec<u16>, Vec<u16>), CollError> {
        self.group
            .columns_and_rows()
            .ok_or_else(|| CollError::Unsupported {
                algorithm: algorithm.to_owned(),
                collective: self.collective.kind.to_string(),
                reason: "the group must be a rectangle, row, column or mask cube; accepted for \
                         other sets: algorithms without rows and columns"
                    .to_owned(),
            })
    }
}

/// A position in a cluster's memory.
pub(crate) fn at(cluster: Coord, offset: u64) -> Place {
    Place {
        tile: TileRef::Cluster(cluster),
        offset,
    }
}

/// A member's DMA writes a range of its own memory to one place.
pub(crate) fn push(from: Coord, offset: u64, to: Place, bytes: u64) -> ActionKind {
    ActionKind::Transfer(transfer(
        from,
        at(from, offset),
        Destination::One(to),
        bytes,
    ))
}

/// What is left of a collective of blocks if there is one member: its block is its output.
pub(crate) fn alone(blocks: Blocks<'_>) -> Vec<Action> {
    let mut builder = Builder::default();
    for member in blocks.members() {
        let to = at(*member, blocks.output(0));
        let kind = push(*member, blocks.input(0), to, blocks.bytes());
        builder.add(kind, &[*member]);
    }
    builder.finish()
}
