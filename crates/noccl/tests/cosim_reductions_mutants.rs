// SPDX-License-Identifier: Apache-2.0
//! Faults in the hardware of wide reductions do not survive the comparison (`tools/rtl_cosim.py`, `MUTANTS`).
#![allow(clippy::unwrap_used)]

mod cosim;

use cosim::{follow, network, records};
use noccl::StressKind;
use noccl_rtl::lockstep::LockstepError;
use noccl_workload::ElementType;

/// Traces of these kinds part from the faulty mesh, in one of the first seeds.
fn is_noticed(mutant: &str, kinds: &[StressKind]) {
    let network = network("collective_noc_2x2");
    let name = format!("2x2-reducing-{mutant}");
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
fn another_order_of_operands_is_noticed() {
    let network = network("collective_noc_2x2");
    let into = (cosim::set((0, 0), (1, 1)), cosim::cluster(1, 1));
    let course = cosim::follow_arithmetic("2x2-reducing-fold", &network, into, ElementType::Fp64);
    assert!(matches!(course, Err(LockstepError::Divergence(_))));
}

#[test]
fn a_flow_that_overtakes_older_ones_is_noticed() {
    is_noticed("age", &cosim::REDUCING);
}

#[test]
fn a_credit_too_many_is_noticed() {
    is_noticed("credit", &cosim::REDUCING);
}

#[test]
fn a_smaller_window_is_noticed() {
    is_noticed("window", &cosim::REDUCING);
}
