// SPDX-License-Identifier: Apache-2.0
//! Chains whose configurations, grants and finishes overlap: cycles in closed form, company.

use crate::common::chains::{
    apart, chain, check_overlapping, cycles, cycles_of_one_to_eight, hops, in_opposite_orders, run,
    snake,
};
use crate::common::{length_of, network, network_with};
use noccl_net::{ChainCycles, Coord, Network};
use noccl_testkit::Random;

fn one_path(from: Coord, to: Coord) -> u64 {
    13 + 2 * (hops(from, to) + 1)
}

fn variant(dispatch: &str, acknowledgement: &str) -> Network {
    let overrides = [
        ("cluster.torrent.dispatch", dispatch),
        ("cluster.torrent.acknowledgement", acknowledgement),
    ];
    network_with("torrent_4x5", &overrides)
}

/// Data along a snake, beats and AWs, the end.
fn data(destinations: usize, beats: u64) -> u64 {
    (5 + 17) * destinations as u64 + beats + beats.div_ceil(64) - 1 + 2
}

/// docs/timing.md: the last response, data, the tail's finish.
fn in_parallel(snake: &[Coord], destinations: usize, beats: u64, is_tail_first: bool) -> u64 {
    let last_response = (1..=destinations).map(|destination| {
        let position = if is_tail_first {
            destinations - destination + 1
        } else {
            destination
        };
        13 * position as u64 + 2 * one_path(snake[0], snake[destination]) + 6
    });
    last_response.max().unwrap()
        + data(destinations, beats)
        + 7
        + one_path(snake[destinations], snake[0])
}

/// docs/timing.md: the tail's configuration, then grants, data and finishes from destination to destination.
fn tail_first(snake: &[Coord], destinations: usize, beats: u64) -> u64 {
    let configuration = 13 + one_path(snake[0], snake[destinations]);
    configuration + (6 + 7 + 2 * 17) * destinations as u64 + data(destinations, beats)
}

#[test]
fn overlapped_chains_along_a_snake_take_the_closed_formulas_exactly() {
    for (dispatch, acknowledgement) in [
        ("tail_first", "chained"),
        ("chain_order", "parallel"),
        ("tail_first", "parallel"),
    ] {
        let net = variant(dispatch, acknowledgement);
        let snake = snake(&net);
        let is_tail_first = dispatch == "tail_first";
        for destinations in 1..=19 {
            for beats in [1, 2, 16, 64, 65, 256] {
                let expected = match acknowledgement {
                    "chained" => tail_first(&snake, destinations, beats),
                    _ => in_parallel(&snake, destinations, beats, is_tail_first),
                };
                let found = cycles(&net, &snake[1..=destinations], beats * 64);
                // A chained grant may meet a configuration of nine flits on its path to the next destination.
                let is_alone = acknowledgement == "parallel" || destinations < 5;
                let most = if is_alone { expected } else { expected + 9 };
                assert!(
                    (expected..=most).contains(&found),
                    "{dispatch}, {acknowledgement}, {destinations} destinations, {beats} beats: {found}, {expected}"
                );
            }
        }
    }
}

/// S3 Fig. 7 again, 64 KiB to 1 to 8 destinations along the snake, with the path that makes it 82 cycles.
#[test]
fn a_further_destination_costs_70_cycles_tail_first_and_35_with_parallel_responses() {
    for (dispatch, acknowledgement, expected) in [
        ("chain_order", "chained", 82.0),
        ("tail_first", "chained", 70.3),
        ("chain_order", "parallel", 35.0),
        ("tail_first", "parallel", 35.0),
    ] {
        let (found, mean) = cycles_of_one_to_eight(&variant(dispatch, acknowledgement));
        let points = (1..=8).map(|n| f64::from(n) - 4.5).zip(&found);
        let slope = points.map(|(n, t)| n * (t - mean)).sum::<f64>() / 42.0;
        assert!((slope - expected).abs() < 0.2, "{slope}");
    }
}

/// Any destinations in any order: responses meet on their paths and may wait a few cycles for each other.
#[test]
fn chains_over_any_destinations_take_the_cycles_of_the_formula() {
    let net = network("torrent_4x5_parallel");
    let mut draw = Random(5);
    let mut exact = 0;
    for _ in 0..60 {
        let mut tiles = snake(&net);
        for at in (1..tiles.len()).rev() {
            tiles.swap(at, draw.index(at + 1));
        }
        let from = tiles.pop().unwrap();
        tiles.truncate(1 + draw.index(19));
        let tile = |at: &Coord| net.tile_at(net.mesh_coord(*at));
        let destinations: Vec<_> = tiles.iter().map(tile).collect();
        let law = ChainCycles::of(&net).cycles(&net, tile(&from), &destinations, 128);
        let found = length_of(&run(&net, &[chain(from, &tiles, 128)]), 0);
        assert!(found.abs_diff(law) <= 4, "{found} {law}");
        exact += u32::from(found == law);
    }
    assert!(exact >= 50, "{exact}");
}

#[test]
fn what_needs_no_destinations_needs_no_responses() {
    let net = network("torrent_4x5_parallel");
    let snake = snake(&net);
    assert_eq!(cycles(&net, &snake[1..4], 0), 0);
    assert_eq!(cycles(&net, &snake[..1], 640), 10 + 3);
    let twice = [snake[1], snake[2], snake[1]];
    assert_eq!(cycles(&net, &twice, 640), cycles(&net, &snake[1..3], 640));
}

/// The second chain finds its middle destination busy: it waits there, and releases the one that is later in the order.
#[test]
fn a_chain_that_finds_a_destination_busy_holds_no_later_one_while_it_waits() {
    let net = network("torrent_4x5_parallel");
    let at = Coord::new;
    let (later, busy, earlier) = (at(1, 0), at(2, 1), at(3, 1));
    let chains = [
        apart(0, at(0, 0), &[busy], 0x4000),
        apart(1, at(4, 3), &[later, busy, earlier], 64),
        apart(2, at(4, 0), &[at(0, 3), at(0, 2), at(0, 1)], 64),
        apart(3, at(4, 0), &[later], 64),
    ];
    let result = run(&net, &chains);
    let end = |i: usize| result.actions[i].finish_cycle;
    assert!(end(1) > end(0), "{:?}", result.actions);
    assert!(end(3) < end(0), "{:?}", result.actions);
}

#[test]
fn two_chains_over_the_same_destinations_in_opposite_orders_both_end() {
    for (dispatch, acknowledgement) in [("tail_first", "chained"), ("chain_order", "parallel")] {
        let net = variant(dispatch, acknowledgement);
        for beats in [1, 2, 64, 200] {
            run(&net, &in_opposite_orders(beats));
        }
    }
}

#[test]
fn random_sets_of_overlapping_chains_all_end_with_the_right_bytes() {
    for (dispatch, acknowledgement) in [
        ("tail_first", "chained"),
        ("chain_order", "parallel"),
        ("tail_first", "parallel"),
    ] {
        check_overlapping(&variant(dispatch, acknowledgement), 10, 40);
    }
}
