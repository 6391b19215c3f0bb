// SPDX-License-Identifier: Apache-2.0
//! The one type for destination sets and groups.

use crate::{Coord, MultiAddress, Network, TileId, TileKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A set of cluster tiles, in cluster coordinates ((0, 0) = south-west cluster).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum TileSet {
    /// One cluster.
    Tile(Coord),
    /// All clusters with this y.
    Row(u16),
    /// All clusters with this x.
    Column(u16),
    /// An axis-aligned rectangle.
    Rectangle {
        /// South-west corner, column.
        x: u16,
        /// South-west corner, row.
        y: u16,
        /// Columns, at least 1.
        width: u16,
        /// Rows, at least 1.
        height: u16,
    },
    /// A (dst, mask) pair.
    Cube(MultiAddress),
    /// Any set; order and duplicates do not matter.
    Arbitrary(Vec<Coord>),
}

/// One tile as users write it: a cluster by its coordinate from the south-west cluster, or `mem:N`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum TileRef {
    /// Cluster coordinate.
    Cluster(Coord),
    /// N-th memory tile in index order.
    Memory(u32),
}

impl std::fmt::Display for TileRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TileRef::Cluster(c) => write!(f, "cluster {c}"),
            TileRef::Memory(n) => write!(f, "mem:{n}"),
        }
    }
}

impl Network {
    /// Tile named by a reference, if it exists.
    #[must_use]
    pub fn find(&self, tile: TileRef) -> Option<TileId> {
        match tile {
            TileRef::Cluster(c) => (c.x < self.cluster_width() && c.y < self.cluster_height())
                .then(|| self.tile_at(self.mesh_coord(c))),
            TileRef::Memory(n) => self.memories().nth(n as usize),
        }
    }

    /// How users name a tile.
    ///
    /// # Panics
    /// Never for a tile of this network: a tile is a cluster or a memory.
    #[must_use]
    pub fn tile_ref(&self, tile: TileId) -> TileRef {
        match self.kind(tile) {
            TileKind::Cluster => TileRef::Cluster(
                self.cluster_coord(self.coord(tile))
                    .expect("cluster tiles lie in the cluster region"),
            ),
            TileKind::Memory => TileRef::Memory(
                self.memories()
                    .position(|t| t == tile)
                    .expect("memory tiles are listed") as u32,
            ),
        }
    }
}
