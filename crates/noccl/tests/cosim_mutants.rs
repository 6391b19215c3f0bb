// SPDX-License-Identifier: Apache-2.0
//! Faults in the hardware do not survive the comparison (`tools/rtl_cosim.py`, `MUTANTS`).
#![allow(clippy::unwrap_used)]

mod cosim;

use cosim::{follow, network, records};
use noccl::StressKind;
use noccl_rtl::lockstep::LockstepError;

/// Traces of these kinds part from the faulty mesh, in one of the first seeds.
fn is_noticed(mutant: &str, kinds: &[StressKind]) {
    let network = network("collective_noc_2x2");
    let name = format!("2x2-{mutant}");
    let errors = (0..6).filter_map(|seed| {
        let records = records(&network, kinds, 64, seed);
        follow(&name, &network, &records).err()
    });
    let divergence = errors
        .into_iter()
        .find(|error| matches!(error, LockstepError::Divergence(_)));
    assert!(divergence.is_some(), "{mutant} survives");
}

#[test]
fn a_turn_that_is_not_passed_on_is_noticed() {
    is_noticed("arbiter", &cosim::UNICAST);
}

#[test]
fn a_multicast_that_misses_a_column_is_noticed() {
    is_noticed("route", &cosim::COLLECTIVE);
}

#[test]
fn a_merge_unit_that_serves_the_same_input_again_is_noticed() {
    is_noticed("merge", &cosim::COLLECTIVE);
}
