// SPDX-License-Identifier: Apache-2.0
//! Faults in network interfaces do not survive the comparison at the AXI ports (`tests/libraries/mutants.rs`).

use crate::common::endpoints::Hardware;
use crate::common::{faults, network};
use noccl_cosim::lockstep::LockstepError;
use noccl_studies::StressKind;
use noccl_workload::Trace;

/// Where the first difference to the hardware with a fault is.
fn place(library: &'static str, kinds: &[StressKind]) -> &'static str {
    match (Hardware { library }).first_difference(kinds) {
        Some(LockstepError::Divergence(divergence)) => divergence.at,
        other => panic!("{library} survives: {other:?}"),
    }
}

/// Where the first trace of a kind differs from the hardware with a fault.
fn fault_place(library: &'static str, mut traces: impl Iterator<Item = Trace>) -> &'static str {
    let hardware = Hardware { library };
    match traces.find_map(|trace| hardware.follows(&trace).err()) {
        Some(LockstepError::Divergence(divergence)) => divergence.at,
        other => panic!("{library} survives: {other:?}"),
    }
}

#[test]
fn operators_that_are_not_compared_are_noticed() {
    let at = fault_place("2x2-endpoints-tiles-operator", faults::disagreements());
    assert!(!at.contains("Local input"), "{at}");
}

#[test]
fn lines_that_are_not_whole_are_noticed_where_they_are_reduced() {
    let at = fault_place("2x2-endpoints-tiles-partial", faults::disagreements());
    assert!(!at.contains("Local input"), "{at}");
}

#[test]
fn a_name_in_use_that_is_served_is_noticed() {
    let network = network("collective_noc_2x2");
    let trace = faults::name_in_use_behind_a_full_table(&network);
    let at = fault_place("2x2-endpoints-tiles-in_use", [trace].into_iter());
    assert_eq!(at, "Local input");
}

#[test]
fn another_code_of_responses_is_noticed() {
    let at = place("2x2-endpoints-tiles-code", &[StressKind::Write]);
    assert_eq!(at, "Local input");
}

#[test]
fn a_response_that_keeps_the_grant_is_noticed() {
    let at = place("2x2-endpoints-tiles-slot", &StressKind::ALL);
    assert_eq!(at, "Local input");
}

#[test]
fn beats_of_a_long_burst_in_another_place_are_noticed() {
    let at = place("2x2-endpoints-tiles-address", &[StressKind::Write]);
    assert_eq!(at, "Local input");
}

#[test]
fn a_window_without_its_last_credit_batch_is_noticed() {
    let at = place("2x2-endpoints-tiles-own_window", &crate::common::REDUCING);
    assert_eq!(at, "Local input");
}

#[test]
fn a_barrier_that_waits_for_a_member_too_many_is_noticed() {
    let at = place("2x2-endpoints-tiles-count", &[StressKind::Barrier]);
    assert_eq!(at, "Local input");
}

#[test]
fn an_own_copy_that_overtakes_writes_to_itself_is_noticed() {
    let at = place("2x2-endpoints-tiles-overtake", &crate::common::ALL);
    assert_eq!(at, "Local input");
}

#[test]
fn a_burst_that_overtakes_open_ones_is_noticed() {
    let at = place("2x2-endpoints-tiles-oldest", &[StressKind::Write]);
    assert_eq!(at, "Local input");
}
