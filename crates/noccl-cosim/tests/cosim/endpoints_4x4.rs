// SPDX-License-Identifier: Apache-2.0
//! Network interfaces and mesh of 4×4 clusters are the simulator's, at the AXI ports: `make cosim-endpoints`.

use crate::common::endpoints::{Hardware, busy};
use crate::common::{cluster, reduction, set};
use noccl_studies::StressKind;

const MESH: Hardware = Hardware {
    library: "4x4-endpoints-tiles",
};

#[test]
fn strided_and_whole_groups_reduce_along_the_same_comparison() {
    for (base, mask) in [
        ((0, 0), (3, 3)),
        ((1, 0), (2, 3)),
        ((0, 2), (3, 0)),
        ((0, 1), (1, 2)),
    ] {
        for (x, y) in [(0, 0), (3, 3), (1, 2)] {
            let one = reduction(set(base, mask), cluster(x, y), 100);
            MESH.agree_on(vec![one]);
        }
    }
}

#[test]
fn everything_but_reductions_matches_the_simulator() {
    MESH.agree(&crate::common::ALL, 0..6);
}

#[test]
fn random_reductions_match_the_simulator() {
    MESH.agree(&crate::common::REDUCING, 0..6);
}

#[test]
fn busy_memories_and_managers_hold_up_both_alike() {
    MESH.agree_under(busy, &StressKind::ALL, 0..4);
}

#[test]
fn everything_at_once_matches_the_simulator() {
    MESH.agree(&StressKind::ALL, 0..6);
}

#[test]
fn congested_traces_match_the_simulator() {
    MESH.congested_narrow_traces(0..60);
    MESH.congested_traces(0..60);
}
