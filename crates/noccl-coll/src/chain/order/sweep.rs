// SPDX-License-Identifier: Apache-2.0
//! Orders that cross no link twice, by construction.
//!
//! Under X-first routing there is one for every source and every set of destinations, so that a scheduler never has
//! to fall back on shared links. Sweep the columns from the source's eastwards, then those west of it westwards:
//! each link of a row is crossed at most once, because a sweep never reverses. In a column the chain comes in at the row
//! where it stands, goes to one end of the column's destinations and from there monotonously to the
//! other end: each vertical link is crossed at most once in each direction.

use noccl_net::{Network, TileId};

/// In which direction a sweep runs first, and how it goes through columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sweep {
    /// Westwards first.
    pub(super) is_west_first: bool,
    /// From a column's nearer end; else from its southern one.
    pub(super) is_nearer_end: bool,
    /// Begin at the first destination, which stands in the westernmost column, and sweep eastwards from there.
    pub(super) is_start_fixed: bool,
}

/// The order of a sweep over ascending destinations.
pub(super) fn sweep(
    network: &Network,
    source: TileId,
    ascending: &[TileId],
    how: Sweep,
) -> Vec<TileId> {
    let at = |tile: TileId| network.coord(tile);
    // Ascending ids are ascending columns, each from south to north.
    let columns: Vec<&[TileId]> = ascending.chunk_by(|a, b| at(*a).x == at(*b).x).collect();
    let first_east = if how.is_start_fixed {
        0
    } else {
        let is_before = |c: &&[TileId]| c.first().is_some_and(|t| at(*t).x < at(source).x);
        let is_west = |c: &&[TileId]| match how.is_west_first {
            // The source's own column belongs to the first sweep.
            true => c.first().is_some_and(|t| at(*t).x <= at(source).x),
            false => is_before(c),
        };
        columns.iter().take_while(|c| is_west(c)).count()
    };
    let (west, east) = columns.split_at(first_east);
    let west: Vec<&[TileId]> = west.iter().rev().copied().collect();
    let both = if how.is_west_first {
        [west, east.to_vec()]
    } else {
        [east.to_vec(), west]
    };
    let mut order: Vec<TileId> = Vec::with_capacity(ascending.len());
    for column in both.concat() {
        let row = order.last().map_or(at(source).y, |t| at(*t).y);
        let ends = (column.first(), column.last());
        let (Some(south), Some(north)) = ends else {
            continue;
        };
        let is_northern = at(*north).y.abs_diff(row) < at(*south).y.abs_diff(row);
        let is_first_fixed = how.is_start_fixed && order.is_empty();
        if how.is_nearer_end && is_northern && !is_first_fixed {
            order.extend(column.iter().rev());
        } else {
            order.extend(column);
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::super::links::shared_links;
    use super::super::tests::{mesh, random_set};
    use super::*;

    #[test]
    fn no_sweep_crosses_a_link_twice_and_each_visits_everything() {
        for (width, height) in [(8, 8), (5, 3), (1, 9), (9, 1), (2, 7)] {
            let network = mesh(width, height);
            let most = usize::from(width * height) - 1;
            for seed in 0..200 {
                let (source, all) = random_set(&network, 1 + seed as usize % most, seed);
                for shape in 0..8 {
                    let how = Sweep {
                        is_west_first: shape & 1 > 0,
                        is_nearer_end: shape & 2 > 0,
                        is_start_fixed: shape & 4 > 0,
                    };
                    let order = sweep(&network, source, &all, how);
                    let shared = shared_links(&network, source, &order);
                    assert_eq!(shared, [], "{how:?} from {source:?}: {order:?}");
                    assert!(!how.is_start_fixed || order[0] == all[0]);
                    let mut visited = order;
                    visited.sort_unstable();
                    assert_eq!(visited, all);
                }
            }
        }
    }
}
