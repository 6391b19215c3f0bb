// SPDX-License-Identifier: Apache-2.0
//! In which order a chain visits its destinations.
//!
//! A chain's cost is decided by its order: the links that its data crosses, and whether two of its segments cross
//! the same link in one direction. The latter is more than a matter of speed: a wormhole holds a link until its last flit,
//! so that a segment can wait, through the chain's back-pressure, for the one that holds its link.
//!
//! Every order is a pure function of network, source and destinations. The segments' routes are those of
//! [`Network::path`]. Source: S3 §III-D, Algorithm 1, and its released scheduler.

mod descent;
mod exact;
mod links;
mod moves;
mod report;
mod simple;
mod sweep;

pub use links::{multicast_hops, shared_links, unicast_hops};
pub use noccl_net::ChainCycles;
pub use report::{ChainReport, chain_report};

use crate::CollError;
use noccl_net::{Network, TileId};
use std::fmt;
use std::str::FromStr;

/// How the order of a chain's destinations is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChainOrder {
    /// Ascending tile ids; S3 calls it naive.
    Id,
    /// S3's Algorithm 1: from the lowest id, always to the nearest destination whose segment crosses no link that is
    /// used already, to the nearest of all if there is none.
    Greedy,
    /// From the source, always to the nearest destination.
    Nearest,
    /// Fewest hops of all orders that begin at the lowest id and cross no link twice: S3's released scheduler.
    FixedStart,
    /// Fewest hops of all orders: S3's text.
    OpenPath,
    /// Fewest cycles of all orders that cross no link twice.
    Latency,
}

impl ChainOrder {
    /// All of them, in the order of tables.
    pub const ALL: [ChainOrder; 6] = [
        ChainOrder::Id,
        ChainOrder::Greedy,
        ChainOrder::Nearest,
        ChainOrder::FixedStart,
        ChainOrder::OpenPath,
        ChainOrder::Latency,
    ];

    /// Stable name, as users write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ChainOrder::Id => "id",
            ChainOrder::Greedy => "greedy",
            ChainOrder::Nearest => "nearest",
            ChainOrder::FixedStart => "fixed_start",
            ChainOrder::OpenPath => "open_path",
            ChainOrder::Latency => "latency",
        }
    }

    /// Does no link carry two segments, whatever the destinations?
    #[must_use]
    pub const fn is_disjoint(self) -> bool {
        match self {
            ChainOrder::FixedStart | ChainOrder::Latency => true,
            ChainOrder::Id | ChainOrder::Greedy | ChainOrder::Nearest | ChainOrder::OpenPath => {
                false
            }
        }
    }
}

impl fmt::Display for ChainOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ChainOrder {
    type Err = CollError;

    fn from_str(text: &str) -> Result<Self, CollError> {
        let known = ChainOrder::ALL.into_iter().find(|o| o.name() == text);
        known.ok_or_else(|| CollError::UnknownName {
            what: "order",
            found: text.to_owned(),
            accepted: ChainOrder::ALL.map(ChainOrder::name).join(", "),
        })
    }
}

/// What a search minimises, and among which orders.
#[derive(Debug, Clone, Copy)]
struct Search<'a> {
    network: &'a Network,
    source: TileId,
    /// Ascending.
    destinations: &'a [TileId],
    /// Cost of a hop of a segment.
    hop_cost: u32,
    /// Cost of a hop between source and last destination.
    tail_cost: u32,
    /// Only orders that begin at the first destination.
    is_start_fixed: bool,
    /// Only orders that cross no link twice.
    is_disjoint: bool,
}

impl Search<'_> {
    /// The best order: proved for few destinations, found by local search for more.
    fn solve(&self) -> Vec<TileId> {
        if self.destinations.len() <= exact::MAX_DESTINATIONS {
            exact::solve(self)
        } else {
            descent::solve(self)
        }
    }
}

/// The destinations in the order in which a chain from `source` visits them.
///
/// # Errors
/// [`CollError::Impossible`] if a destination is the source, is named twice or does not exist.
pub fn chain_order(
    network: &Network,
    source: TileId,
    destinations: &[TileId],
    order: ChainOrder,
) -> Result<Vec<TileId>, CollError> {
    let mut ascending = destinations.to_vec();
    ascending.sort_unstable();
    validate(network, source, &ascending)?;
    let constants = ChainCycles::of(network);
    let search = Search {
        network,
        source,
        destinations: &ascending,
        hop_cost: 1,
        tail_cost: 0,
        is_start_fixed: false,
        is_disjoint: order.is_disjoint(),
    };
    Ok(match order {
        ChainOrder::Id => ascending,
        ChainOrder::Greedy => simple::greedy(network, source, &ascending),
        ChainOrder::Nearest => simple::nearest(network, source, &ascending),
        ChainOrder::FixedStart => Search {
            is_start_fixed: true,
            ..search
        }
        .solve(),
        ChainOrder::OpenPath => search.solve(),
        ChainOrder::Latency => Search {
            hop_cost: constants.per_hop(),
            tail_cost: constants.per_tail_hop(),
            ..search
        }
        .solve(),
    })
}

/// Are these destinations that a chain can visit? They come sorted.
fn validate(network: &Network, source: TileId, ascending: &[TileId]) -> Result<(), CollError> {
    let refuse = |reason: String| Err(CollError::Impossible(reason));
    let exists = |tile: &TileId| tile.idx() < network.num_tiles();
    if let Some(absent) = std::iter::once(&source)
        .chain(ascending)
        .find(|t| !exists(t))
    {
        return refuse(format!(
            "tile {}: accepted: below {}",
            absent.0,
            network.num_tiles()
        ));
    }
    if let Some(pair) = ascending.windows(2).find(|w| w[0] == w[1]) {
        let twice = network.tile_ref(pair[0]);
        return refuse(format!("{twice} is a destination twice; accepted: once"));
    }
    if ascending.binary_search(&source).is_ok() {
        let source = network.tile_ref(source);
        return refuse(format!(
            "{source} is source and destination; accepted: destinations other than the source"
        ));
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    pub(super) use noccl_testkit::mesh;

    /// A source and ascending destinations, some of the clusters.
    pub(super) fn random_set(network: &Network, num: usize, seed: u64) -> (TileId, Vec<TileId>) {
        let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut tiles: Vec<TileId> = network.clusters().collect();
        for at in (1..tiles.len()).rev() {
            tiles.swap(at, descent::below(&mut random, at + 1));
        }
        let source = tiles.pop().unwrap();
        tiles.truncate(num);
        tiles.sort_unstable();
        (source, tiles)
    }

    impl Search<'_> {
        pub(super) fn cost(&self, order: &[TileId]) -> u32 {
            let tail = order
                .last()
                .map_or(0, |t| self.network.hops(self.source, *t));
            let hops: u32 = links::segments(self.source, order)
                .map(|(from, to)| self.network.hops(from, to))
                .sum();
            hops * self.hop_cost + tail * self.tail_cost
        }
    }

    #[test]
    fn every_order_reads_back_from_its_name() {
        for order in ChainOrder::ALL {
            assert_eq!(order.to_string().parse().as_ref(), Ok(&order));
        }
        let error = "shortest".parse::<ChainOrder>().unwrap_err().to_string();
        assert!(error.contains("open_path"), "{error}");
    }

    #[test]
    fn the_local_search_finds_what_the_proof_finds() {
        let network = mesh(6, 5);
        for seed in 0..60 {
            let (source, destinations) = random_set(&network, 4 + seed as usize % 6, seed);
            for (hop_cost, tail_cost) in [(1, 0), (6, 2)] {
                for (is_start_fixed, is_disjoint) in [(false, false), (false, true), (true, true)] {
                    let search = Search {
                        network: &network,
                        source,
                        destinations: &destinations,
                        hop_cost,
                        tail_cost,
                        is_start_fixed,
                        is_disjoint,
                    };
                    let proved = search.cost(&exact::solve(&search));
                    let found = search.cost(&descent::solve(&search));
                    assert_eq!(found, proved, "seed {seed}: {search:?}");
                }
            }
        }
    }
}
