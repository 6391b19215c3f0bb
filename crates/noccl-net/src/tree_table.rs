// SPDX-License-Identifier: Apache-2.0
//! Trees as tables: ports per tile, for any set of members.
//!
//! [`crate::tree`] computes the ports of a router from a multi-address and holds for unions of XY paths only. A table holds for any
//! set, and for trees of other paths: the private trees of S2 §III.A, which run along one edge of the mesh and then across it. The
//! definition of the shared trees is the union of the paths of [`Network::next_hop`]; `tests/it/prop_tree_table.rs` compares.

use crate::{Coord, Network, Port, TileId, coord_behind};

/// Ports of every tile of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeTable {
    root: TileId,
    ports: Vec<u8>,
}

/// Which dimension the paths of a tree run in first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum First {
    X,
    Y,
}

impl TreeTable {
    /// Where it begins (multicast) or ends (reduction).
    #[must_use]
    pub const fn root(&self) -> TileId {
        self.root
    }

    /// Ports of a tile as [`Port::bit`]s: outputs of a multicast, inputs of a reduction; 0 outside the tree.
    #[must_use]
    #[inline]
    pub fn ports(&self, tile: TileId) -> u8 {
        self.ports[tile.idx()]
    }

    /// The same tree with a Local port at the members and nowhere else.
    #[must_use]
    pub fn for_members(mut self, network: &Network, members: &[Coord]) -> Self {
        for ports in &mut self.ports {
            *ports &= !Port::Local.bit();
        }
        for member in members {
            self.ports[network.tile_at(*member).idx()] |= Port::Local.bit();
        }
        self
    }

    /// Tiles of the tree, ascending, with their ports.
    pub fn tiles(&self) -> impl Iterator<Item = (TileId, u8)> + '_ {
        let tiles = self.ports.iter().enumerate();
        tiles
            .filter(|(_, ports)| **ports != 0)
            .map(|(tile, ports)| (TileId(tile as u32), *ports))
    }
}

impl Network {
    /// Outputs of a multicast on the shared tree: the union of the paths from the source to the members, in mesh coordinates.
    #[must_use]
    pub fn shared_multicast(&self, source: Coord, members: &[Coord]) -> TreeTable {
        self.grown(source, First::X, members)
    }

    /// The shared tree from a source that spans the mesh.
    #[must_use]
    pub fn shared_broadcast(&self, source: Coord) -> TreeTable {
        self.shared_multicast(source, &self.all_places())
    }

    /// The private tree from a corner that spans the mesh.
    #[must_use]
    pub fn private_broadcast(&self, corner: Coord) -> TreeTable {
        self.private_multicast(corner, &self.all_places())
    }

    fn all_places(&self) -> Vec<Coord> {
        let tiles = 0..self.num_tiles() as u32;
        tiles.map(|tile| self.coord(TileId(tile))).collect()
    }

    /// Inputs of a reduction: the union of the paths from the members to the root.
    #[must_use]
    pub fn shared_reduction(&self, root: Coord, members: &[Coord]) -> TreeTable {
        let mut ports = vec![0; self.num_tiles()];
        for member in members {
            let (mut at, mut from) = (*member, Port::Local);
            loop {
                let known = &mut ports[self.tile_at(at).idx()];
                let is_known = *known != 0;
                *known |= from.bit();
                let out = self.next_hop(at, root);
                match coord_behind(at, out) {
                    Some(next) if !is_known => (at, from) = (next, out.opposite()),
                    Some(_) | None => break,
                }
            }
        }
        TreeTable {
            root: self.tile_at(root),
            ports,
        }
    }

    /// The corner of the mesh whose private tree a source uses: the nearest one, of several the first of south-west, south-east,
    /// north-east, north-west.
    #[must_use]
    pub fn nearest_corner(&self, source: Coord) -> Coord {
        let (east, north) = (self.width() - 1, self.height() - 1);
        let mut best = Coord::new(0, 0);
        for corner in [(east, 0), (east, north), (0, north)] {
            let corner = Coord::new(corner.0, corner.1);
            if source.hops_to(corner) < source.hops_to(best) {
                best = corner;
            }
        }
        best
    }

    /// Outputs of a multicast from a corner on its private tree (S2 §III.A): from the south-west one east, then north; from the
    /// south-east one north, then west; from the north-east one west, then south; from the north-west one south, then east.
    #[must_use]
    pub fn private_multicast(&self, corner: Coord, members: &[Coord]) -> TreeTable {
        self.grown(corner, self.first_of(corner), members)
    }

    /// Does a private tree leave its corner along a row?
    #[must_use]
    pub fn leaves_along_row(&self, corner: Coord) -> bool {
        self.first_of(corner) == First::X
    }

    const fn first_of(&self, corner: Coord) -> First {
        if (corner.x == 0) == (corner.y == 0) {
            First::X
        } else {
            First::Y
        }
    }

    /// From every member back to the source, as far as the tree is not known.
    fn grown(&self, source: Coord, first: First, members: &[Coord]) -> TreeTable {
        let mut ports = vec![0; self.num_tiles()];
        for member in members {
            let (mut at, mut out) = (*member, Port::Local);
            loop {
                let known = &mut ports[self.tile_at(at).idx()];
                let is_known = *known != 0;
                *known |= out.bit();
                let from = entered_by(at, source, first);
                match coord_behind(at, from) {
                    Some(before) if !is_known => (at, out) = (before, from.opposite()),
                    Some(_) | None => break,
                }
            }
        }
        TreeTable {
            root: self.tile_at(source),
            ports,
        }
    }
}

/// Port through which a packet from `source` enters the router `here`; Local at the source.
const fn entered_by(here: Coord, source: Coord, first: First) -> Port {
    let is_column = match first {
        First::X => here.y != source.y,
        First::Y => here.x == source.x && here.y != source.y,
    };
    if is_column {
        return if here.y > source.y {
            Port::South
        } else {
            Port::North
        };
    }
    if here.x > source.x {
        Port::West
    } else if here.x < source.x {
        Port::East
    } else {
        Port::Local
    }
}
