// SPDX-License-Identifier: Apache-2.0
//! The mesh of 2×2 clusters with FIFOs of other depths than two is the simulator's, handshake by handshake: inputs of three slots
//! and outputs of one.
#![allow(clippy::unwrap_used)]

mod cosim;

use cosim::cases::{Cases, same_course};
use cosim::library;
use noccl_cosim::lockstep::Lockstep;
use noccl_net::Network;
use noccl_studies::load;

const NAME: &str = "2x2-depths-reducing";

fn network(inputs: &str, outputs: &str) -> Network {
    let set = [
        ("router.input_fifo_flits", inputs),
        ("router.output_fifo_flits", outputs),
    ];
    let set = set.map(|(field, value)| (field.to_owned(), value.to_owned()));
    load("collective_noc_2x2", &set).unwrap().network
}

fn cases() -> Cases {
    Cases {
        library: NAME,
        network: network("3", "1"),
    }
}

same_course!(
    cases();
    unicasts(0..6),
    multicasts_and_barriers(0..6),
    reductions_between_writes(0..6),
    overlapping_transactions(0..12),
);

#[test]
fn a_network_of_other_depths_is_refused() {
    let network = network("2", "1");
    let error = Lockstep::open(&library(NAME), &network).err().unwrap();
    let error = error.to_string();
    assert!(error.contains("INPUT_FIFO_FLITS is 3"), "{error}");
}
