// SPDX-License-Identifier: Apache-2.0
//! Tiles, groups of them, and locations in their memories.

use noccl_net::{Coord, MultiAddress, TileRef, TileSet};
use noccl_workload::{Place, Rectangle};

/// Cluster (x, y).
#[must_use]
pub const fn cluster(x: u16, y: u16) -> TileRef {
    TileRef::Cluster(Coord::new(x, y))
}

/// An offset in the memory of a tile.
#[must_use]
pub const fn place(tile: TileRef, offset: u64) -> Place {
    Place { tile, offset }
}

/// An offset in the memory of cluster (x, y).
#[must_use]
pub const fn at(x: u16, y: u16, offset: u64) -> Place {
    Place {
        tile: cluster(x, y),
        offset,
    }
}

/// The multi-address (x, y) with masks.
#[must_use]
pub const fn cube(x: u16, y: u16, mask_x: u16, mask_y: u16) -> MultiAddress {
    MultiAddress::new(Coord::new(x, y), Coord::new(mask_x, mask_y))
}

/// A rectangle of clusters from its south-west corner.
#[must_use]
pub const fn rectangle(x: u16, y: u16, width: u16, height: u16) -> TileSet {
    TileSet::Rectangle {
        x,
        y,
        width,
        height,
    }
}

/// The same as core tiles reach it.
#[must_use]
pub const fn clusters(x: u16, y: u16, width: u16, height: u16) -> Rectangle {
    Rectangle {
        x,
        y,
        width,
        height,
    }
}
