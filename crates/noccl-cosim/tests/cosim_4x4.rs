// SPDX-License-Identifier: Apache-2.0
//! The mesh of 4×4 clusters is the simulator's, handshake by handshake.
#![allow(clippy::unwrap_used)]

mod cosim;

use cosim::agree;

const NAME: &str = "4x4";
const PRESET: &str = "collective_noc_4x4";

#[test]
fn unicast_transactions_take_the_same_course() {
    agree(NAME, PRESET, &cosim::UNICAST, 0..6);
}

#[test]
fn multicasts_and_barriers_take_the_same_course() {
    agree(NAME, PRESET, &cosim::COLLECTIVE, 0..12);
}

#[test]
fn overlapping_transactions_take_the_same_course() {
    agree(NAME, PRESET, &cosim::ALL, 0..24);
}
