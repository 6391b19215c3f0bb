// SPDX-License-Identifier: Apache-2.0
//! Files of specs with memory tiles around the clusters, as a user writes them.

use noccl_spec::{Spec, parse_spec};
use std::fmt::Write;

/// Columns of memory tiles west and east of the clusters, rows of them south and north; 0: none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sides {
    /// Columns west of the clusters.
    pub west: u32,
    /// Columns east of them.
    pub east: u32,
    /// Rows south of them.
    pub south: u32,
    /// Rows north of them.
    pub north: u32,
}

impl Sides {
    /// Every combination of sides, each as wide as this.
    pub fn all(width: u32) -> impl Iterator<Item = Self> {
        (0..16_u32).map(move |set| {
            let side = |bit: u32| width * (set >> bit & 1);
            Self {
                west: side(0),
                east: side(1),
                south: side(2),
                north: side(3),
            }
        })
    }

    /// Memory tiles around that many columns and rows of clusters.
    #[must_use]
    pub const fn memories(self, (columns, rows): (u32, u32)) -> u32 {
        let (width, height) = self.mesh((columns, rows));
        width * height - columns * rows
    }

    /// Columns and rows of the mesh.
    #[must_use]
    pub const fn mesh(self, (columns, rows): (u32, u32)) -> (u32, u32) {
        (
            self.west + columns + self.east,
            self.south + rows + self.north,
        )
    }
}

/// A file that has a preset of this size as its base; columns of memory tiles are as high as the mesh, rows as wide as the
/// clusters.
///
/// # Panics
///
/// Never: a string takes all that is written.
#[must_use]
pub fn text(base: &str, (columns, rows): (u32, u32), sides: Sides) -> String {
    let (width, height) = sides.mesh((columns, rows));
    let (x, y) = (sides.west, sides.south);
    let mut text = format!(
        "base = \"{base}\"\nname = \"sides\"\n\n[mesh]\nwidth = {width}\nheight = {height}\n"
    );
    let mut region = |kind: &str, at: (u32, u32), size: (u32, u32), base: u64, stride: u64| {
        if size.0 * size.1 == 0 {
            return;
        }
        write!(
            text,
            "\n[[mesh.regions]]\nkind = \"{kind}\"\nx = {}\ny = {}\nwidth = {}\nheight = {}\n\
             base_address = {base:#x}\nstride_bytes = {stride:#x}\n",
            at.0, at.1, size.0, size.1
        )
        .expect("a string takes all");
    };
    let memory = |side: u64| (1 << 40) + (side << 36);
    region(
        "memory",
        (x + columns, 0),
        (sides.east, height),
        memory(0),
        1 << 20,
    );
    region(
        "memory",
        (x, y + rows),
        (columns, sides.north),
        memory(1),
        1 << 20,
    );
    region("cluster", (x, y), (columns, rows), 1 << 41, 1 << 20);
    region("memory", (x, 0), (columns, sides.south), memory(2), 1 << 20);
    region("memory", (0, 0), (sides.west, height), memory(3), 1 << 20);
    text
}

/// A preset with memory tiles around the clusters.
///
/// # Panics
///
/// If the description refuses them.
#[must_use]
pub fn spec(base: &str, clusters: (u32, u32), sides: Sides) -> Spec {
    let text = text(base, clusters, sides);
    parse_spec("sides.toml", &text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"))
}
