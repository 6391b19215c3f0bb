// SPDX-License-Identifier: Apache-2.0
//! Which turns packets take at a router, asked of the next hop.

use crate::{Coord, Network, Port, TileId};

/// Outputs that packets from an input can take, as a bit set.
pub(super) fn turns(network: &Network, extra: &[(Port, Port)], tile: TileId, from: Port) -> u8 {
    let here = network.coord(tile);
    let before = network.neighbour(here, from);
    if before.is_none() && from != Port::Local {
        return 0;
    }
    let mut turns = 0;
    for to in destinations(network, here) {
        if before.is_none_or(|b| network.next_hop(b, to) == from.opposite()) {
            turns |= network.next_hop(here, to).bit();
        }
    }
    for (entering, out) in extra {
        let exists = *out == Port::Local || network.neighbour(here, *out).is_some();
        if *entering == from && exists {
            turns |= out.bit();
        }
    }
    turns
}

/// Destinations in all directions, near and at the edges.
fn destinations(network: &Network, here: Coord) -> impl Iterator<Item = Coord> {
    let side = |at: u16, length: u16| {
        let near = at.saturating_sub(1)..=(at + 1).min(length - 1);
        near.chain([0, length - 1])
    };
    let rows = side(here.y, network.height());
    side(here.x, network.width()).flat_map(move |x| rows.clone().map(move |y| Coord::new(x, y)))
}
