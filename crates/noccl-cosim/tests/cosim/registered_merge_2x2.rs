// SPDX-License-Identifier: Apache-2.0
//! The mesh of 2×2 clusters with registers in its merge tables (`router.merge_cycles` = 3) is the simulator's, handshake by
//! handshake.

use crate::common::cases::{Cases, matches_the_simulator};
use crate::common::{library, network, registered_merge_network};
use noccl_cosim::lockstep::Lockstep;

const NAME: &str = "2x2-registered-merge";
const PRESET: &str = "collective_noc_2x2";

matches_the_simulator!(
    Cases::new(NAME, registered_merge_network(PRESET));
    multicasts_and_barriers(0..12),
    overlapping_transactions(0..24),
    congested_traces(0..100),
    multicasts_of_all_to_all(),
);

#[test]
fn a_network_without_these_registers_is_refused() {
    let network = network(PRESET);
    let error = Lockstep::open(&library(NAME), &network).err().unwrap();
    assert!(error.to_string().contains("MERGE_CYCLES is 3"), "{error}");
}
