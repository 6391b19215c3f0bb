// SPDX-License-Identifier: Apache-2.0
//! Mesh, regions and planes.

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
    /// Rectangles of tiles; together they cover every coordinate exactly once. None where the tiles are cores, which stand on the whole mesh.
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

    /// Name in files and messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Plane::Req => "req",
            Plane::Rsp => "rsp",
            Plane::Wide => "wide",
        }
    }

    /// Index into per-plane arrays.
    #[must_use]
    #[inline]
    pub const fn idx(self) -> usize {
        self as usize
    }
}

/// A physical network by its name in results: those of AXI, and those between cores (S4).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum PlaneName {
    /// [`Plane::Req`].
    Req,
    /// [`Plane::Rsp`].
    Rsp,
    /// [`Plane::Wide`].
    Wide,
    /// The dynamic network between cores.
    Udn,
    /// The static network between cores.
    Static,
}

impl PlaneName {
    /// All planes in index order.
    pub const ALL: [PlaneName; 5] = [
        PlaneName::Req,
        PlaneName::Rsp,
        PlaneName::Wide,
        PlaneName::Udn,
        PlaneName::Static,
    ];

    /// Position in lists that are sorted by plane.
    #[must_use]
    #[inline]
    pub const fn idx(self) -> usize {
        self as usize
    }

    /// As in files and messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Req => Plane::Req.name(),
            Self::Rsp => Plane::Rsp.name(),
            Self::Wide => Plane::Wide.name(),
            Self::Udn => "udn",
            Self::Static => "static",
        }
    }
}

impl From<Plane> for PlaneName {
    fn from(plane: Plane) -> Self {
        match plane {
            Plane::Req => Self::Req,
            Plane::Rsp => Self::Rsp,
            Plane::Wide => Self::Wide,
        }
    }
}

impl PartialEq<Plane> for PlaneName {
    fn eq(&self, plane: &Plane) -> bool {
        *self == Self::from(*plane)
    }
}
