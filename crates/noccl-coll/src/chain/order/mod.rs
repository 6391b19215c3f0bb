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
mod moves;

use crate::CollError;
use noccl_net::{Coord, Network, Port, TileId};
use std::fmt;
use std::str::FromStr;

pub use noccl_net::ChainCycles;

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
        ChainOrder::Greedy => descent::greedy(network, source, &ascending),
        ChainOrder::Nearest => descent::nearest(network, source, &ascending),
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

// Which links the segments of a chain cross, and how often.

/// Uses of every link of a plane.
#[derive(Debug, Clone)]
pub(super) struct LinkUses {
    /// By `tile * 4 + port`.
    uses: Vec<u32>,
}

/// Links that a packet crosses, as indices of [`LinkUses`].
fn route(network: &Network, from: TileId, to: TileId) -> impl Iterator<Item = usize> + '_ {
    let path = network.path(network.coord(from), network.coord(to));
    let links = path.filter(|(_, port)| *port != Port::Local);
    links.map(|(at, port): (Coord, Port)| network.tile_at(at).idx() * 4 + port.idx())
}

impl LinkUses {
    pub(super) fn new(network: &Network) -> Self {
        Self {
            uses: vec![0; network.num_tiles() * 4],
        }
    }

    /// Adds a segment; how many of its links were used already.
    pub(super) fn add(&mut self, network: &Network, from: TileId, to: TileId) -> u32 {
        let mut shared = 0;
        for link in route(network, from, to) {
            shared += u32::from(self.uses[link] > 0);
            self.uses[link] += 1;
        }
        shared
    }

    /// Takes back a segment that was added.
    pub(super) fn remove(&mut self, network: &Network, from: TileId, to: TileId) {
        for link in route(network, from, to) {
            self.uses[link] -= 1;
        }
    }

    /// Does a segment cross a link that is used?
    pub(super) fn has_shared(&self, network: &Network, from: TileId, to: TileId) -> bool {
        route(network, from, to).any(|link| self.uses[link] > 0)
    }
}

/// The segments of a chain: (from, to).
pub(super) fn segments(
    source: TileId,
    destinations: &[TileId],
) -> impl Iterator<Item = (TileId, TileId)> + '_ {
    let starts = std::iter::once(source).chain(destinations.iter().copied());
    starts.zip(destinations.iter().copied())
}

/// Links, as (tile, output port), that more than one segment of a chain crosses; ascending.
#[must_use]
pub fn shared_links(
    network: &Network,
    source: TileId,
    destinations: &[TileId],
) -> Vec<(TileId, Port)> {
    let mut uses = LinkUses::new(network);
    for (from, to) in segments(source, destinations) {
        uses.add(network, from, to);
    }
    let shared = uses.uses.iter().enumerate().filter(|(_, n)| **n > 1);
    shared
        .map(|(link, _)| (TileId((link / 4) as u32), Port::ALL[link % 4]))
        .collect()
}

/// Hops of a multicast tree: links in the union of the paths from the source to every destination.
#[must_use]
pub fn multicast_hops(network: &Network, source: TileId, destinations: &[TileId]) -> u32 {
    let mut uses = LinkUses::new(network);
    let all = destinations.iter();
    all.map(|to| network.hops(source, *to) - uses.add(network, source, *to))
        .sum()
}

/// Hops of one packet per destination.
#[must_use]
pub fn unicast_hops(network: &Network, source: TileId, destinations: &[TileId]) -> u32 {
    let all = destinations.iter();
    all.map(|to| network.hops(source, *to)).sum()
}

// What an order costs: hops, links crossed twice, cycles by the closed form.

/// What an order costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainReport {
    /// Hops of all segments together.
    pub hops: u32,
    /// Hops between the source and the last destination.
    pub tail_hops: u32,
    /// Links that more than one segment crosses.
    pub num_shared_links: u32,
    /// Cycles by the closed form, all links free.
    pub cycles: u64,
}

/// Hops, shared links and cycles of a chain that visits `destinations` in this order with that many bytes.
#[must_use]
pub fn chain_report(
    network: &Network,
    source: TileId,
    destinations: &[TileId],
    constants: &ChainCycles,
    bytes: u64,
) -> ChainReport {
    let hops = segments(source, destinations).map(|(from, to)| network.hops(from, to));
    let hops = hops.sum();
    let tail_hops = destinations
        .last()
        // 0: a chain without destinations has no tail.
        .map_or(0, |tail| network.hops(source, *tail));
    ChainReport {
        hops,
        tail_hops,
        num_shared_links: shared_links(network, source, destinations).len() as u32,
        cycles: constants.cycles(network, source, destinations, bytes),
    }
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
            let hops: u32 = segments(self.source, order)
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
