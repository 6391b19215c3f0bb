// SPDX-License-Identifier: Apache-2.0
//! Chains over the network: cycles in closed form, bytes, company.

use crate::common::chains::{
    self, apart, chain, check_checkpoints, check_overlapping, cycles, cycles_of_one_to_eight,
    in_opposite_orders, run, snake,
};
use crate::common::{network, network_with};
use noccl_net::Coord;

/// The published endpoint's 31 per destination and two more.
fn formula(path_cycles: u64, from: Coord, destinations: &[Coord], beats: u64) -> u64 {
    chains::formula((31, 2), path_cycles, from, destinations, beats)
}

#[test]
fn a_chain_along_a_snake_takes_82_cycles_per_destination_and_the_closed_formula_exactly() {
    for preset in ["torrent_4x5", "torrent_4x5_published"] {
        let net = network(preset);
        let snake = snake(&net);
        for destinations in 1..=19 {
            for beats in [2, 16, 64, 65, 100, 256] {
                let destinations = &snake[1..=destinations];
                let expected = formula(13, snake[0], destinations, beats);
                assert_eq!(
                    cycles(&net, destinations, beats * 64),
                    expected,
                    "{preset}, {} destinations, {beats} beats",
                    destinations.len()
                );
            }
        }
    }
}

/// S3 Fig. 7: 64 KiB to 1 to 8 destinations. The tail's distance from the initiator bends the line a little.
#[test]
fn a_line_through_one_to_eight_destinations_rises_by_82_cycles_each() {
    let (found, mean) = cycles_of_one_to_eight(&network("torrent_4x5"));
    let points = || (1..=8).map(|n| f64::from(n) - 4.5).zip(&found);
    let slope = points().map(|(n, t)| n * (t - mean)).sum::<f64>() / 42.0;
    assert!((slope - 82.0).abs() < 0.1, "{slope}");
    let rest: f64 = points().map(|(n, t)| (t - mean - slope * n).powi(2)).sum();
    let all: f64 = found.iter().map(|t| (t - mean).powi(2)).sum();
    assert!(1.0 - rest / all > 0.999, "{found:?}");
}

#[test]
fn a_single_beat_takes_its_formula_too() {
    let net = network("torrent_4x5");
    let snake = snake(&net);
    for destinations in [1, 2, 5, 19] {
        let destinations = &snake[1..=destinations];
        assert_eq!(
            cycles(&net, destinations, 64),
            formula(13, snake[0], destinations, 1)
        );
    }
}

/// Segments of any length, as long as the grant passes the destinations in the order of the data backwards.
#[test]
fn longer_segments_cost_their_hops_three_times() {
    let net = network("torrent_4x5");
    let snake = snake(&net);
    for destinations in [[3, 9, 17], [1, 10, 19], [7, 8, 14]] {
        let destinations = destinations.map(|i: usize| snake[i]);
        assert_eq!(
            cycles(&net, &destinations, 6400),
            formula(13, snake[0], &destinations, 100)
        );
    }
}

#[test]
fn no_bytes_are_over_at_once() {
    let net = network("torrent_4x5");
    let destinations = &snake(&net)[1..4];
    assert_eq!(cycles(&net, destinations, 0), 0);
}

#[test]
fn the_initiator_among_the_destinations_keeps_a_copy_and_alone_it_needs_no_network() {
    let net = network("torrent_4x5");
    let snake = snake(&net);
    for bytes in [64, 6400] {
        assert_eq!(cycles(&net, &snake[..1], bytes), bytes / 64 + 3);
        let with_itself = [snake[1], snake[0], snake[2]];
        let without = cycles(&net, &[snake[1], snake[2]], bytes);
        assert_eq!(cycles(&net, &with_itself, bytes), without);
    }
    let alone = run(&net, &[chain(snake[0], &snake[..1], 640)]);
    assert_eq!(alone.counters.flit_hops, 0);
}

#[test]
fn a_destination_named_twice_is_served_once() {
    let net = network("torrent_4x5");
    let snake = snake(&net);
    let twice = [snake[1], snake[2], snake[1]];
    assert_eq!(cycles(&net, &twice, 640), cycles(&net, &snake[1..3], 640));
}

#[test]
fn two_chains_over_the_same_destinations_in_opposite_orders_both_end() {
    let net = network("torrent_4x5");
    for beats in [1, 2, 64, 200] {
        run(&net, &in_opposite_orders(beats));
    }
}

/// Back and forth along one row: segment after segment over the same links, bursts of 64 beats as packets.
#[test]
fn segments_of_one_chain_that_share_links_pass_each_other() {
    let net = network("torrent_4x5");
    let at = |x| Coord::new(x, 1);
    for destinations in [
        vec![at(4), at(1), at(3), at(2)],
        vec![at(2), at(1), at(3)],
        vec![at(3), at(1), at(4), at(2)],
    ] {
        run(&net, &[apart(0, at(0), &destinations, 0x4000)]);
    }
}

#[test]
fn more_tasks_than_ids_follow_each_other() {
    let net = network("torrent_4x5");
    let snake = snake(&net);
    let chains: Vec<_> = (0..20)
        .map(|i| apart(i, snake[0], &snake[1..4], 128))
        .collect();
    let result = run(&net, &chains);
    let ends: Vec<u64> = result.actions.iter().map(|a| a.finish_cycle).collect();
    assert!(ends.is_sorted(), "{ends:?}");
}

#[test]
fn random_sets_of_overlapping_chains_all_end_with_the_right_bytes() {
    check_overlapping(&network("torrent_4x5"), 15, 60);
}

/// Routers that interleave beats: no AW of its own, everything else as before.
#[test]
fn chains_run_over_the_default_routers_too() {
    let net = network_with(
        "torrent_4x5",
        &[
            ("router.flow", "non_blocking"),
            ("router.merge_table_entries", "8"),
            ("router.wide_reduction.window_beats", "20"),
            ("router.wide_reduction.store_beats", "640"),
        ],
    );
    let snake = snake(&net);
    for destinations in [1, 2, 8, 19] {
        for beats in [1, 64, 65, 200] {
            let destinations = &snake[1..=destinations];
            let aws = u64::div_ceil(beats, 64) - 1;
            let expected = formula(13, snake[0], destinations, beats) - aws;
            assert_eq!(cycles(&net, destinations, beats * 64), expected);
        }
    }
    check_overlapping(&net, 4, 10);
}

#[test]
fn a_run_of_chains_goes_on_from_a_checkpoint_to_the_same_result() {
    check_checkpoints(&network("torrent_4x5"));
}
