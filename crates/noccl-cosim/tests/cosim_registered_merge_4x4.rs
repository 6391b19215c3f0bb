// SPDX-License-Identifier: Apache-2.0
//! The mesh of 4×4 clusters with registers in its merge tables (`router.merge_cycles` = 3) is the simulator's, handshake by
//! handshake.
#![allow(clippy::unwrap_used)]

mod cosim;

use cosim::{agree_with, registered_merge_network};

const NAME: &str = "4x4-registered-merge";
const PRESET: &str = "collective_noc_4x4";

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
