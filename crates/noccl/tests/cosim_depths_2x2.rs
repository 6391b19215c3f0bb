// SPDX-License-Identifier: Apache-2.0
//! The mesh of 2×2 clusters with FIFOs of other depths than two is the simulator's, handshake by handshake: inputs of three slots
//! and outputs of one.
#![allow(clippy::unwrap_used)]

mod cosim;

use cosim::{agree_with, library};
use noccl::{Network, load};
use noccl_rtl::lockstep::Lockstep;

const NAME: &str = "2x2-depths-reducing";

fn network(inputs: &str, outputs: &str) -> Network {
    let set = [
        ("router.input_fifo_flits", inputs),
        ("router.output_fifo_flits", outputs),
    ];
    let set = set.map(|(field, value)| (field.to_owned(), value.to_owned()));
    load("collective_noc_2x2", &set).unwrap().network
}

#[test]
fn unicasts_take_the_same_course() {
    agree_with(NAME, &network("3", "1"), &cosim::UNICAST, 0..6);
}

#[test]
fn multicasts_and_barriers_take_the_same_course() {
    agree_with(NAME, &network("3", "1"), &cosim::COLLECTIVE, 0..6);
}

#[test]
fn reductions_between_writes_take_the_same_course() {
    agree_with(NAME, &network("3", "1"), &cosim::REDUCING, 0..6);
}

#[test]
fn overlapping_transactions_take_the_same_course() {
    agree_with(NAME, &network("3", "1"), &cosim::ALL, 0..12);
}

#[test]
fn a_network_of_other_depths_is_refused() {
    let network = network("2", "1");
    let error = Lockstep::open(&library(NAME), &network);
    let error = error.err().unwrap().to_string();
    assert!(error.contains("INPUT_FIFO_FLITS is 3"), "{error}");
}
