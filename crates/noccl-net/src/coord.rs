// SPDX-License-Identifier: Apache-2.0
//! Coordinates, tile ids and router ports.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A position on the mesh: x grows East, y grows North, (0, 0) is the south-west tile.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct Coord {
    /// Column.
    pub x: u16,
    /// Row.
    pub y: u16,
}

impl Coord {
    /// The coordinate (x, y).
    #[must_use]
    pub const fn new(x: u16, y: u16) -> Self {
        Self { x, y }
    }

    /// Manhattan distance in hops.
    #[must_use]
    pub const fn hops_to(self, other: Self) -> u32 {
        self.x.abs_diff(other.x) as u32 + self.y.abs_diff(other.y) as u32
    }
}

impl fmt::Display for Coord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({},{})", self.x, self.y)
    }
}

/// Dense index of a tile: `x * height + y` over the whole mesh.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct TileId(pub u32);

impl TileId {
    /// As an index into per-tile arrays.
    #[must_use]
    pub const fn idx(self) -> usize {
        self.0 as usize
    }
}

/// A router's attachment. The order is the fold order of reductions and the index of port arrays.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Port {
    /// y + 1.
    North,
    /// x + 1.
    East,
    /// y - 1.
    South,
    /// x - 1.
    West,
    /// The tile's NI.
    Local,
}

impl Port {
    /// All ports in index order.
    pub const ALL: [Port; 5] = [
        Port::North,
        Port::East,
        Port::South,
        Port::West,
        Port::Local,
    ];

    /// Index into per-port arrays.
    #[must_use]
    pub const fn idx(self) -> usize {
        self as usize
    }

    /// Bit in a port set.
    #[must_use]
    pub const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// The port at the other end of the link; Local faces the NI and has no opposite.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Port::North => Port::South,
            Port::East => Port::West,
            Port::South => Port::North,
            Port::West => Port::East,
            Port::Local => Port::Local,
        }
    }
}
