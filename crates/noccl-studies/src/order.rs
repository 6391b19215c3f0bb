// SPDX-License-Identifier: Apache-2.0
//! In which order a chain visits its destinations, for one set of them or for many random sets.

use crate::{Error, root_name};
use noccl_coll::chain::order::{
    ChainCycles, ChainOrder, chain_order, chain_report, multicast_hops, shared_links, unicast_hops,
};
use noccl_net::{Network, TileId, TileRef, TileSet};
use noccl_run::{Rng, Tally, Watch};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Most destinations of all random sets together: a row of the result names each.
pub const MAX_DRAWN_DESTINATIONS: u64 = 4_000_000;

/// A chain whose destinations are to be ordered.
#[derive(Debug, Clone, PartialEq)]
pub struct OrderRequest {
    /// Where the data is read.
    pub source: TileRef,
    /// Destinations; the source among them gets a copy of its own and no path segment.
    pub destinations: TileSet,
    /// Orders to compare.
    pub orders: Vec<ChainOrder>,
    /// An order of the caller's besides: it must name every destination once.
    pub given: Option<Vec<TileRef>>,
    /// Payload, for the cycles.
    pub bytes: u64,
}

/// What one order costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OrderRow {
    /// Name of the order; `given` is the caller's.
    pub order: String,
    /// Hops of all path segments.
    pub hops: u32,
    /// The same by the number of destinations.
    pub hops_per_destination: f64,
    /// Links that more than one path segment crosses: tile and port.
    pub shared_links: Vec<String>,
    /// Cycles of the chain by the closed form, all links free.
    pub cycles: u64,
    /// Destinations in the order of their visits.
    #[serde(alias = "stops")]
    pub destinations: Vec<String>,
}

/// Orders of one set of destinations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OrderReport {
    /// Name of the network.
    pub network: String,
    /// Where the data is read.
    pub source: String,
    /// Destinations without the source.
    pub num_destinations: u32,
    /// Is the source a destination, too? Its copy crosses no link.
    pub has_loopback: bool,
    /// Payload.
    pub bytes: u64,
    /// Hops of a packet per destination.
    pub unicast_hops: u32,
    /// Hops of a multicast tree.
    pub multicast_hops: u32,
    /// One row per order.
    pub rows: Vec<OrderRow>,
}

/// Random sets of destinations.
#[derive(Debug, Clone, PartialEq)]
pub struct OrderDrawRequest {
    /// Where the data is read.
    pub source: TileRef,
    /// Numbers of destinations.
    pub counts: Vec<u32>,
    /// Sets of each number.
    pub draws: u32,
    /// Seed of the sets.
    pub seed: u64,
    /// Orders to compare.
    pub orders: Vec<ChainOrder>,
}

/// One random set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OrderDraw {
    /// Number of destinations.
    pub num_destinations: u32,
    /// Which of the sets of this number.
    pub draw: u32,
    /// Destinations, ascending.
    pub destinations: Vec<String>,
    /// Hops of a packet per destination.
    pub unicast_hops: u32,
    /// Hops of a multicast tree.
    pub multicast_hops: u32,
    /// Hops of the chain, by name of the order.
    pub hops: BTreeMap<String, u32>,
    /// Links that more than one path segment crosses, by name of the order.
    pub shared_links: BTreeMap<String, u32>,
}

/// Orders a set of destinations by several rules.
///
/// # Errors
/// [`Error::Net`] for tiles that are not there, [`Error::Argument`] for a given order that is none of the
/// destinations.
///
/// ```
/// let network = noccl_studies::load("collective_noc_4x4", &[])?.network;
/// let report = noccl_studies::order(&network, &noccl_studies::OrderRequest {
///     source: noccl_studies::parse_root(&network, "0,0")?,
///     destinations: noccl_studies::parse_group(&network, "all")?,
///     orders: noccl_studies::parse_orders("id,open_path")?,
///     given: None,
///     bytes: 4096,
/// })?;
/// assert_eq!((report.rows[0].hops, report.rows[1].hops), (24, 15));
/// # Ok::<(), noccl_studies::Error>(())
/// ```
pub fn order(network: &Network, request: &OrderRequest) -> Result<OrderReport, Error> {
    Error::axi(network, "chains")?;
    let source = tile(network, request.source)?;
    let members = network.members(&request.destinations)?;
    let all = members
        .iter()
        .map(|c| network.tile_at(network.mesh_coord(*c)));
    let (own, destinations): (Vec<TileId>, Vec<TileId>) = all.partition(|t| *t == source);
    let mut rows = Vec::new();
    for order in &request.orders {
        let ordered = chain_order(network, source, &destinations, *order)?;
        rows.push(row(network, source, &ordered, order.name(), request.bytes));
    }
    if let Some(given) = &request.given {
        let ordered = given_order(network, given, &destinations)?;
        rows.push(row(network, source, &ordered, "given", request.bytes));
    }
    Ok(OrderReport {
        network: network.spec().label(),
        source: root_name(request.source),
        num_destinations: destinations.len() as u32,
        has_loopback: !own.is_empty(),
        bytes: request.bytes,
        unicast_hops: unicast_hops(network, source, &destinations),
        multicast_hops: multicast_hops(network, source, &destinations),
        rows,
    })
}

/// Hops between any two of some tiles, row by row.
///
/// # Errors
/// [`Error::Argument`] for a tile that is not there.
pub fn path_hops(network: &Network, tiles: &[TileRef]) -> Result<Vec<Vec<u32>>, Error> {
    let tiles = tiles.iter().map(|at| tile(network, *at));
    let tiles: Vec<TileId> = tiles.collect::<Result<_, Error>>()?;
    let row = |from: &TileId| tiles.iter().map(|to| network.hops(*from, *to)).collect();
    Ok(tiles.iter().map(row).collect())
}

/// The names of orders, separated by commas; nothing stands for all.
///
/// # Errors
/// [`Error::Coll`] with the known names.
pub fn parse_orders(text: &str) -> Result<Vec<ChainOrder>, Error> {
    if text.is_empty() {
        return Ok(ChainOrder::ALL.to_vec());
    }
    let words = text.split(',').map(|word| Ok(word.trim().parse()?));
    words.collect()
}

/// Orders many random sets of clusters, each by several rules.
///
/// # Errors
/// [`Error::Argument`] for a number of destinations that the network has not; [`Error::Run`] if interrupted.
pub fn order_draws(
    network: &Network,
    request: &OrderDrawRequest,
    watch: Watch<'_>,
) -> Result<Vec<OrderDraw>, Error> {
    Error::axi(network, "chains")?;
    let source = tile(network, request.source)?;
    let others: Vec<TileId> = network.clusters().filter(|t| *t != source).collect();
    let most = others.len() as u32;
    if let Some(count) = request.counts.iter().find(|c| !(1..=most).contains(*c)) {
        let accepted = format!("accepted: 1 to {most}, the clusters without the source");
        return Err(Error::argument("--counts", count, accepted));
    }
    let each: u64 = request.counts.iter().map(|c| u64::from(*c)).sum();
    if each.saturating_mul(u64::from(request.draws)) > MAX_DRAWN_DESTINATIONS {
        let accepted = format!(
            "accepted: at most {}, as all sets together have at most {MAX_DRAWN_DESTINATIONS} destinations",
            MAX_DRAWN_DESTINATIONS / each
        );
        return Err(Error::argument("--draws", request.draws, accepted));
    }
    let pairs = request.counts.iter();
    let pairs: Vec<(u32, u32)> = pairs
        .flat_map(|count| (0..request.draws).map(|draw| (*count, draw)))
        .collect();
    let tally = Tally::new(watch, pairs.len() as u64);
    let drawn = pairs.par_iter().map(|(count, draw)| {
        let destinations = drawn_set(&others, request.seed, *count, *draw);
        let found = one_draw(network, source, &destinations, &request.orders)?;
        tally.finish_unit()?;
        Ok(OrderDraw {
            draw: *draw,
            ..found
        })
    });
    drawn.collect()
}

/// Draw number `draw` of `count` tiles, ascending.
fn drawn_set(tiles: &[TileId], seed: u64, count: u32, draw: u32) -> Vec<TileId> {
    let mut rng = Rng::new(seed, &format!("chain destinations {count} {draw}"));
    let mut tiles = tiles.to_vec();
    for at in 0..count as usize {
        let other = at + rng.below((tiles.len() - at) as u64) as usize;
        tiles.swap(at, other);
    }
    tiles.truncate(count as usize);
    tiles.sort_unstable();
    tiles
}

fn one_draw(
    network: &Network,
    source: TileId,
    destinations: &[TileId],
    orders: &[ChainOrder],
) -> Result<OrderDraw, Error> {
    let mut hops = BTreeMap::new();
    let mut shared = BTreeMap::new();
    for order in orders {
        let ordered = chain_order(network, source, destinations, *order)?;
        let report = chain_report(network, source, &ordered, &ChainCycles::of(network), 0);
        hops.insert(order.name().to_owned(), report.hops);
        shared.insert(order.name().to_owned(), report.num_shared_links);
    }
    Ok(OrderDraw {
        num_destinations: destinations.len() as u32,
        draw: 0,
        destinations: names(network, destinations),
        unicast_hops: unicast_hops(network, source, destinations),
        multicast_hops: multicast_hops(network, source, destinations),
        hops,
        shared_links: shared,
    })
}

fn row(network: &Network, source: TileId, ordered: &[TileId], name: &str, bytes: u64) -> OrderRow {
    let report = chain_report(network, source, ordered, &ChainCycles::of(network), bytes);
    let shared = shared_links(network, source, ordered);
    let shared = shared.into_iter().map(|(tile, port)| {
        let name = root_name(network.tile_ref(tile));
        format!("{name} {port:?}").to_lowercase()
    });
    OrderRow {
        order: name.to_owned(),
        hops: report.hops,
        hops_per_destination: f64::from(report.hops) / ordered.len().max(1) as f64,
        shared_links: shared.collect(),
        cycles: report.cycles,
        destinations: names(network, ordered),
    }
}

/// The caller's order, if it names every destination once.
fn given_order(
    network: &Network,
    given: &[TileRef],
    destinations: &[TileId],
) -> Result<Vec<TileId>, Error> {
    let ordered = given.iter().map(|at| tile(network, *at));
    let ordered: Vec<TileId> = ordered.collect::<Result<_, Error>>()?;
    let mut ascending = ordered.clone();
    ascending.sort_unstable();
    if ascending != destinations {
        let words: Vec<String> = given.iter().map(|at| root_name(*at)).collect();
        let accepted = "accepted: every destination but the source, once each";
        return Err(Error::argument("given", words.join(";"), accepted));
    }
    Ok(ordered)
}

fn tile(network: &Network, at: TileRef) -> Result<TileId, Error> {
    let absent = || Error::argument("tile", root_name(at), "accepted: a tile of the network");
    network.find(at).ok_or_else(absent)
}

fn names(network: &Network, tiles: &[TileId]) -> Vec<String> {
    let name = |tile: &TileId| root_name(network.tile_ref(*tile));
    tiles.iter().map(name).collect()
}
