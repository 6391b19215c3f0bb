// SPDX-License-Identifier: Apache-2.0
//! Faults in the hardware of wide reductions do not survive the comparison (`tests/libraries/mutants.rs`).

use crate::common::{cluster, follow_arithmetic, is_noticed, network, set, two_operand_network};
use noccl_cosim::lockstep::LockstepError;
use noccl_net::MultiAddress;
use noccl_workload::ElementType;

#[test]
fn another_order_of_operands_is_noticed() {
    let network = network("collective_noc_2x2");
    let into = (set((0, 0), (1, 1)), cluster(1, 1));
    let comparison = follow_arithmetic("2x2-reducing-order", &network, into, ElementType::Fp64);
    assert!(matches!(comparison, Err(LockstepError::Divergence(_))));
}

#[test]
fn a_flow_that_overtakes_older_ones_is_noticed() {
    is_noticed("2x2-reducing-age", &crate::common::REDUCING);
}

#[test]
fn a_credit_too_many_is_noticed() {
    is_noticed("2x2-reducing-credit", &crate::common::REDUCING);
}

#[test]
fn a_smaller_window_is_noticed() {
    is_noticed("2x2-reducing-window", &crate::common::REDUCING);
}

/// Do sums of this group of 4×4 clusters, by units of two operands with a fault, differ from the simulator's?
fn differs(fault: &str, group: MultiAddress, root: (u16, u16), element: ElementType) -> bool {
    let name = format!("4x4-two-operand-reducing-tiles-{fault}");
    let into = (group, cluster(root.0, root.1));
    match follow_arithmetic(&name, &two_operand_network(), into, element) {
        Ok(_) => false,
        Err(LockstepError::Divergence(_)) => true,
        Err(error) => panic!("{name}: {error}"),
    }
}

#[test]
fn passes_in_another_order_are_noticed() {
    // Four operands meet at a root at the edge; of integers the order cannot be told.
    let all = set((0, 0), (3, 3));
    assert!(differs("pass", all, (3, 1), ElementType::Fp64));
    assert!(!differs("pass", all, (3, 1), ElementType::Int64));
}

#[test]
fn a_missing_pass_is_noticed() {
    // Along a row two passes are the most.
    let row = set((0, 1), (3, 0));
    assert!(!differs("missing", row, (1, 1), ElementType::Int64));
    let all = set((0, 0), (3, 3));
    assert!(differs("missing", all, (3, 1), ElementType::Int64));
}
