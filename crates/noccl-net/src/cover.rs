// SPDX-License-Identifier: Apache-2.0
//! Splitting a tile set into disjoint multi-addresses, one transaction of the network each.
//!
//! A multi-address is a sub-cube: some bits of x and y fixed, the others free. How few are needed:
//!
//! - **A rectangle** is the product of an x interval A and a y interval B, and is split into the
//!   products of the cubes of A and of B, d(A)·d(B) of them. [`interval_cubes`] gives d, one less
//!   than the aligned blocks in some cases, because strided cubes count too. Nothing smaller exists
//!   if B has d(B) *witnesses*: points of which no two share a cube inside B. For then every cube of
//!   a partition of A×B meets at most one of the lines A×{witness}, and each of these d(B) lines is
//!   a copy of A and costs d(A). The same holds with A and B exchanged. `tests/it/prop_cover.rs` finds
//!   the witnesses of all intervals of up to 32 clusters and checks d by them; where neither side
//!   has enough of them (intervals like 1..=14 of 16), it uses weights instead: if each cube inside
//!   an interval weighs at most 1, an interval of weight d needs d cubes, and weights multiply. Both
//!   together prove every rectangle of regions of up to 16×16 minimal; beyond that, all but those
//!   with two sides of the exceptional kind whose shape is not in that test.
//! - **Up to 16 members**, which includes every set on 4×4: an exact search.
//! - **Anything else**: the best of several heuristics; the same test bounds their ratio.

mod exact;
mod heuristic;
mod interval;

pub use interval::interval_cubes;

use crate::{Coord, MultiAddress, NetError, Network, TileSet};

/// Sets of at most this many members are split by exact search.
const MAX_EXACT: usize = 16;

/// Disjoint multi-addresses whose union is the set, ascending by base (x first). Every member of
/// every one is a cluster that exists.
///
/// Fewest possible for rectangles and for sets of up to 16 members, see the module; else a heuristic.
///
/// # Errors
/// As [`Network::members`].
pub fn cover(network: &Network, set: &TileSet) -> Result<Vec<MultiAddress>, NetError> {
    let members = network.members(set)?;
    Ok(cover_members(&members))
}

/// [`cover`] of members that are sorted, distinct and at least one.
fn cover_members(members: &[Coord]) -> Vec<MultiAddress> {
    let (Some(low), Some(high)) = (
        members.iter().copied().reduce(corner(u16::min)),
        members.iter().copied().reduce(corner(u16::max)),
    ) else {
        return Vec::new();
    };
    let area = (usize::from(high.x - low.x) + 1) * (usize::from(high.y - low.y) + 1);
    let mut cubes = if area == members.len() {
        product(
            &interval_cubes(low.x, high.x),
            &interval_cubes(low.y, high.y),
        )
    } else if let Some(cube) = one_cube(members, low, high) {
        vec![cube]
    } else if members.len() <= MAX_EXACT {
        exact::partition(members)
    } else {
        heuristic::partition(members)
    };
    cubes.sort_unstable();
    cubes
}

fn corner(pick: fn(u16, u16) -> u16) -> impl Fn(Coord, Coord) -> Coord {
    move |a, b| Coord::new(pick(a.x, b.x), pick(a.y, b.y))
}

/// The set as one cube with strides, if it is one.
fn one_cube(members: &[Coord], low: Coord, high: Coord) -> Option<MultiAddress> {
    let mask = Coord::new(low.x ^ high.x, low.y ^ high.y);
    let cube = MultiAddress::new(low, mask);
    let fits = cube.base == low
        && cube.len() as usize == members.len()
        && members.iter().all(|c| cube.contains(*c));
    fits.then_some(cube)
}

/// All pairs of an x cube and a y cube, given as (base, mask).
fn product(xs: &[(u16, u16)], ys: &[(u16, u16)]) -> Vec<MultiAddress> {
    xs.iter()
        .flat_map(|(x, mask_x)| {
            ys.iter().map(|(y, mask_y)| {
                MultiAddress::new(Coord::new(*x, *y), Coord::new(*mask_x, *mask_y))
            })
        })
        .collect()
}
