// SPDX-License-Identifier: Apache-2.0
//! Steps, barriers and transactions of each algorithm are those of S1's equations.

use crate::common::{DATA_KINDS, collective, forms, network, rectangle};
use noccl_coll::{Algorithm, Choice, Inner, choices, schedule};
use noccl_net::{TileRef, TileSet};
use noccl_testkit::cluster;
use noccl_workload::{ActionKind, CollectiveKind, Schedule};

/// Transfers, barriers, local reductions, in-network reductions.
fn count(schedule: &Schedule) -> [usize; 4] {
    let mut out = [0; 4];
    for action in &schedule.actions {
        match &action.kind {
            ActionKind::Transfer(_) => out[0] += 1,
            ActionKind::Barrier(_) => out[1] += 1,
            ActionKind::LocalReduce(_) => out[2] += 1,
            ActionKind::InNetworkReduction(_) | ActionKind::InNetworkAllReduce(_) => out[3] += 1,
            ActionKind::Compute(_)
            | ActionKind::Delivery(_)
            | ActionKind::Arrival(_)
            | ActionKind::Kernel(_)
            | ActionKind::Chain(_)
            | ActionKind::ListMulticast(_)
            | ActionKind::Message(_)
            | ActionKind::StaticMulticast(_) => {}
        }
    }
    out
}

#[test]
fn multicast_barriers_are_those_of_the_equations() {
    let net = network("collective_noc_8x8");
    for (c, r) in [(2, 1), (4, 1), (8, 1), (4, 2), (4, 4), (8, 8)] {
        let task = collective(
            CollectiveKind::Multicast,
            rectangle(0, 0, c, r),
            TileRef::Memory(0),
            8192,
        );
        let (c, r) = (usize::from(c), usize::from(r));
        for chunks in [1usize, 2, 4, 8] {
            let chain =
                schedule(&net, &task, Choice::row_column(Inner::Chain, chunks as u32)).unwrap();
            // Eq. (1), (2), (10), (11): a barrier between the c + r + chunks - 2 steps.
            assert_eq!(count(&chain)[..2], [c * r * chunks, c + r + chunks - 3]);
        }
        let tree = schedule(&net, &task, Choice::row_column(Inner::Tree, 1)).unwrap();
        // Eq. (3), (12): log2(c r) + 1 steps and two barriers less than steps.
        assert_eq!(count(&tree)[..2], [c * r, (c * r).ilog2() as usize - 1]);
    }
}

#[test]
fn reduction_barriers_are_those_of_the_equations() {
    let net = network("collective_noc_8x8");
    for (c, r) in [(2, 1), (4, 1), (8, 1), (4, 2), (4, 4), (8, 8)] {
        let root = cluster(0, 0);
        let task = collective(CollectiveKind::Reduce, rectangle(0, 0, c, r), root, 8192);
        let (c, r) = (usize::from(c), usize::from(r));
        for chunks in [2usize, 4, 8] {
            let choice = Choice::row_column(Inner::Chain, chunks as u32);
            let chain = schedule(&net, &task, choice).unwrap();
            // Eq. (5), (15).
            let columns = if r > 1 { 2 * (r - 2) + chunks } else { 0 };
            assert_eq!(count(&chain)[1], 2 * (c - 2) + chunks + columns);
            let moves = (c * r - 1) * chunks;
            assert_eq!((count(&chain)[0], count(&chain)[2]), (moves, moves));
            // Eq. (6), (14): chunks barriers per level.
            let choice = Choice::row_column(Inner::Tree, chunks as u32);
            let tree = schedule(&net, &task, choice).unwrap();
            assert_eq!(count(&tree)[1], chunks * (c * r).ilog2() as usize);
        }
    }
}

#[test]
fn one_multi_address_takes_one_transaction() {
    let net = network("collective_noc_4x4");
    for (width, height) in [(4, 1), (2, 2), (4, 4), (1, 4)] {
        let group = rectangle(0, 0, width, height);
        let choice = Choice::new(Algorithm::InNetwork, 1);
        let root = cluster(0, 0);
        let of = |kind| {
            count(&schedule(&net, &collective(kind, group.clone(), root, 4096), choice).unwrap())
        };
        assert_eq!(
            DATA_KINDS.map(of),
            [[1, 0, 0, 0], [0, 0, 0, 1], [1, 0, 0, 1]]
        );
        assert_eq!(of(CollectiveKind::Barrier), [0, 1, 0, 0]);
    }
}

#[test]
fn what_does_not_fit_is_refused_with_both_sizes() {
    let net = network("collective_noc_4x4");
    let root = cluster(0, 0);
    let task = collective(CollectiveKind::Reduce, TileSet::Row(0), root, 0x1_0000);
    for choice in forms(1).into_iter().filter(|c| c.has_steps()) {
        let error =
            schedule(&net, &task, choice).expect_err("128 KiB hold input and output, no more");
        let text = error.to_string();
        assert!(text.contains("131072"), "{text}");
    }
    let error = schedule(&net, &task, Choice::new(Algorithm::Chain, 1)).unwrap_err();
    assert!(error.to_string().contains("262144"), "{error}");
}

#[test]
fn a_comparison_tries_both_directions_of_data_and_the_papers_first() {
    let net = network("collective_noc_4x4");
    for kind in DATA_KINDS {
        let task = collective(kind, rectangle(0, 0, 4, 4), cluster(0, 0), 4096);
        let names: Vec<String> = choices(&net, &task).iter().map(Choice::to_string).collect();
        let at = |name: &str| names.iter().position(|n| n == name).expect(name);
        for (papers, other) in [
            ("chain:4", "chain:4:push"),
            ("tree:1", "tree:1:pull"),
            ("row_column:2", "row_column:2:push"),
            ("row_column:1:tree", "row_column:1:tree:pull"),
        ] {
            assert!(at(papers) < at(other), "{names:?}");
        }
        // The naive chain is S1's.
        assert!(!names.contains(&"chain:1:push".to_owned()));
        let mut once = names.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), names.len(), "{names:?}");
    }
}
