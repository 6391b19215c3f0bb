// SPDX-License-Identifier: Apache-2.0
//! DMA engines, network interfaces and mesh of 4×4 clusters are the simulator's: `make cosim-dma-4x4`.

use crate::common::engines::Engines;
use crate::common::{cluster, stalled};
use noccl_workload::CollectiveKind;

const MESH: Engines = Engines {
    library: "4x4-engines-tiles",
    preset: "collective_noc_4x4",
};

#[test]
fn reductions_of_the_library_match_the_simulator() {
    for root in [cluster(0, 0), cluster(2, 1)] {
        let request = ("in_network", 8192);
        MESH.agree(&MESH.collective(CollectiveKind::Reduce, Some(root), request));
    }
}

#[test]
fn all_reduces_of_the_library_match_the_simulator() {
    let all_reduce = |bytes| {
        let request = ("in_network", bytes);
        MESH.collective(CollectiveKind::AllReduce, None, request)
    };
    MESH.agree(&all_reduce(64));
    // Under back-pressure the engines' registers have too little time for so many chunks.
    let compared = MESH.follow(&all_reduce(8192), &stalled(None, 1), |_| ());
    assert!(compared.unwrap() > 5_000);
}

#[test]
fn multicasts_of_the_library_match_the_simulator() {
    for algorithm in ["in_network", "row_column:2", "chain:2"] {
        let request = (algorithm, 4096);
        MESH.agree(&MESH.collective(CollectiveKind::Multicast, None, request));
    }
}

#[test]
fn random_mixes_match_the_simulator() {
    MESH.agree_on_mixes(0..9, 32);
}
