// SPDX-License-Identifier: Apache-2.0
//! Collectives: who has what before, and who must have what after.

use crate::{ElementType, Operator};
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
}

/// A collective over a group. Offsets count from the start of a tile's memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Collective {
    /// Which collective.
    pub kind: CollectiveKind,
    /// Participants.
    pub group: TileSet,
    /// Owner of the data (multicast), of the result (reduce) or of the counter (barrier, all-reduce). May lie outside the group.
    /// The collectives of blocks have no root; it must exist all the same.
    pub root: TileRef,
    /// Payload per participant; a multiple of the element size. Of all-gather, reduce-scatter and all-to-all: one block; an
    /// input or output of several blocks holds them one behind the other, by rank (ascending cluster, x outer).
    pub bytes: u64,
    /// Offset of every input.
    pub input_offset: u64,
    /// Offset of every output.
    pub output_offset: u64,
    /// Operator of reduce and all-reduce.
    pub operator: Operator,
    /// Element type of reduce and all-reduce.
    pub element: ElementType,
    /// Lengths of an all-to-all's blocks, if they differ; none is longer than `bytes`, and blocks stand where they would stand if all
    /// had that length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lengths: Option<Lengths>,
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
        all.copied().max().unwrap_or(0)
    }

    /// The shortest block that a rank sends to another one.
    #[must_use]
    pub fn shortest(&self) -> u64 {
        let rows = self.sends.iter().enumerate();
        let others = rows.flat_map(|(rank, row)| {
            let of = row.iter().enumerate().filter(move |(to, _)| *to != rank);
            of.map(|(_, bytes)| *bytes)
        });
        others.min().unwrap_or(0)
    }
}

impl CollectiveKind {
    /// Does it have blocks by rank, and no root?
    #[must_use]
    pub const fn has_blocks(self) -> bool {
        match self {
            CollectiveKind::AllGather
            | CollectiveKind::ReduceScatter
            | CollectiveKind::AllToAll => true,
            CollectiveKind::Multicast
            | CollectiveKind::Reduce
            | CollectiveKind::AllReduce
            | CollectiveKind::Barrier => false,
        }
    }

    /// Does it fold, so that operator and element matter?
    #[must_use]
    pub const fn reduces(self) -> bool {
        match self {
            CollectiveKind::Reduce | CollectiveKind::AllReduce | CollectiveKind::ReduceScatter => {
                true
            }
            CollectiveKind::Multicast
            | CollectiveKind::Barrier
            | CollectiveKind::AllGather
            | CollectiveKind::AllToAll => false,
        }
    }
}

impl Collective {
    /// Bytes of the block that one rank has for another one; of the collectives of blocks.
    #[must_use]
    pub fn block_bytes(&self, from: usize, to: usize) -> u64 {
        match &self.lengths {
            Some(lengths) => {
                let sent = lengths.sends.get(from);
                sent.and_then(|sent| sent.get(to)).copied().unwrap_or(0)
            }
            None => self.bytes,
        }
    }

    /// Bytes of one input among `num_members`; at most `u64::MAX`, which fits nowhere.
    #[must_use]
    pub const fn input_bytes(&self, num_members: u64) -> u64 {
        match self.kind {
            CollectiveKind::ReduceScatter | CollectiveKind::AllToAll => {
                self.bytes.saturating_mul(num_members)
            }
            CollectiveKind::Multicast
            | CollectiveKind::Reduce
            | CollectiveKind::AllReduce
            | CollectiveKind::AllGather => self.bytes,
            CollectiveKind::Barrier => 0,
        }
    }

    /// Bytes of one output among `num_members`; at most `u64::MAX`, which fits nowhere.
    #[must_use]
    pub const fn output_bytes(&self, num_members: u64) -> u64 {
        match self.kind {
            CollectiveKind::AllGather | CollectiveKind::AllToAll => {
                self.bytes.saturating_mul(num_members)
            }
            CollectiveKind::Multicast
            | CollectiveKind::Reduce
            | CollectiveKind::AllReduce
            | CollectiveKind::ReduceScatter => self.bytes,
            CollectiveKind::Barrier => 0,
        }
    }
}
