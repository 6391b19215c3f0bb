// SPDX-License-Identifier: Apache-2.0
//! Wide reductions by units of two operands (one row of adders) on the mesh of 4×4 clusters are the simulator's, handshake
//! by handshake: a beat of two to five operands takes one to four passes.

use crate::common::{
    agree_with, cluster, follow_arithmetic, library, reduction, set, two_operand_network,
};
use noccl_cosim::lockstep::Lockstep;
use noccl_studies::StressKind;
use noccl_workload::ElementType;

const NAME: &str = "4x4-two-operand-reducing-tiles";

#[test]
fn reductions_of_two_to_five_operands_match_the_simulator() {
    let network = two_operand_network();
    let mut compared = 0;
    // Along a row two or three operands per router, of all clusters up to three, four and five.
    for (group, roots) in [
        (set((0, 1), (3, 0)), &[(0, 1), (2, 1)][..]),
        (set((0, 0), (3, 3)), &[(0, 0), (3, 1), (1, 1), (2, 3)][..]),
    ] {
        for (x, y) in roots {
            for beats in [1, 2, 70] {
                let one = reduction(group, cluster(*x, *y), beats);
                compared += crate::common::agree_on(NAME, &network, vec![one]);
            }
        }
    }
    assert!(compared > 20_000, "{compared}");
}

#[test]
fn reductions_that_share_routers_match_the_simulator() {
    let network = two_operand_network();
    let all = set((0, 0), (3, 3));
    let congested =
        [(1, 1), (2, 1), (0, 3), (3, 2)].map(|(x, y)| reduction(all, cluster(x, y), 100));
    crate::common::agree_on(NAME, &network, congested.to_vec());
    let rows = (0..4).map(|y| reduction(set((0, y), (3, 0)), cluster(y, y), 64));
    let columns = (0..4).map(|x| reduction(set((x, 0), (0, 3)), cluster(x, 3 - x), 64));
    crate::common::agree_on(NAME, &network, rows.chain(columns).collect());
}

#[test]
fn every_operator_of_fp64_and_int64_matches_the_simulator() {
    let network = two_operand_network();
    for element in [ElementType::Fp64, ElementType::Int64] {
        for root in [(1, 2), (0, 0)] {
            let into = (set((0, 0), (3, 3)), cluster(root.0, root.1));
            let comparison = follow_arithmetic(NAME, &network, into, element);
            comparison.unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

#[test]
fn random_reductions_between_writes_match_the_simulator() {
    agree_with(
        NAME,
        &two_operand_network(),
        &crate::common::REDUCING,
        0..12,
    );
}

#[test]
fn everything_at_once_matches_the_simulator() {
    agree_with(NAME, &two_operand_network(), &StressKind::ALL, 0..12);
}

#[test]
fn a_library_of_the_other_unit_is_refused() {
    let other = crate::common::network("collective_noc_4x4");
    let error = Lockstep::open(&library(NAME), &other).err().unwrap();
    let wanted = "REDUCTION_OPERANDS is 2, and the network needs 3";
    assert!(error.to_string().contains(wanted), "{error}");
}
