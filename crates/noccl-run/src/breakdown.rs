// SPDX-License-Identifier: Apache-2.0
//! Where the cycles of a run go: each cycle of its critical path has one cause.
//!
//! A backend that explains a run reports a [`Breakdown`]. Causes are what it saw in a cycle; a [`Part`] groups the causes that a reader
//! compares. The cycles of all causes sum to those of the run, because a cycle is counted once.

use noccl_net::{LinkId, TileId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What users compare: the causes of a part have one remedy.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Instructions of cores, set-up of DMA transfers, the cores' part of barriers.
    Software,
    /// Beats of the payload behind the first one.
    Serialisation,
    /// Zero-load latency: routers, links, memories.
    Hops,
    /// A link is taken, or there is no space behind it.
    Links,
    /// The tile's interface or DMA engine serves others, or has reached a limit.
    Interface,
    /// A merge point lacks contributions of other members.
    Members,
    /// Additions in the network.
    ReductionUnit,
    /// A memory serves others.
    Memory,
    /// Another action has to end first.
    Dependencies,
}

impl Part {
    /// All parts, in the order of tables.
    pub const ALL: [Self; 9] = [
        Self::Software,
        Self::Serialisation,
        Self::Hops,
        Self::Links,
        Self::Interface,
        Self::Members,
        Self::ReductionUnit,
        Self::Memory,
        Self::Dependencies,
    ];

    /// As tables name it.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Software => "software",
            Self::Serialisation => "serialisation",
            Self::Hops => "hops",
            Self::Links => "waiting for links",
            Self::Interface => "waiting for the interface",
            Self::Members => "waiting for members",
            Self::ReductionUnit => "reduction unit",
            Self::Memory => "waiting for memory ports",
            Self::Dependencies => "waiting for other actions",
        }
    }
}

/// What a cycle of the critical path is for.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// A core executes instructions that start or end an action.
    Instructions,
    /// A DMA engine is set up; requests and responses pass between core, engine and interface.
    DmaSetUp,
    /// Cores enter, poll and leave a barrier.
    BarrierCores,
    /// Cores reduce or compute.
    Compute,
    /// Torrent endpoints control a chain.
    ChainControl,
    /// A beat of the payload leaves, and more follow.
    Payload,
    /// The last beat, or a response, moves on.
    Routers,
    /// A memory has a fixed latency.
    MemoryLatency,
    /// Another packet has the link.
    Arbitration,
    /// There is no space behind the link.
    NoSpace,
    /// As many transactions are open as the interface may have.
    OpenTransactions,
    /// The tile's interface or DMA engine serves another transfer.
    OtherTransfer,
    /// Contributions of other members have not come.
    Contributions,
    /// The merge point has not returned credits.
    Window,
    /// Operands are added, or wait for the unit.
    Addition,
    /// The port or unit of a memory serves others.
    MemoryPort,
    /// Data of the previous tile of a chain have not come.
    PreviousTile,
    /// An earlier action is not over.
    OtherAction,
}

impl Cause {
    /// The part that it belongs to.
    #[must_use]
    pub const fn part(self) -> Part {
        match self {
            Self::Instructions
            | Self::DmaSetUp
            | Self::BarrierCores
            | Self::Compute
            | Self::ChainControl => Part::Software,
            Self::Payload => Part::Serialisation,
            Self::Routers | Self::MemoryLatency => Part::Hops,
            Self::Arbitration | Self::NoSpace => Part::Links,
            Self::OpenTransactions | Self::OtherTransfer => Part::Interface,
            Self::Contributions | Self::Window => Part::Members,
            Self::Addition => Part::ReductionUnit,
            Self::MemoryPort => Part::Memory,
            Self::PreviousTile | Self::OtherAction => Part::Dependencies,
        }
    }

    /// As tables name it.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Instructions => "instructions of cores",
            Self::DmaSetUp => "DMA set-up and completion",
            Self::BarrierCores => "cores in barriers",
            Self::Compute => "cores compute",
            Self::ChainControl => "control of endpoints",
            Self::Payload => "beats of the payload",
            Self::Routers => "routers and links",
            Self::MemoryLatency => "memory latency",
            Self::Arbitration => "another packet has it",
            Self::NoSpace => "no space behind it",
            Self::OpenTransactions => "limit of open transactions",
            Self::OtherTransfer => "other transfers of the tile",
            Self::Contributions => "contributions are missing",
            Self::Window => "no credits of the merge point",
            Self::Addition => "additions",
            Self::MemoryPort => "port serves others",
            Self::PreviousTile => "data of the previous tile",
            Self::OtherAction => "an earlier action",
        }
    }
}

/// What a run can wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// A link between two routers.
    Link(LinkId),
    /// The wide port of a tile's memory.
    MemoryPort(TileId),
    /// The merge tables and operand stores of a router.
    MergePoint(TileId),
    /// The adders of a router or its cluster.
    ReductionUnit(TileId),
    /// The DMA engine of a tile, with its interface.
    DmaEngine(TileId),
}

/// Cycles of the critical path with one cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CauseCycles {
    /// Cause.
    pub cause: Cause,
    /// Cycles.
    pub cycles: u64,
    /// The resource with most of them, and how many; `None` for causes that no resource has.
    pub most: Option<(Resource, u64)>,
}

/// A resource over the whole run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceUse {
    /// Which.
    pub resource: Resource,
    /// Cycles in which it works: a flit, a beat, an addition.
    pub busy_cycles: u64,
    /// Cycles in which something at the resource waits, by cause.
    pub blocked: Vec<(Cause, u64)>,
}

/// A stretch of the critical path within one action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathStep {
    /// Number of the action.
    pub action: u32,
    /// Tile whose part of the action it is.
    pub tile: TileId,
    /// First cycle.
    pub start_cycle: u64,
    /// The cycle behind the last one.
    pub end_cycle: u64,
}

/// Where the cycles of a run go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breakdown {
    /// First cycle that is explained: the start of the first transfer, as the run is timed.
    pub start_cycle: u64,
    /// Cycles that are explained.
    pub cycles: u64,
    /// Causes with at least one cycle; together they have all of them.
    pub causes: Vec<CauseCycles>,
    /// The critical path, first step first.
    pub path: Vec<PathStep>,
    /// The busiest resources, busiest first.
    pub busiest: Vec<ResourceUse>,
}

impl Breakdown {
    /// Cycles of a part.
    #[must_use]
    pub fn of(&self, part: Part) -> u64 {
        let causes = self.causes.iter().filter(|c| c.cause.part() == part);
        causes.map(|c| c.cycles).sum()
    }
}
