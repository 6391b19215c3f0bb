// SPDX-License-Identifier: Apache-2.0
//! Faults in the hardware of wide reductions do not survive the comparison (`tools/rtl_cosim_mutants.py`).

mod cosim;

use cosim::{is_noticed, network};
use noccl_rtl::lockstep::LockstepError;
use noccl_workload::ElementType;

#[test]
fn another_order_of_operands_is_noticed() {
    let network = network("collective_noc_2x2");
    let into = (cosim::set((0, 0), (1, 1)), cosim::cluster(1, 1));
    let course = cosim::follow_arithmetic("2x2-reducing-fold", &network, into, ElementType::Fp64);
    assert!(matches!(course, Err(LockstepError::Divergence(_))));
}

#[test]
fn a_flow_that_overtakes_older_ones_is_noticed() {
    is_noticed("2x2-reducing-age", &cosim::REDUCING);
}

#[test]
fn a_credit_too_many_is_noticed() {
    is_noticed("2x2-reducing-credit", &cosim::REDUCING);
}

#[test]
fn a_smaller_window_is_noticed() {
    is_noticed("2x2-reducing-window", &cosim::REDUCING);
}
