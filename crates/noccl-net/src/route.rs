// SPDX-License-Identifier: Apache-2.0
//! Dimension-ordered routing: X first, then Y. The only place that computes a next hop.

use crate::{Coord, Network, Port, TileId};

impl Network {
    /// Output port at `here` for a packet to `to`: X first, then Y, then Local (S1 §3.1).
    #[must_use]
    pub const fn next_hop(&self, here: Coord, to: Coord) -> Port {
        xy_port(here, to)
    }

    /// The tile behind an output port; `None` at the mesh edge and for Local.
    #[must_use]
    pub const fn neighbour(&self, here: Coord, port: Port) -> Option<Coord> {
        match coord_behind(here, port) {
            Some(at) if at.x < self.width() && at.y < self.height() => Some(at),
            _ => None,
        }
    }

    /// Routers on the path from `from` to `to`, both included, with the output port taken at each.
    pub fn path(&self, from: Coord, to: Coord) -> impl Iterator<Item = (Coord, Port)> + '_ {
        let mut here = Some(from);
        std::iter::from_fn(move || {
            let now = here?;
            let port = self.next_hop(now, to);
            here = self.neighbour(now, port);
            Some((now, port))
        })
    }

    /// Hops between two tiles.
    #[must_use]
    pub const fn hops(&self, from: TileId, to: TileId) -> u32 {
        self.coord(from).hops_to(self.coord(to))
    }
}

/// The coordinate behind an output port, on whatever mesh; `None` for Local and below zero.
#[must_use]
#[inline]
pub const fn coord_behind(here: Coord, port: Port) -> Option<Coord> {
    let (x, y) = match port {
        Port::North => (Some(here.x), here.y.checked_add(1)),
        Port::East => (here.x.checked_add(1), Some(here.y)),
        Port::South => (Some(here.x), here.y.checked_sub(1)),
        Port::West => (here.x.checked_sub(1), Some(here.y)),
        Port::Local => (None, None),
    };
    match (x, y) {
        (Some(x), Some(y)) => Some(Coord::new(x, y)),
        _ => None,
    }
}

/// Output port of dimension-ordered routing: X first, then Y, then Local (S1 §3.1).
#[must_use]
#[inline]
pub const fn xy_port(here: Coord, to: Coord) -> Port {
    if to.x > here.x {
        Port::East
    } else if to.x < here.x {
        Port::West
    } else if to.y > here.y {
        Port::North
    } else if to.y < here.y {
        Port::South
    } else {
        Port::Local
    }
}
