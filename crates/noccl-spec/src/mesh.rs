// SPDX-License-Identifier: Apache-2.0
//! Mesh, regions and routers.

use crate::EspRouter;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Size of the mesh and the regions of tiles on it. x grows East, y grows North, (0, 0) is south-west.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mesh {
    /// Columns, 1 to 4096.
    pub width: u32,
    /// Rows, 1 to 4096.
    pub height: u32,
    /// Rectangles of tiles; together they cover every coordinate exactly once.
    pub regions: Vec<Region>,
}

/// A rectangle of tiles of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// What stands behind the NI of these tiles.
    pub kind: TileKindName,
    /// Column of the south-west corner.
    pub x: u32,
    /// Row of the south-west corner.
    pub y: u32,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// First address of the region; a multiple of the stride times the padded number of tiles.
    pub base_address: u64,
    /// Distance between the addresses of consecutive tiles (index = x * padded height + y), a power of two.
    pub stride_bytes: u64,
}

/// Kind of endpoint at a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TileKindName {
    /// Cores, DMA engine, FPUs and L1 memory (S1 §2.2).
    Cluster,
    /// A memory tile (L2 scratchpad).
    Memory,
}

/// One of the three parallel physical networks (S1 §2.1).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Plane {
    /// Narrow AW/W/AR and wide AR.
    Req,
    /// Narrow B/R and wide B.
    Rsp,
    /// Wide AW/W and wide R.
    Wide,
}

impl Plane {
    /// All planes in the order in which arrays are indexed.
    pub const ALL: [Plane; 3] = [Plane::Req, Plane::Rsp, Plane::Wide];

    /// Index into per-plane arrays.
    #[must_use]
    pub const fn idx(self) -> usize {
        self as usize
    }
}

/// Router microarchitecture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Router {
    /// How packets share links and how collective packets wait for each other.
    pub flow: RouterFlow,
    /// Slots of the FIFO at each input port, 1 to 16; with one slot a flit passes every second cycle. With `esp` 2 to 64.
    pub input_fifo_flits: u32,
    /// Slots of the FIFO at each output port, 1 to 16; with `esp` only 0.
    pub output_fifo_flits: u32,
    /// Transactions whose narrow contributions (B, barrier) one router merges at a time.
    pub merge_table_entries: u32,
    /// Cycles from a contribution at the head of a FIFO to its request for an output: 1, or 3 with registers behind its turn
    /// and behind the decision, for a way between registers that is half as long.
    #[serde(default = "one_cycle")]
    pub merge_cycles: u32,
    /// Cycles of a link from router to router.
    #[serde(default, skip_serializing_if = "LinkCycles::is_default")]
    pub link_cycles: LinkCycles,
    /// The shared arithmetic reduction of the wide plane.
    pub wide_reduction: WideReduction,
    /// What flow `esp` needs, and only that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub esp: Option<EspRouter>,
}

impl Router {
    /// Cycles from a router to the next one on a plane, for a flit that nobody holds up: the registers in front of the switch
    /// and behind it, and those of the link beyond its first cycle.
    #[must_use]
    pub const fn hop_cycles(&self, plane: Plane) -> u32 {
        self.router_cycles() + self.link_cycles.of(plane) - 1
    }

    /// Cycles in one router with the first cycle of the link behind it.
    #[must_use]
    pub const fn router_cycles(&self) -> u32 {
        (self.input_fifo_flits > 0) as u32 + (self.output_fifo_flits > 0) as u32
    }

    /// Cycles in which a port passes a flit: a FIFO with one slot takes none while it holds one.
    #[must_use]
    pub const fn flit_cycles(&self) -> u32 {
        let has_one_slot = self.input_fifo_flits == 1 || self.output_fifo_flits == 1;
        1 + has_one_slot as u32
    }
}

const fn one_cycle() -> u32 {
    1
}

/// Cycles that a flit takes over a link between two routers, 1 to 8 on each plane; what is left out is 1. Each beyond the first
/// is a register stage of two slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkCycles {
    /// Of the request plane.
    #[serde(default = "one_cycle")]
    pub req: u32,
    /// Of the response plane.
    #[serde(default = "one_cycle")]
    pub rsp: u32,
    /// Of the wide plane.
    #[serde(default = "one_cycle")]
    pub wide: u32,
}

impl Default for LinkCycles {
    fn default() -> Self {
        Self {
            req: 1,
            rsp: 1,
            wide: 1,
        }
    }
}

impl LinkCycles {
    /// Is every link crossed in a cycle?
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Cycles of a link of one plane.
    #[must_use]
    pub const fn of(&self, plane: Plane) -> u32 {
        match plane {
            Plane::Req => self.req,
            Plane::Rsp => self.rsp,
            Plane::Wide => self.wide,
        }
    }
}

/// Sharing of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RouterFlow {
    /// Every write beat is a packet of its own, contributions wait in tables instead of FIFOs: free of deadlock.
    NonBlocking,
    /// The published router: wormholes, forks that hold their outputs, joins at FIFO heads. Can deadlock.
    PeerCompatible,
    /// ESP's router: a worm reserves all its outputs at once and moves over them in lock-step. Multicasts by a list of
    /// destinations in the header, and nothing else. Can deadlock.
    Esp,
}

/// The arithmetic reduction unit of a router (S1 §3.1.4).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WideReduction {
    /// Operands per cycle.
    pub kind: WideReductionKind,
    /// Register stages between router and FPUs, both ways together.
    pub cut_cycles: u32,
    /// Beats of waiting contributions one tile can set aside (in its L1): at least four windows.
    pub store_beats: u32,
    /// Beats of one transaction that may be under way from one merge point to the next: at least the four of a credit.
    pub window_beats: u32,
}

/// Operands that the reduction unit takes per cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WideReductionKind {
    /// One addition per cycle: three inputs give one beat per two cycles (the paper's).
    TwoOperand,
    /// Two chained additions per cycle: three inputs give one beat per cycle.
    ThreeOperand,
}
