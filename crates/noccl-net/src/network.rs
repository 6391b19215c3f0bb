// SPDX-License-Identifier: Apache-2.0
//! The elaborated network: total, immutable.

use crate::capabilities::{Bypass, Capabilities, MulticastTrees, Reduces, TreeKind};
use crate::elaborate::field;
use crate::planes::NetworkPlane;
use crate::region::RegionMap;
use crate::{Coord, MultiAddress, NetError, Port, TileId, TreeTable};
use noccl_spec::{CoreTiles, EnergyTable, PlaneName, Spec, TileKindName, Tiles, WORD_BYTES};
use serde::{Deserialize, Serialize};

/// What stands at a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TileKind {
    /// Compute tile: a cluster, or a core of a network of cores.
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
    pub plane: PlaneName,
    /// Router that drives the link.
    pub tile: TileId,
    /// Output port of that router.
    pub port: Port,
}

impl LinkId {
    /// A link of any plane.
    #[must_use]
    pub fn new(plane: impl Into<PlaneName>, tile: TileId, port: Port) -> Self {
        let plane = plane.into();
        Self { plane, tile, port }
    }
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

    /// Cores and routers of a network of core tiles.
    #[must_use]
    pub const fn cores(&self) -> Option<&CoreTiles> {
        self.spec.cores()
    }

    /// Cost of each counted event, if the spec has one: core tiles have none.
    #[must_use]
    pub const fn energy(&self) -> Option<&EnergyTable> {
        match &self.spec.tiles {
            Tiles::Axi(axi) => Some(&axi.energy),
            Tiles::Cores(_) => None,
        }
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
        match (&self.spec.tiles, self.kind(tile)) {
            (Tiles::Axi(axi), TileKind::Cluster) => axi.cluster.l1_bytes,
            (Tiles::Axi(axi), TileKind::Memory) => axi.memory.bytes,
            (Tiles::Cores(cores), _) => cores.core.memory_bytes,
        }
    }

    /// Bytes that move together, to whose multiples data are aligned: a wide beat, or a word of a core.
    #[must_use]
    pub const fn beat_bytes(&self) -> u64 {
        match &self.spec.tiles {
            Tiles::Axi(axi) => axi.ni.wide_beat(),
            Tiles::Cores(_) => WORD_BYTES as u64,
        }
    }

    /// Field of the spec that says how large it is.
    #[must_use]
    pub fn memory_field(&self, tile: TileId) -> &'static str {
        match (&self.spec.tiles, self.kind(tile)) {
            (Tiles::Axi(_), TileKind::Cluster) => "cluster.l1_bytes",
            (Tiles::Axi(_), TileKind::Memory) => "memory.bytes",
            (Tiles::Cores(_), _) => "core.memory_bytes",
        }
    }
}

// Which trees the routers of a network have: asked of what they can do.
//
// [`TreeTable`] can hold trees of any paths. Here it is the tree over which a packet of this network would go, so that whoever
// prints, draws or simulates one need not know the kind of router.

impl Network {
    /// Outputs of a multicast on this network, source and members in mesh coordinates. The root of the table is where the tree
    /// begins: at the source, or in a corner to which the packet goes first.
    ///
    /// # Errors
    /// [`NetError::Field`] with the field for which there are no such trees.
    pub fn multicast_tree(&self, source: Coord, members: &[Coord]) -> Result<TreeTable, NetError> {
        self.check_links()?;
        let trees = self.multicast_trees();
        let trees = trees.ok_or_else(Bypass::no_multicast_tree)?;
        Ok(self.multicast_over(trees, source, members))
    }

    /// Inputs of a reduction on this network, root and members in mesh coordinates.
    ///
    /// # Errors
    /// As [`Network::multicast_tree`].
    pub fn reduction_tree(&self, root: Coord, members: &[Coord]) -> Result<TreeTable, NetError> {
        self.check_links()?;
        match self.routers().reduces {
            Reduces::Nothing => {
                return Err(self.no_such_tree("routers of this kind reduce nothing"));
            }
            Reduces::TwoInputs | Reduces::AllInputs => {}
        }
        self.bypass().map_or(Ok(()), Bypass::check_reduction)?;
        Ok(self.shared_reduction(root, members))
    }

    /// Outputs of a multicast over trees of a kind. Those that span the mesh have a Local port at the members alone.
    #[must_use]
    pub fn multicast_over(
        &self,
        trees: MulticastTrees,
        source: Coord,
        members: &[Coord],
    ) -> TreeTable {
        match (trees.kind, trees.spans_mesh) {
            (TreeKind::Shared | TreeKind::ByLoad, false) => self.shared_multicast(source, members),
            (TreeKind::Shared | TreeKind::ByLoad, true) => {
                self.shared_broadcast(source).for_members(self, members)
            }
            (TreeKind::Private, false) => {
                self.private_multicast(self.nearest_corner(source), members)
            }
            (TreeKind::Private, true) => {
                let all = self.private_broadcast(self.nearest_corner(source));
                all.for_members(self, members)
            }
        }
    }

    /// Does a source send a packet to each destination in place of a multicast?
    #[must_use]
    pub const fn copies_are_unicasts(&self) -> bool {
        self.multicast_trees().is_none()
    }

    /// Does every multicast run over a tree that spans the mesh, whatever its members?
    #[must_use]
    pub fn trees_span_mesh(&self) -> bool {
        self.multicast_trees().is_some_and(|trees| trees.spans_mesh)
    }

    fn check_links(&self) -> Result<(), NetError> {
        if self.routers().has_links {
            return Ok(());
        }
        Err(self.no_such_tree("without links from tile to tile there are no trees"))
    }

    fn no_such_tree(&self, accepted: &str) -> NetError {
        let flow = self.spec.flow_name();
        field("router.flow", format!("\"{flow}\""), accepted)
    }
}
