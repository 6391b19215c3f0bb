// SPDX-License-Identifier: Apache-2.0
//! Wide reductions on the mesh of 4×4 clusters are the simulator's, handshake by handshake: operands, sums and credits.

use crate::common::{agree, agree_on, cluster, follow_arithmetic, network, reduction, set};
use noccl_studies::StressKind;
use noccl_workload::ElementType;

#[test]
fn reductions_along_a_row_match_the_simulator() {
    let network = network("collective_noc_4x4");
    for (mask, root) in [(1, 0), (3, 0), (3, 3), (3, 1), (2, 2)] {
        for beats in [1, 2, 5, 64, 65] {
            let one = reduction(set((0, 1), (mask, 0)), cluster(root, 1), beats);
            agree_on("4x4-reducing-tiles", &network, vec![one]);
        }
    }
}

#[test]
fn reductions_along_a_column_match_the_simulator() {
    let network = network("collective_noc_4x4");
    for (mask, root) in [(1, 0), (3, 0), (3, 3), (3, 2), (2, 0)] {
        for beats in [1, 64] {
            let one = reduction(set((2, 0), (0, mask)), cluster(2, root), beats);
            agree_on("4x4-reducing-tiles", &network, vec![one]);
        }
    }
}

#[test]
fn reductions_of_all_clusters_into_every_root_match_the_simulator() {
    let network = network("collective_noc_4x4");
    let mut compared = 0;
    for (x, y) in (0..16).map(|i| (i / 4, i % 4)) {
        // Three, four and five operands per router.
        for beats in [1, 70] {
            let one = reduction(set((0, 0), (3, 3)), cluster(x, y), beats);
            compared += agree_on("4x4-reducing-tiles", &network, vec![one]);
        }
    }
    assert!(compared > 70_000, "{compared}");
}

#[test]
fn reductions_that_share_routers_match_the_simulator() {
    let network = network("collective_noc_4x4");
    let all = set((0, 0), (3, 3));
    // Two bursts each: eight slots.
    let roots = [(1, 1), (2, 1), (0, 3), (3, 2)];
    let congested = roots.map(|(x, y)| reduction(all, cluster(x, y), 100));
    agree_on("4x4-reducing-tiles", &network, congested.to_vec());
    let rows = (0..4).map(|y| reduction(set((0, y), (3, 0)), cluster(y, y), 64));
    let columns = (0..4).map(|x| reduction(set((x, 0), (0, 3)), cluster(x, 3 - x), 64));
    agree_on(
        "4x4-reducing-tiles",
        &network,
        rows.chain(columns).collect(),
    );
}

#[test]
fn every_operator_of_fp64_matches_the_simulator() {
    let network = network("collective_noc_4x4");
    for (group, root) in [
        (set((0, 0), (3, 3)), cluster(1, 2)),
        (set((1, 2), (2, 1)), cluster(3, 2)),
    ] {
        let comparison = follow_arithmetic(
            "4x4-reducing-tiles",
            &network,
            (group, root),
            ElementType::Fp64,
        );
        comparison.unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn random_reductions_between_writes_match_the_simulator() {
    agree(
        "4x4-reducing-tiles",
        "collective_noc_4x4",
        &crate::common::REDUCING,
        0..12,
    );
}

#[test]
fn everything_at_once_matches_the_simulator() {
    agree(
        "4x4-reducing-tiles",
        "collective_noc_4x4",
        &StressKind::ALL,
        0..12,
    );
}
