// SPDX-License-Identifier: Apache-2.0
//! `auto` at points drawn by a seed: collective × size × group × root × element × network.
//!
//! A rule is tuned on some points and must be held against others: another seed draws other points.

use crate::auto_loss::auto_row;
use crate::compare::collective_of;
use crate::{AutoRow, CompareRequest, Error, load, parse_group, parse_root};
use noccl_net::Network;
use noccl_run::{Tally, Watch};
use noccl_workload::{CollectiveKind, ElementType};
use std::collections::BTreeMap;

/// Networks of the points, by how often they are drawn.
pub const AUTO_GRID_NETWORKS: [(&str, u64); 9] = [
    ("collective_noc_4x4", 4),
    ("collective_noc_8x8", 4),
    ("collective_noc_6x5", 3),
    ("collective_noc_16x16", 1),
    ("collective_noc_4x4_published", 2),
    ("collective_noc_8x8_bypass", 2),
    ("torrent_4x5", 2),
    ("smart_4x4", 1),
    ("ideal_4x4", 1),
];
/// Collectives, by how often they are drawn: a barrier has no sizes.
const KINDS: [(CollectiveKind, u64); 7] = [
    (CollectiveKind::Multicast, 2),
    (CollectiveKind::Reduce, 2),
    (CollectiveKind::AllReduce, 3),
    (CollectiveKind::AllGather, 2),
    (CollectiveKind::ReduceScatter, 2),
    (CollectiveKind::AllToAll, 2),
    (CollectiveKind::Barrier, 1),
];
const ELEMENTS: [(ElementType, u64); 4] = [
    (ElementType::Fp64, 3),
    (ElementType::Fp32, 2),
    (ElementType::Int32, 2),
    (ElementType::Bf16, 1),
];
/// Sizes are at least 2 to this of bytes, and less than 2 to those.
const LEAST_LOG2_BYTES: u64 = 3;
const MOST_LOG2_BYTES: u64 = 16;
const MOST_LOG2_BLOCK_BYTES: u64 = 13;
/// Members of a set that is no rectangle.
const MOST_IN_SET: u64 = 12;

/// Points of a seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AutoGrid {
    /// How many, at least 1.
    pub points: u32,
    /// The same seed draws the same points.
    pub seed: u64,
}

/// Every choice of every point simulated, and what `auto` takes there. Rows in the order of the points.
///
/// # Errors
/// As [`crate::compare()`].
///
/// ```
/// use noccl_studies::{AutoGrid, Watch};
/// let grid = AutoGrid { points: 1, seed: 3 };
/// let rows = noccl_studies::auto_grid(grid, Watch::quiet())?;
/// assert!(rows[0].loss >= 0.0 && rows[0].cycles >= rows[0].best_cycles);
/// # Ok::<(), noccl_studies::Error>(())
/// ```
pub fn auto_grid(grid: AutoGrid, watch: Watch<'_>) -> Result<Vec<AutoRow>, Error> {
    if grid.points == 0 {
        return Err(Error::argument("--grid", 0, "accepted: at least 1 point"));
    }
    let mut networks: BTreeMap<&str, Network> = BTreeMap::new();
    for (name, _) in AUTO_GRID_NETWORKS {
        networks.insert(name, load(name, &[])?.network);
    }
    let tally = Tally::new(watch, grid.points.into());
    let mut draw = Draw(grid.seed);
    let mut rows = Vec::new();
    while rows.len() < grid.points as usize {
        let network = &networks[draw.of(&AUTO_GRID_NETWORKS)];
        let Some(request) = point(&mut draw, network)? else {
            continue;
        };
        // What does not fit, or nothing does, is drawn again.
        let Ok(collective) = collective_of(network, &request, request.bytes[0]) else {
            continue;
        };
        if noccl_coll::choices(network, &collective).is_empty() {
            continue;
        }
        let row = auto_row(network, &request, request.bytes[0], &tally)?;
        if row.is_some() {
            tally.finish_unit()?;
        }
        rows.extend(row);
    }
    Ok(rows)
}

/// A point on a network; none if nothing like it is possible there.
fn point(draw: &mut Draw, network: &Network) -> Result<Option<CompareRequest>, Error> {
    let kind = draw.of(&KINDS);
    let element = draw.of(&ELEMENTS);
    let group = parse_group(network, &group(draw, network))?;
    let members = network.members(&group)?;
    let bytes = draw
        .bytes(kind.has_blocks())
        .next_multiple_of(element.bytes());
    let root = members[draw.below(members.len() as u64) as usize];
    let is_default = draw.below(3) > 0 || kind.has_blocks();
    if members.len() < 2 {
        return Ok(None);
    }
    let mut request = CompareRequest::new(kind, group, vec![bytes]);
    request.element = element;
    if !is_default {
        let root = format!("{},{}", root.x, root.y);
        request.root = Some(parse_root(network, &root)?);
    }
    Ok(Some(request))
}

/// A group, as [`parse_group`] reads it: all, a row, a column, a rectangle or a set.
fn group(draw: &mut Draw, network: &Network) -> String {
    let (width, height) = (
        u64::from(network.cluster_width()),
        u64::from(network.cluster_height()),
    );
    match draw.below(10) {
        0..=3 => "all".to_owned(),
        4 => format!("row:{}", draw.below(height)),
        5 => format!("column:{}", draw.below(width)),
        6..=8 => {
            let (x, y) = (draw.below(width), draw.below(height));
            let (columns, rows) = (1 + draw.below(width - x), 1 + draw.below(height - y));
            format!("{x},{y},{columns},{rows}")
        }
        _ => {
            let num = 2 + draw.below(MOST_IN_SET - 1);
            let tile = |draw: &mut Draw| format!("{},{}", draw.below(width), draw.below(height));
            let tiles: Vec<String> = (0..num).map(|_| tile(draw)).collect();
            format!("set:{}", tiles.join(";"))
        }
    }
}

/// Numbers that follow from a seed (SplitMix64).
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0, below `most`.
    fn below(&mut self, most: u64) -> u64 {
        self.next() % most.max(1)
    }

    /// One of a list, each as often as its number says.
    fn of<T: Copy>(&mut self, all: &[(T, u64)]) -> T {
        let mut place = self.below(all.iter().map(|(_, weight)| weight).sum());
        for (one, weight) in all {
            if place < *weight {
                return *one;
            }
            place -= weight;
        }
        all[0].0
    }

    /// A size, of each power of two as often.
    fn bytes(&mut self, is_block: bool) -> u64 {
        let most = if is_block {
            MOST_LOG2_BLOCK_BYTES
        } else {
            MOST_LOG2_BYTES
        };
        let least = 1 << (LEAST_LOG2_BYTES + self.below(most - LEAST_LOG2_BYTES));
        least + self.below(least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_draws_the_same_points_again_and_another_one_others() {
        let network = load("collective_noc_4x4", &[]).unwrap().network;
        let points = |seed| {
            let mut draw = Draw(seed);
            (0..50)
                .map(|_| point(&mut draw, &network).unwrap())
                .collect::<Vec<_>>()
        };
        let first = points(1);
        assert_eq!(first, points(1));
        assert_ne!(first, points(2));
        let drawn = first.iter().flatten();
        assert!(
            drawn
                .clone()
                .all(|p| p.bytes[0] < 1 << 16 && p.bytes[0] % p.element.bytes() == 0)
        );
        let kinds: std::collections::BTreeSet<String> =
            drawn.map(|p| p.collective.name().to_owned()).collect();
        assert_eq!(kinds.len(), 7, "{kinds:?}");
    }
}
