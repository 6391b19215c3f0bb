// SPDX-License-Identifier: Apache-2.0
//! The elaborated network: total, immutable.

use crate::capabilities::Capabilities;
use crate::planes::NetworkPlane;
use crate::region::RegionMap;
use crate::{Coord, MultiAddress, Port, TileId};
use noccl_spec::{Plane, Spec, TileKindName};
use serde::{Deserialize, Serialize};

/// What stands behind a tile's NI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TileKind {
    /// Compute cluster.
    Cluster,
    /// Memory tile.
    Memory,
}

impl From<TileKindName> for TileKind {
    fn from(name: TileKindName) -> Self {
        match name {
            TileKindName::Cluster => TileKind::Cluster,
            TileKindName::Memory => TileKind::Memory,
        }
    }
}

/// One directed router-to-router link of one plane: leaves `tile` through `port`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LinkId {
    /// Plane.
    pub plane: Plane,
    /// Router that drives the link.
    pub tile: TileId,
    /// Output port of that router.
    pub port: Port,
}

/// A network, made only by [`crate::elaborate`].
#[derive(Debug, Clone)]
pub struct Network {
    pub(crate) spec: Spec,
    pub(crate) capabilities: Capabilities,
    pub(crate) planes: Vec<NetworkPlane>,
    pub(crate) kinds: Vec<TileKind>,
    pub(crate) memories: Vec<TileId>,
    pub(crate) regions: Vec<RegionMap>,
    pub(crate) cluster_region: usize,
    pub(crate) cluster_origin: Coord,
    pub(crate) cluster_width: u16,
    pub(crate) cluster_height: u16,
}

impl Network {
    /// The spec this network was elaborated from.
    #[must_use]
    pub const fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Columns of the whole mesh.
    #[must_use]
    pub const fn width(&self) -> u16 {
        self.spec.mesh.width as u16
    }

    /// Rows of the whole mesh.
    #[must_use]
    pub const fn height(&self) -> u16 {
        self.spec.mesh.height as u16
    }

    /// Number of tiles.
    #[must_use]
    pub const fn num_tiles(&self) -> usize {
        self.spec.mesh.width as usize * self.spec.mesh.height as usize
    }

    /// Dense id of a mesh coordinate.
    #[must_use]
    pub const fn tile_at(&self, at: Coord) -> TileId {
        TileId(at.x as u32 * self.spec.mesh.height + at.y as u32)
    }

    /// Mesh coordinate of a tile.
    #[must_use]
    pub const fn coord(&self, tile: TileId) -> Coord {
        Coord::new(
            (tile.0 / self.spec.mesh.height) as u16,
            (tile.0 % self.spec.mesh.height) as u16,
        )
    }

    /// Is the coordinate on the mesh?
    #[must_use]
    pub const fn has(&self, at: Coord) -> bool {
        at.x < self.width() && at.y < self.height()
    }

    /// Kind of a tile.
    #[must_use]
    pub fn kind(&self, tile: TileId) -> TileKind {
        self.kinds[tile.idx()]
    }

    /// Mesh coordinate of the south-west cluster: origin of the collective region.
    #[must_use]
    pub const fn cluster_origin(&self) -> Coord {
        self.cluster_origin
    }

    /// Columns of clusters.
    #[must_use]
    pub const fn cluster_width(&self) -> u16 {
        self.cluster_width
    }

    /// Rows of clusters.
    #[must_use]
    pub const fn cluster_height(&self) -> u16 {
        self.cluster_height
    }

    /// All cluster tiles, index order.
    pub fn clusters(&self) -> impl Iterator<Item = TileId> + '_ {
        (0..self.cluster_width).flat_map(move |x| {
            (0..self.cluster_height).map(move |y| self.tile_at(self.mesh_coord(Coord::new(x, y))))
        })
    }

    /// All memory tiles, index order; `mem:N` is the N-th.
    pub fn memories(&self) -> impl Iterator<Item = TileId> + '_ {
        self.memories.iter().copied()
    }

    /// Mesh coordinate of a cluster coordinate (counted from the south-west cluster).
    #[must_use]
    pub const fn mesh_coord(&self, cluster: Coord) -> Coord {
        Coord::new(
            cluster.x + self.cluster_origin.x,
            cluster.y + self.cluster_origin.y,
        )
    }

    /// Cluster coordinate of a mesh coordinate inside the cluster region.
    #[must_use]
    pub fn cluster_coord(&self, at: Coord) -> Option<Coord> {
        let x = at.x.checked_sub(self.cluster_origin.x)?;
        let y = at.y.checked_sub(self.cluster_origin.y)?;
        (x < self.cluster_width && y < self.cluster_height).then_some(Coord::new(x, y))
    }

    /// Tiles of a multi-address over the cluster region; an address that names an absent tile is unmapped there.
    pub fn multi_tiles(&self, set: MultiAddress) -> impl Iterator<Item = Option<TileId>> + '_ {
        set.members().map(move |c| {
            (c.x < self.cluster_width && c.y < self.cluster_height)
                .then(|| self.tile_at(self.mesh_coord(c)))
        })
    }

    /// Bytes of memory behind a tile.
    #[must_use]
    pub fn memory_bytes(&self, tile: TileId) -> u64 {
        match self.kind(tile) {
            TileKind::Cluster => self.spec.cluster.l1_bytes,
            TileKind::Memory => self.spec.memory.bytes,
        }
    }

    /// Field of the spec that says how large it is.
    #[must_use]
    pub fn memory_field(&self, tile: TileId) -> &'static str {
        match self.kind(tile) {
            TileKind::Cluster => "cluster.l1_bytes",
            TileKind::Memory => "memory.bytes",
        }
    }
}
