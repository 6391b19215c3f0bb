// SPDX-License-Identifier: Apache-2.0
//! Chains of endpoints with the cycles of our hardware (`cluster.torrent.endpoint_cycles = "lean"`).

use crate::common::chains::{check_checkpoints, check_overlapping, cycles, formula, snake};
use crate::common::network_with;
use noccl_net::{ChainCycles, Coord, Network, TileRef};

/// Per destination 8 for its configuration, 3 for its grant, 2 for its data, 2 for its finish; and once.
const OWN_CYCLES: (u64, u64) = (15, 5);

fn lean() -> Network {
    let lean = ("cluster.torrent.endpoint_cycles", "lean");
    network_with("torrent_4x5", &[lean])
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
    check_overlapping(&lean(), 10, 40);
}

#[test]
fn a_run_goes_on_from_a_checkpoint_to_the_same_result() {
    check_checkpoints(&lean());
}
