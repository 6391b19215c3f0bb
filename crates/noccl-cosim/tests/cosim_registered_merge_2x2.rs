// SPDX-License-Identifier: Apache-2.0
//! The mesh of 2×2 clusters with registers in its merge tables (`router.merge_cycles` = 3) is the simulator's, handshake by
//! handshake.
#![allow(clippy::unwrap_used)]

mod cosim;

use cosim::{agree_with, library, network, registered_merge_network};
use noccl_cosim::lockstep::Lockstep;

const NAME: &str = "2x2-registered-merge";
const PRESET: &str = "collective_noc_2x2";

#[test]
fn multicasts_and_barriers_take_the_same_course() {
    agree_with(
        NAME,
        &registered_merge_network(PRESET),
        &cosim::COLLECTIVE,
        0..12,
    );
}

#[test]
fn overlapping_transactions_take_the_same_course() {
    agree_with(NAME, &registered_merge_network(PRESET), &cosim::ALL, 0..24);
}

/// More responses in flight than a table has entries: new ones pass unmerged, old entries leave by timeout.
#[test]
fn multicasts_of_all_to_all_take_the_same_course() {
    let network = registered_merge_network(PRESET);
    let all = cosim::multicasts_of_all_to_all(&network);
    let compared = cosim::agree_on(NAME, &network, all);
    assert!(compared > 1_000, "{compared}");
}

#[test]
fn a_network_without_these_registers_is_refused() {
    let network = network(PRESET);
    let error = Lockstep::open(&library(NAME), &network).err().unwrap();
    assert!(error.to_string().contains("MERGE_CYCLES is 3"), "{error}");
}
