// SPDX-License-Identifier: Apache-2.0
//! Chains of endpoints with the cycles of our hardware (`cluster.torrent.endpoint_cycles = "lean"`).
#![allow(clippy::unwrap_used)]

mod common;

use common::chains::{check_checkpoints, cycles, formula, overlapping, run, snake};
use common::network_with;
use noccl_net::{ChainCycles, Coord, Network, TileRef};
use noccl_sim::{PortChain, PortPattern, PortScenario, record_ports};

/// Per destination 8 for its configuration, 3 for its grant, 2 for its data, 2 for its finish; and once.
const OWN_CYCLES: (u64, u64) = (15, 5);

fn lean() -> Network {
    let lean = ("cluster.torrent.endpoint_cycles", "lean");
    network_with("torrent_4x5", &[lean])
}

#[test]
fn a_chain_between_connections_that_take_no_time_takes_15_cycles_per_destination_and_one_per_beat()
{
    let row = PortPattern {
        stride: 1,
        is_turned: false,
    };
    for destinations in 1..=8 {
        for beats in [1, 2, 63, 64, 65, 129, 200] {
            let chain = PortChain {
                initiator: 0,
                cycle: 3,
                beats,
                source: row,
                own: None,
                destinations: (1..=destinations)
                    .map(|destination| (destination, row))
                    .collect(),
            };
            let run = record_ports(&PortScenario {
                endpoints: 9,
                chains: vec![chain],
                stalls: [0; 3],
                seed: 0,
            });
            let (per_destination, once) = OWN_CYCLES;
            let expected = per_destination * u64::from(destinations) + beats + once;
            assert_eq!(run.over, [(3, 3 + expected)], "{destinations}, {beats}");
            assert_eq!(
                run.written.len() as u64,
                8 * beats * u64::from(destinations)
            );
        }
    }
}

/// The paths' and the routers' cycles are the same as with the published endpoint. Configurations leave without a gap
/// between them, so the AW flit of each but the first costs a cycle.
#[test]
fn over_the_network_a_chain_takes_the_closed_formula_exactly() {
    let net = lean();
    let snake = snake(&net);
    let id = |at: &Coord| net.find(TileRef::Cluster(*at)).unwrap();
    let law = ChainCycles::of(&net);
    for destinations in 1..=19 {
        for beats in [1, 2, 16, 64, 65, 100, 256] {
            let destinations = &snake[1..=destinations];
            let aws = destinations.len() as u64 - 1;
            let expected = formula(OWN_CYCLES, 13, snake[0], destinations, beats) + aws;
            let found = cycles(&net, destinations, beats * 64);
            assert_eq!(found, expected, "{}, {beats}", destinations.len());
            let ids: Vec<_> = destinations.iter().map(id).collect();
            assert_eq!(law.cycles(&net, id(&snake[0]), &ids, beats * 64), found);
        }
    }
}

#[test]
fn random_sets_of_overlapping_chains_all_end_with_the_right_bytes() {
    let net = lean();
    for seed in 0..40 {
        run(&net, &overlapping(seed, &net));
    }
}

#[test]
fn a_run_goes_on_from_a_checkpoint_to_the_same_result() {
    check_checkpoints(&lean());
}

/// Every chain of random sets under back-pressure ends, and writes what its initiator held.
#[test]
fn chains_under_back_pressure_all_end() {
    for seed in 0..60 {
        let scenario = PortScenario::random(9, seed);
        let run = record_ports(&scenario);
        for (chain, (start, over)) in scenario.chains.iter().zip(&run.over) {
            assert!(over < &u64::MAX && start < over, "seed {seed}: {chain:?}");
        }
        let beats =
            |c: &PortChain| c.beats * (c.destinations.len() as u64 + u64::from(c.own.is_some()));
        let words: u64 = scenario.chains.iter().map(|c| 8 * beats(c)).sum();
        assert_eq!(run.written.len() as u64, words, "seed {seed}");
    }
}
