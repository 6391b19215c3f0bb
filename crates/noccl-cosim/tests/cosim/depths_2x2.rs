// SPDX-License-Identifier: Apache-2.0
//! The mesh of 2×2 clusters with FIFOs of other depths than two is the simulator's, handshake by handshake: both ends of the range,
//! and inputs of three slots before outputs of one.

use crate::common::cases::{Cases, matches_the_simulator};
use crate::common::library;
use noccl_cosim::lockstep::Lockstep;
use noccl_net::Network;
use noccl_testkit::network_with;

const LEAST: &str = "2x2-depths-1-1-reducing";
const UNEQUAL: &str = "2x2-depths-3-1-reducing";
const MOST: &str = "2x2-depths-16-16-reducing";

fn network(inputs: &str, outputs: &str) -> Network {
    let set = [
        ("router.input_fifo_flits", inputs),
        ("router.output_fifo_flits", outputs),
    ];
    network_with("collective_noc_2x2", &set)
}

fn cases(library: &'static str, inputs: &str, outputs: &str) -> Cases {
    Cases::new(library, network(inputs, outputs))
}

mod one_slot {
    use super::*;

    matches_the_simulator!(
        cases(LEAST, "1", "1");
        unicasts(0..6),
        multicasts_and_barriers(0..6),
        reductions_between_writes(0..6),
        overlapping_transactions(0..12),
        congested_traces(0..100),
    );
}

mod three_before_one {
    use super::*;

    matches_the_simulator!(
        cases(UNEQUAL, "3", "1");
        unicasts(0..6),
        multicasts_and_barriers(0..6),
        reductions_between_writes(0..6),
        overlapping_transactions(0..12),
        congested_traces(0..100),
    );
}

mod sixteen_slots {
    use super::*;

    matches_the_simulator!(
        cases(MOST, "16", "16");
        unicasts(0..6),
        multicasts_and_barriers(0..6),
        reductions_between_writes(0..6),
        overlapping_transactions(0..12),
        congested_traces(0..100),
    );
}

#[test]
fn a_network_of_other_depths_is_refused() {
    for (name, inputs, outputs, expected) in [
        (UNEQUAL, "2", "1", "INPUT_FIFO_FLITS is 3"),
        (MOST, "16", "15", "OUTPUT_FIFO_FLITS is 16"),
    ] {
        let network = network(inputs, outputs);
        let error = Lockstep::open(&library(name), &network).err().unwrap();
        let error = error.to_string();
        assert!(error.contains(expected), "{error}");
    }
}
