// SPDX-License-Identifier: Apache-2.0
//! Wide reductions that DMA engines of 2×2 clusters contribute to are the simulator's: `make cosim-dma`.

use crate::common::engines::{Engines, place, schedule, sum};
use crate::common::{cluster, set, sets_of_2x2, some};
use noccl_net::TileRef;
use noccl_run::{CycleRecord, TransferStart};
use noccl_testkit::schedules::at_once;
use noccl_workload::CollectiveKind;
use noccl_workload::{ActionKind, Operator};

const MESH: Engines = Engines {
    library: "2x2-engines-tiles",
    preset: "collective_noc_2x2",
};

#[test]
fn reductions_of_the_library_match_the_simulator() {
    let roots = [cluster(0, 0), cluster(1, 0), TileRef::Memory(0)].into_iter();
    let runs = roots.flat_map(|root| [64, 4096, 10_240].map(|bytes| (root, bytes)));
    for (root, bytes) in some(runs) {
        MESH.agree(&MESH.collective(CollectiveKind::Reduce, Some(root), ("in_network", bytes)));
    }
}

#[test]
fn all_reduces_of_the_library_match_the_simulator() {
    for bytes in [64, 2048, 8192] {
        MESH.agree(&MESH.collective(CollectiveKind::AllReduce, None, ("in_network", bytes)));
    }
}

#[test]
fn scattered_reductions_match_the_simulator() {
    for algorithm in ["in_network", "in_network_lines"] {
        for bytes in [64, 1024] {
            MESH.agree(&MESH.collective(CollectiveKind::ReduceScatter, None, (algorithm, bytes)));
        }
    }
}

#[test]
fn reductions_of_each_set_match_the_simulator() {
    let runs = sets_of_2x2().into_iter();
    let roots = [cluster(0, 0), cluster(1, 1), TileRef::Memory(1)];
    let runs = runs.flat_map(|group| roots.map(|root| (group, root)));
    let lengths = [64, 5000 / 64 * 64, 9000 / 64 * 64];
    let runs = runs.flat_map(|(group, root)| lengths.map(|bytes| (group, root, bytes)));
    for (group, root, bytes) in some(runs) {
        let one = sum(group, place(root, 0x8040), bytes);
        MESH.agree(&schedule(vec![(
            ActionKind::InNetworkReduction(one),
            Vec::new(),
        )]));
    }
}

#[test]
fn reductions_side_by_side_match_the_simulator() {
    let all = set((0, 0), (1, 1));
    for bytes in [64, 640, 4096, 6400] {
        let roots = (0..4).map(|i| place(cluster(i / 2, i % 2), 0x8000));
        let sums = roots.map(|root| ActionKind::InNetworkReduction(sum(all, root, bytes)));
        MESH.agree(&at_once(sums));
    }
}

#[test]
fn random_mixes_match_the_simulator() {
    MESH.agree_on_mixes(0..9, 16);
}

#[test]
fn a_contribution_of_other_bytes_is_noticed() {
    let one = sum(set((0, 0), (1, 0)), place(cluster(1, 1), 0x8000), 640);
    let one = at_once([ActionKind::InNetworkReduction(one)]);
    let first = |records: &mut Vec<CycleRecord>, change: fn(&mut TransferStart)| {
        let starts = records.iter_mut().flat_map(|r| &mut r.starts);
        starts.take(1).for_each(change);
    };
    let other = MESH.found(&one, |records| {
        first(records, |start| start.source.offset += 64);
    });
    assert!(other.contains("Local input"), "{other}");
    let minimum = MESH.found(&one, |records| {
        first(records, |start| {
            let contribution = start.contribution.as_mut().unwrap();
            contribution.operator = Operator::Min;
        });
    });
    assert!(minimum.contains("operator 0x1"), "{minimum}");
}

#[test]
fn what_has_no_hardware_is_refused_by_name() {
    let all = set((0, 0), (1, 1));
    let part = sum(all, place(cluster(0, 0), 0x8000), 8);
    let one = |kind| at_once([kind]);
    let part = MESH.refusal(&one(ActionKind::InNetworkReduction(part)));
    assert!(part.contains("part of a line"), "{part}");
    let shared = sum(all, place(cluster(0, 0), 0x8000), 64);
    let shared = MESH.refusal(&one(ActionKind::InNetworkAllReduce(shared)));
    assert!(shared.contains("all-reduce"), "{shared}");
}
