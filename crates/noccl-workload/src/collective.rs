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
    pub root: TileRef,
    /// Payload per participant; a multiple of the element size.
    pub bytes: u64,
    /// Offset of every input.
    pub input_offset: u64,
    /// Offset of every output.
    pub output_offset: u64,
    /// Operator of reduce and all-reduce.
    pub operator: Operator,
    /// Element type of reduce and all-reduce.
    pub element: ElementType,
}
