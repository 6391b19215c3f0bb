// SPDX-License-Identifier: Apache-2.0
//! Wide reductions on the mesh of 2×2 clusters are the simulator's, handshake by handshake: operands, sums and credits.

use crate::common::cases::Cases;
use crate::common::{
    agree, agree_on, cluster, follow_arithmetic, network, reductions_of_2x2, set, whole_or_tiles,
};
use noccl_studies::StressKind;
use noccl_workload::ElementType;

fn name() -> &'static str {
    whole_or_tiles("2x2-reducing", "2x2-reducing-tiles")
}

#[test]
fn reductions_on_2x2_match_the_simulator() {
    let network = network("collective_noc_2x2");
    for one in reductions_of_2x2() {
        agree_on(name(), &network, vec![one]);
    }
}

#[test]
fn random_reductions_on_2x2_match_the_simulator() {
    agree(
        name(),
        "collective_noc_2x2",
        &crate::common::REDUCING,
        0..12,
    );
}

#[test]
fn every_operator_of_fp64_on_2x2_matches_the_simulator() {
    let network = network("collective_noc_2x2");
    let into = (set((0, 0), (1, 1)), cluster(1, 1));
    let comparison = follow_arithmetic(name(), &network, into, ElementType::Fp64);
    comparison.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn congested_traces_on_2x2_match_the_simulator() {
    Cases::new(name(), network("collective_noc_2x2")).congested_traces(0..300);
}

#[test]
fn everything_on_2x2_at_once_matches_the_simulator() {
    agree(name(), "collective_noc_2x2", &StressKind::ALL, 0..12);
}
