// SPDX-License-Identifier: Apache-2.0
//! Members and covers of sets.

use noccl_net::{Coord, MultiAddress, NetError, Network, TileSet};
use std::collections::BTreeSet;

/// Members in cluster coordinates, x outer, y inner, ascending.
pub(crate) fn members(network: &Network, set: &TileSet) -> Result<Vec<Coord>, NetError> {
    let (width, height) = (network.cluster_width(), network.cluster_height());
    let rectangle = |x: u16, y: u16, w: u16, h: u16| -> Vec<Coord> {
        (x..x.saturating_add(w))
            .flat_map(|x| (y..y.saturating_add(h)).map(move |y| Coord::new(x, y)))
            .collect()
    };
    let list: BTreeSet<Coord> = match set {
        TileSet::Tile(at) => vec![*at],
        TileSet::Row(y) => rectangle(0, *y, width, 1),
        TileSet::Column(x) => rectangle(*x, 0, 1, height),
        TileSet::Rectangle {
            x,
            y,
            width,
            height,
        } => rectangle(*x, *y, *width, *height),
        TileSet::Cube(set) => set.members().collect(),
        TileSet::Arbitrary(list) => list.clone(),
    }
    .into_iter()
    .collect();
    if list.is_empty() || list.iter().any(|c| c.x >= width || c.y >= height) {
        return Err(NetError::Set {
            what: "group".to_owned(),
            set: format!("{set:?}"),
            reason: format!("accepted: at least one of the {width}x{height} clusters"),
        });
    }
    Ok(list.into_iter().collect())
}

/// Disjoint multi-addresses that together are the set, in ascending order.
pub(crate) fn cover(set: &BTreeSet<Coord>) -> Vec<MultiAddress> {
    let mut left = set.clone();
    let mut out = Vec::new();
    while let Some(first) = left.first().copied() {
        let mut cube = MultiAddress::single(first);
        for bit in (0..16).map(|b| 1u16 << b) {
            for wider in [
                MultiAddress::new(cube.base, Coord::new(cube.mask.x | bit, cube.mask.y)),
                MultiAddress::new(cube.base, Coord::new(cube.mask.x, cube.mask.y | bit)),
            ] {
                let grown = MultiAddress::new(
                    wider.base,
                    Coord::new(wider.mask.x | cube.mask.x, wider.mask.y | cube.mask.y),
                );
                if grown.len() as usize <= left.len() && grown.members().all(|c| left.contains(&c))
                {
                    cube = grown;
                }
            }
        }
        for member in cube.members() {
            left.remove(&member);
        }
        out.push(cube);
    }
    out
}
