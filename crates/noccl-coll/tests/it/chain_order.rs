// SPDX-License-Identifier: Apache-2.0
//! Orders of a chain's destinations, against independent reimplementations and all permutations.

use noccl_coll::chain::order::{
    ChainCycles, ChainOrder, chain_order, chain_report, multicast_hops, shared_links, unicast_hops,
};
use noccl_net::{Coord, Network, Port, TileId};
use noccl_testkit::mesh;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A directed link between neighbours, as (x, y) of both ends.
type Hop = ((i32, i32), (i32, i32));

fn place(network: &Network, tile: TileId) -> (i32, i32) {
    let at = network.coord(tile);
    (i32::from(at.x), i32::from(at.y))
}

/// X first, then Y, walked anew.
fn walk(from: (i32, i32), to: (i32, i32)) -> Vec<Hop> {
    let (mut at, mut hops) = (from, Vec::new());
    while at != to {
        let next = if at.0 == to.0 {
            (at.0, at.1 + (to.1 - at.1).signum())
        } else {
            (at.0 + (to.0 - at.0).signum(), at.1)
        };
        hops.push((at, next));
        at = next;
    }
    hops
}

fn segments(network: &Network, source: TileId, destinations: &[TileId]) -> Vec<Vec<Hop>> {
    let all = [&[source], destinations].concat();
    all.windows(2)
        .map(|w| walk(place(network, w[0]), place(network, w[1])))
        .collect()
}

/// Every link that two segments have in common, by comparing all pairs of segments.
fn shared_by_pairs(network: &Network, source: TileId, destinations: &[TileId]) -> BTreeSet<Hop> {
    let segments = segments(network, source, destinations);
    let pairs = (0..segments.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
    pairs
        .flat_map(|(a, b)| {
            segments[a]
                .iter()
                .filter(|hop| segments[b].contains(hop))
                .copied()
                .collect::<Vec<_>>()
        })
        .collect()
}

/// S3's Algorithm 1, line by line, over cluster numbers of a mesh of `height` rows.
fn published_greedy(
    height: i32,
    (noc_x, noc_y): (i32, i32),
    source: (i32, i32),
    destinations: &BTreeSet<i32>,
) -> Vec<i32> {
    let at = |id: i32| (id.div_euclid(height), id.rem_euclid(height));
    let mut remaining = destinations.clone();
    let start = *remaining.first().unwrap();
    let mut order = vec![start];
    remaining.remove(&start);
    let mut used: BTreeSet<Hop> = walk(source, at(start)).into_iter().collect();
    while !remaining.is_empty() {
        let last = at(*order.last().unwrap());
        let (mut best, mut best_hops) = (None, (noc_x + noc_y) as usize);
        for candidate in &remaining {
            let path = walk(last, at(*candidate));
            if path.iter().all(|hop| !used.contains(hop)) && path.len() < best_hops {
                (best, best_hops) = (Some(*candidate), path.len());
            }
        }
        if best.is_none() {
            let mut fewest = usize::MAX;
            for candidate in &remaining {
                let hops = walk(last, at(*candidate)).len();
                if hops < fewest {
                    (best, fewest) = (Some(*candidate), hops);
                }
            }
        }
        let next = best.unwrap();
        used.extend(walk(last, at(next)));
        remaining.remove(&next);
        order.push(next);
    }
    order
}

fn permutations(items: &[TileId]) -> Vec<Vec<TileId>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let each = items.iter().flat_map(|first| {
        let rest: Vec<TileId> = items.iter().copied().filter(|t| t != first).collect();
        permutations(&rest)
            .into_iter()
            .map(|tail| [vec![*first], tail].concat())
    });
    each.collect()
}

fn cycles(network: &Network, source: TileId, destinations: &[TileId]) -> u64 {
    chain_report(network, source, destinations, &ChainCycles::PUBLISHED, 4096).cycles
}

fn hops(network: &Network, source: TileId, destinations: &[TileId]) -> u32 {
    segments(network, source, destinations)
        .iter()
        .map(|l| l.len() as u32)
        .sum()
}

/// A mesh, a source and other clusters in no order.
fn chains(most: usize) -> impl Strategy<Value = (Network, TileId, Vec<TileId>)> {
    (1u16..=8, 2u16..=8).prop_flat_map(move |(width, height)| {
        let network = mesh(width, height);
        let tiles: Vec<TileId> = network.clusters().collect();
        let num = tiles.len();
        let shuffled = Just(tiles).prop_shuffle();
        (Just(network), shuffled, 2..=num.min(most + 1))
            .prop_map(|(network, tiles, num)| (network, tiles[0], tiles[1..num].to_vec()))
    })
}

proptest! {
    #![proptest_config(noccl_testkit::cheap())]

    #[test]
    fn every_order_visits_every_destination_once((network, source, given) in chains(63)) {
        let mut ascending = given.clone();
        ascending.sort_unstable();
        for order in ChainOrder::ALL {
            let mut destinations = chain_order(&network, source, &given, order).unwrap();
            prop_assert_eq!(&destinations, &chain_order(&network, source, &ascending, order).unwrap());
            destinations.sort_unstable();
            prop_assert_eq!(&destinations, &ascending, "{}", order);
        }
    }

    #[test]
    fn shared_links_are_those_that_two_segments_have_in_common((network, source, destinations) in chains(20)) {
        let found: BTreeSet<Hop> = shared_links(&network, source, &destinations)
            .into_iter()
            .map(|(tile, port)| {
                let (x, y) = place(&network, tile);
                let end = match port {
                    Port::North => (x, y + 1),
                    Port::East => (x + 1, y),
                    Port::South => (x, y - 1),
                    Port::West => (x - 1, y),
                    Port::Local => (x, y),
                };
                ((x, y), end)
            })
            .collect();
        prop_assert_eq!(found, shared_by_pairs(&network, source, &destinations));
    }

    #[test]
    fn disjoint_orders_cross_no_link_twice((network, source, given) in chains(63)) {
        for order in ChainOrder::ALL.into_iter().filter(|o| o.is_disjoint()) {
            let destinations = chain_order(&network, source, &given, order).unwrap();
            prop_assert!(shared_by_pairs(&network, source, &destinations).is_empty(), "{}", order);
        }
    }

    #[test]
    fn greedy_is_the_published_algorithm((network, source, given) in chains(63)) {
        let height = i32::from(network.cluster_height());
        let id = |tile: TileId| {
            let at = network.cluster_coord(network.coord(tile)).unwrap();
            i32::from(at.x) * height + i32::from(at.y)
        };
        let from = network.cluster_coord(network.coord(source)).unwrap();
        let sides = (i32::from(network.cluster_width()), height);
        let all = given.iter().map(|t| id(*t)).collect();
        let expected = published_greedy(height, sides, (from.x.into(), from.y.into()), &all);
        let destinations = chain_order(&network, source, &given, ChainOrder::Greedy).unwrap();
        prop_assert_eq!(destinations.into_iter().map(id).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn nearest_goes_on_to_the_nearest_and_lowest_of_the_rest((network, source, given) in chains(40)) {
        let destinations = chain_order(&network, source, &given, ChainOrder::Nearest).unwrap();
        let mut last = source;
        for (at, destination) in destinations.iter().enumerate() {
            let distance = |to: &TileId| (walk(place(&network, last), place(&network, *to)).len(), *to);
            prop_assert_eq!(destinations[at..].iter().map(distance).min(), Some(distance(destination)));
            last = *destination;
        }
    }

    #[test]
    fn few_destinations_are_ordered_best_of_all_permutations((network, source, given) in chains(6)) {
        let every = permutations(&given);
        let destinations = |order| chain_order(&network, source, &given, order).unwrap();
        let fewest = every.iter().map(|o| hops(&network, source, o)).min().unwrap();
        prop_assert_eq!(hops(&network, source, &destinations(ChainOrder::OpenPath)), fewest);
        let free: Vec<&Vec<TileId>> = every
            .iter()
            .filter(|o| shared_by_pairs(&network, source, o).is_empty())
            .collect();
        let fastest = free.iter().map(|o| cycles(&network, source, o)).min().unwrap();
        prop_assert_eq!(cycles(&network, source, &destinations(ChainOrder::Latency)), fastest);
        let lowest = *given.iter().min().unwrap();
        let fixed = free.iter().filter(|o| o[0] == lowest);
        let fewest = fixed.map(|o| hops(&network, source, o)).min().unwrap();
        let found = destinations(ChainOrder::FixedStart);
        prop_assert_eq!(found[0], lowest);
        prop_assert_eq!(hops(&network, source, &found), fewest);
    }

    #[test]
    fn tree_and_packets_have_the_hops_of_their_routes((network, source, given) in chains(63)) {
        let paths: Vec<Vec<Hop>> = given
            .iter()
            .map(|to| walk(place(&network, source), place(&network, *to)))
            .collect();
        let every = paths.iter().map(|w| w.len() as u32).sum::<u32>();
        prop_assert_eq!(unicast_hops(&network, source, &given), every);
        let union: BTreeSet<&Hop> = paths.iter().flatten().collect();
        prop_assert_eq!(multicast_hops(&network, source, &given), union.len() as u32);
    }
}

/// S3 §IV-D: a snake of neighbours, 82 cycles more for each further destination but for the configuration's path.
#[test]
fn a_snake_costs_the_published_cycles_per_destination() {
    let network = mesh(1, 9);
    let at = |y: u16| network.tile_at(network.mesh_coord(Coord::new(0, y)));
    let snake: Vec<TileId> = (1..9).map(at).collect();
    let of = |num: usize| cycles(&network, at(0), &snake[..num]);
    let configuration = u64::from(ChainCycles::PUBLISHED.per_tail_hop());
    for num in 1..8 {
        assert_eq!(of(num + 1) - of(num), 82 + configuration);
    }
    // One neighbour and 64 beats: the configuration's 13 + 4 cycles, 2 at the end.
    assert_eq!(of(1), 82 + 17 + 64 + 2);
}

#[test]
fn impossible_destinations_are_refused_with_what_would_be_accepted() {
    let network = mesh(3, 3);
    let tiles: Vec<TileId> = network.clusters().collect();
    let refused = |destinations: &[TileId]| {
        let error = chain_order(&network, tiles[0], destinations, ChainOrder::Greedy).unwrap_err();
        error.to_string()
    };
    assert!(refused(&[tiles[1], tiles[0]]).contains("other than the source"));
    assert!(
        refused(&[tiles[1], tiles[2], tiles[1]]).contains("cluster (0,1) is a destination twice")
    );
    assert!(refused(&[TileId(99)]).contains("below 12"));
}
