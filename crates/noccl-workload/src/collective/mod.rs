// SPDX-License-Identifier: Apache-2.0
//! Collectives: who has what before, and who must have what after. A file per kind states its class.

mod all_gather;
mod all_reduce;
mod all_to_all;
mod barrier;
mod class;
mod custom;
mod gather;
mod multicast;
mod reduce;
mod reduce_scatter;
mod scan;
mod scatter;

pub use class::{Blocks, Buffers, CollectiveClass, Holders, Origin, Values};

use crate::{Definition, ElementType, Operator};
use noccl_net::counts::max_or_zero;
use noccl_net::{TileRef, TileSet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CollectiveKind {
    /// The root's input reaches every member of the group (a broadcast when the group is everybody).
    Multicast,
    /// The root's output is the reduction of all members' inputs.
    Reduce,
    /// Every member's output is the reduction of all members' inputs.
    AllReduce,
    /// No member leaves before every member has entered; no data.
    Barrier,
    /// Every member's output is the inputs of all members in rank order, one block each.
    AllGather,
    /// Every member's output is the reduction of all members' blocks of its own rank.
    ReduceScatter,
    /// Block s of member d's output is block d of member s's input.
    AllToAll,
    /// Every member's output is the block of its rank of the root's input.
    Scatter,
    /// The root's output is the inputs of all members in rank order, one block each.
    Gather,
    /// Every member's output is the reduction of the inputs of all members up to its own rank (inclusive).
    Scan,
    /// What [`Collective::definition`] states.
    Custom,
}

/// A collective over a group. Offsets count from the start of a tile's memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Collective {
    /// Which collective.
    pub kind: CollectiveKind,
    /// Participants.
    pub group: TileSet,
    /// Owner of the data (multicast, scatter), of the result (reduce, gather) or of the counter (barrier, all-reduce). May lie outside the
    /// group. The others have no root; it must exist all the same.
    pub root: TileRef,
    /// Payload per participant; a multiple of the element size. Of all-gather, reduce-scatter, all-to-all, scatter and gather: one
    /// block; an input or output of several blocks holds them one behind the other, by rank (ascending cluster, x outer). Of a custom
    /// collective: one chunk.
    pub bytes: u64,
    /// Offset of every input.
    pub input_offset: u64,
    /// Offset of every output.
    pub output_offset: u64,
    /// Operator of what is reduced.
    pub operator: Operator,
    /// Element type of what is reduced.
    pub element: ElementType,
    /// Lengths of an all-to-all's blocks, if they differ; none is longer than `bytes`, and blocks stand where they would stand if all
    /// had that length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lengths: Option<Lengths>,
    /// What a custom collective asks for; of no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<Box<Definition>>,
}

/// Lengths of blocks by ranks, as each rank states them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lengths {
    /// Per rank: bytes that it sends to each rank.
    pub sends: Vec<Vec<u64>>,
    /// Per rank: bytes that it expects of each rank; empty: what is sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub receives: Vec<Vec<u64>>,
}

impl Lengths {
    /// The longest block that anybody states, those for the own rank with them.
    #[must_use]
    pub fn longest(&self) -> u64 {
        let all = self.sends.iter().chain(&self.receives).flatten();
        max_or_zero(all.copied())
    }

    /// The shortest block that a rank sends to another one.
    #[must_use]
    pub fn shortest(&self) -> u64 {
        let rows = self.sends.iter().enumerate();
        let others = rows.flat_map(|(rank, row)| {
            let of = row.iter().enumerate().filter(move |(to, _)| *to != rank);
            of.map(|(_, bytes)| *bytes)
        });
        // 0: a single rank sends to no other.
        others.min().unwrap_or(0)
    }
}

impl CollectiveKind {
    /// All collectives whose kind alone says what they ask for: not the custom ones.
    pub const ALL: [CollectiveKind; 10] = [
        CollectiveKind::Multicast,
        CollectiveKind::Reduce,
        CollectiveKind::AllReduce,
        CollectiveKind::AllGather,
        CollectiveKind::ReduceScatter,
        CollectiveKind::AllToAll,
        CollectiveKind::Scatter,
        CollectiveKind::Gather,
        CollectiveKind::Scan,
        CollectiveKind::Barrier,
    ];
}

impl Collective {
    /// Does it fold, so that operator and element matter?
    #[must_use]
    pub fn reduces(&self) -> bool {
        self.kind.reduces() || self.definition.as_ref().is_some_and(|d| d.reduces())
    }

    /// Bytes of the block that one rank has for another one; of the collectives of blocks.
    #[must_use]
    pub fn block_bytes(&self, from: usize, to: usize) -> u64 {
        match &self.lengths {
            Some(lengths) => {
                let sent = lengths.sends.get(from);
                // 0: lists that lack a rank are refused by `check_lengths`; a rank that is not there sends nothing.
                sent.and_then(|sent| sent.get(to)).copied().unwrap_or(0)
            }
            None => self.bytes,
        }
    }

    /// Bytes of one input among `num_members`, of a custom collective of the longest; at most `u64::MAX`, which fits nowhere.
    #[must_use]
    pub fn input_bytes(&self, num_members: u64) -> u64 {
        let custom = self.definition.as_ref().map(|d| u64::from(d.inputs.most()));
        let blocks = self.kind.input_blocks(num_members).or(custom);
        // 0: a custom collective without a definition, which its check refuses, has no blocks.
        self.bytes.saturating_mul(blocks.unwrap_or(0))
    }

    /// Bytes of one output among `num_members`, of a custom collective of the longest; at most `u64::MAX`, which fits nowhere.
    #[must_use]
    pub fn output_bytes(&self, num_members: u64) -> u64 {
        let custom = self.definition.as_ref().map(|d| d.most_output_chunks());
        let blocks = self.kind.output_blocks(num_members).or(custom);
        // 0: a custom collective without a definition, which its check refuses, has no blocks.
        self.bytes.saturating_mul(blocks.unwrap_or(0))
    }

    /// Bytes of the input of one of those who have one, by rank.
    #[must_use]
    pub fn input_bytes_of(&self, rank: usize, num_members: u64) -> u64 {
        match &self.definition {
            Some(definition) => self.bytes.saturating_mul(definition.inputs.of(rank).into()),
            None => self.input_bytes(num_members),
        }
    }

    /// Bytes of the output of one of those who have one, by rank.
    #[must_use]
    pub fn output_bytes_of(&self, rank: usize, num_members: u64) -> u64 {
        match &self.definition {
            Some(definition) => self.bytes.saturating_mul(definition.output_chunks(rank)),
            None => self.output_bytes(num_members),
        }
    }
}
