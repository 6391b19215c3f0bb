// SPDX-License-Identifier: Apache-2.0
//! Chains of Torrent endpoints over an ideal crossbar: bytes, cycles in closed form without a term of distance, company, checkpoints.

use crate::common::chains::{apart, check_checkpoints, check_overlapping, cycles, run, snake};
use noccl_net::{ChainCycles, Coord, Network, elaborate};
use noccl_spec::parse_spec;

/// What makes a network ideal, as the library has it.
const IDEAL: &str = include_str!("../../../noccl-spec/presets/ideal/ideal.toml");

/// A preset with Torrent endpoints over an ideal crossbar.
fn ideal(preset: &str, overrides: &[(&str, &str)]) -> Network {
    let text = format!("base = \"{preset}\"\nname = \"ideal_torrent\"\n{IDEAL}");
    let owned = |(field, value): &(&str, &str)| ((*field).to_owned(), (*value).to_owned());
    let overrides: Vec<_> = overrides.iter().map(owned).collect();
    elaborate(&parse_spec("ideal_torrent.toml", &text, &overrides).unwrap()).unwrap()
}

/// Every mode, order and acknowledgement.
fn networks() -> Vec<(&'static str, Network)> {
    let lean = [("cluster.torrent.endpoint_cycles", "lean")];
    let tail_first = [("cluster.torrent.dispatch", "tail_first")];
    let parallel = [("cluster.torrent.acknowledgement", "parallel")];
    let near = [("cluster.torrent.endpoint_path_cycles", "0")];
    vec![
        ("safe", ideal("torrent_4x5", &[])),
        ("published", ideal("torrent_4x5_published", &[])),
        ("lean", ideal("torrent_4x5", &lean)),
        ("tail first", ideal("torrent_4x5", &tail_first)),
        ("parallel responses", ideal("torrent_4x5", &parallel)),
        ("parallel", ideal("torrent_4x5_parallel", &[])),
        ("no path", ideal("torrent_4x5", &near)),
    ]
}

#[test]
fn a_chain_takes_its_closed_form_and_distance_costs_nothing() {
    for (name, net) in networks() {
        let form = ChainCycles::of(&net);
        assert_eq!((form.data_hop_cycles, form.message_hop_cycles), (0, 0));
        let tile = |at: Coord| net.tile_at(net.mesh_coord(at));
        let snake = snake(&net);
        let source = tile(snake[0]);
        // In an order in which grants pass the destinations backwards.
        let far = [snake[1], snake[10], snake[12], snake[19]];
        for destinations in [&snake[1..2], &snake[1..5], &snake[1..20], &far] {
            let chain: Vec<_> = destinations.iter().copied().map(tile).collect();
            for beats in [2, 16, 64, 65, 256] {
                let expected = form.cycles(&net, source, &chain, beats * 64);
                let found = cycles(&net, destinations, beats * 64);
                let what = format!("{name}, {} destinations, {beats} beats", chain.len());
                assert_eq!(found, expected, "{what}");
            }
        }
        let near = cycles(&net, &snake[1..5], 6400);
        assert_eq!(cycles(&net, &far, 6400), near, "{name}");
    }
}

#[test]
fn overlapping_chains_all_end_with_the_right_bytes() {
    for (name, net) in networks() {
        if name == "published" {
            continue; // Its chains hold each other up by themselves.
        }
        check_overlapping(&net, 3, 8);
    }
}

#[test]
fn chains_in_opposite_orders_both_end() {
    let at = Coord::new;
    let destinations = [at(1, 1), at(2, 2), at(3, 1)];
    let mut back = destinations;
    back.reverse();
    for (_, net) in networks()
        .into_iter()
        .filter(|(name, _)| *name != "published")
    {
        let chains = [
            apart(0, at(0, 0), &destinations, 6400),
            apart(1, at(4, 3), &back, 6400),
        ];
        run(&net, &chains);
    }
}

#[test]
fn a_run_goes_on_from_every_checkpoint() {
    for preset in ["torrent_4x5", "torrent_4x5_parallel"] {
        check_checkpoints(&ideal(preset, &[]));
    }
}
