// SPDX-License-Identifier: Apache-2.0
//! The schedule: a DAG of actions.

use crate::{Chain, Collective, ElementType, Kernel, ListMulticast, Operator};
use noccl_net::{MultiAddress, TileRef, TileSet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the schedule format this library reads and writes.
pub const SCHEDULE_FORMAT: u32 = 1;

/// A DAG of actions that realises a collective on one network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// Format version; this library reads version 1.
    pub format: u32,
    /// Name of the algorithm: structure, not paper.
    pub algorithm: String,
    /// Parameters of the algorithm, e.g. `chunks = 4`.
    pub parameters: BTreeMap<String, String>,
    /// What the schedule claims to achieve; the checker proves it.
    pub collective: Option<Collective>,
    /// Actions; an action may only come after earlier ones.
    pub actions: Vec<Action>,
}

/// Index of an action in its schedule.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct ActionId(pub u32);

/// One action with its dependencies.
///
/// A dependency is local: a participant starts the action when it has itself finished every action of
/// `after` in which it takes part. An `after` edge between actions that share no participant is an
/// error: only a barrier or a reduction, in which both take part, carries an order between tiles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Action {
    /// What happens.
    pub kind: ActionKind,
    /// Actions that must be over before this one starts.
    pub after: Vec<ActionId>,
}

/// What an action does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ActionKind {
    /// A DMA moves bytes to one tile or multicasts them.
    Transfer(Transfer),
    /// Every member of a group contributes; the network folds on the way to the root.
    InNetworkReduction(InNetworkReduction),
    /// The same, and every member gets the result: the root folds and multicasts beat by beat.
    InNetworkAllReduce(InNetworkReduction),
    /// Cores fold buffers of their own L1.
    LocalReduce(LocalReduce),
    /// Cores are busy.
    Compute(Compute),
    /// Participants wait for each other.
    Barrier(Barrier),
    /// A transfer whose end the destinations notice too.
    Delivery(Transfer),
    /// Members tell a root that they have come this far; only the root waits.
    Arrival(Arrival),
    /// The cores of every cluster of a group compute on their own L1.
    Kernel(Kernel),
    /// Endpoints hand a stream from stop to stop.
    Chain(Chain),
    /// The network takes one worm to a list of destinations, which have asked for it.
    ListMulticast(ListMulticast),
}

/// A position in a tile's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// Tile.
    pub tile: TileRef,
    /// Bytes from the start of its memory.
    pub offset: u64,
}

/// Where a transfer writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Destination {
    /// One tile.
    One(Place),
    /// All clusters of one multi-address, at the same offset: one transaction of the network.
    Multicast {
        /// Members, cluster coordinates.
        set: MultiAddress,
        /// Bytes from the start of every member's memory.
        offset: u64,
    },
}

/// Movement by the initiator's DMA: reads from the source, writes to the destination.
///
/// `rows` lines of `bytes` each; line r starts at `source + r * source_stride` and lands at
/// `destination + r * destination_stride` (1D: `rows = 1`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Transfer {
    /// Cluster whose DMA does it: the source's for a push, the destination's for a pull.
    pub initiator: TileRef,
    /// First byte read.
    pub source: Place,
    /// First byte written.
    pub destination: Destination,
    /// Bytes per line; zero is a no-op.
    pub bytes: u64,
    /// Lines.
    pub rows: u32,
    /// Bytes between the starts of consecutive lines at the source.
    pub source_stride: u64,
    /// Bytes between the starts of consecutive lines at the destination.
    pub destination_stride: u64,
}

impl Transfer {
    /// A transfer of one row: consecutive bytes.
    #[must_use]
    pub fn row(initiator: TileRef, source: Place, destination: Destination, bytes: u64) -> Self {
        Self {
            initiator,
            source,
            destination,
            bytes,
            rows: 1,
            source_stride: 0,
            destination_stride: 0,
        }
    }
}

/// One transaction of the network to which every member of the group contributes.
///
/// Fold order: at every router the operands in port order North, East, South, West, Local, from the
/// left; towards the root along X first, then Y.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InNetworkReduction {
    /// Contributors, cluster coordinates.
    pub group: MultiAddress,
    /// Offset of every contribution in its contributor's L1.
    pub source_offset: u64,
    /// Where the result is written; a cluster. Of an all-reduce a member, and the offset is every member's.
    pub root: Place,
    /// Bytes; zero is a no-op.
    pub bytes: u64,
    /// Operator.
    pub operator: Operator,
    /// Element type.
    pub element: ElementType,
}

/// `output[i] = inputs[0][i] op inputs[1][i] op …`, folded from the left, by the cores of one cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LocalReduce {
    /// Cluster.
    pub tile: TileRef,
    /// Offsets of the operands, at least one.
    pub inputs: Vec<u64>,
    /// Offset of the result; may equal an input.
    pub output: u64,
    /// Bytes; zero is a no-op.
    pub bytes: u64,
    /// Operator.
    pub operator: Operator,
    /// Element type.
    pub element: ElementType,
}

/// Cores compute for a while, using the FPUs every cycle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Compute {
    /// Cluster.
    pub tile: TileRef,
    /// Cycles when nobody else uses the FPUs; at most 2^48.
    pub cycles: u64,
}

/// How a barrier is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BarrierMechanism {
    /// Atomic adds on a counter, then one multicast interrupt (S1 §4.2.1).
    Software,
    /// An `LsbAnd` reduction on the counter (S1 §4.2.1).
    InNetwork,
}

/// A barrier over a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Barrier {
    /// Participants. For `in_network` it must be one multi-address.
    pub group: TileSet,
    /// Cluster that holds the counter.
    pub counter: TileRef,
    /// Software or hardware.
    pub mechanism: BarrierMechanism,
}

/// One half of a barrier: members go on at once, the root waits until all of them have come this far.
///
/// In-network: one `LsbAnd` reduction to the root. The other half is a [`ActionKind::Delivery`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arrival {
    /// Members, cluster coordinates.
    pub group: MultiAddress,
    /// Who waits; a member.
    pub root: TileRef,
}
