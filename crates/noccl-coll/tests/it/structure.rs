// SPDX-License-Identifier: Apache-2.0
//! Steps, barriers and transactions of each algorithm are those of S1's equations.

use crate::common::{DATA_KINDS, collective, forms, network, network_with, rectangle};
use noccl_coll::{
    Algorithm, BarrierAlgorithm, BarrierStructure, Choice, Inner, barrier_schedule, choices,
    schedule,
};
use noccl_net::{Network, TileRef, TileSet};
use noccl_testkit::cluster;
use noccl_workload::{ActionKind, BarrierMechanism, CheckError, CollectiveKind, Schedule, check};

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

// Every barrier plan is a barrier, by the checker's proof; without its last level none is.

fn all(net: &Network) -> TileSet {
    net.parse_tile_set("all").unwrap()
}

#[test]
fn every_plan_lets_nobody_leave_before_all_have_entered() {
    for preset in [
        "collective_noc_4x4",
        "collective_noc_8x2",
        "collective_noc_2x1",
    ] {
        let net = network(preset);
        for plan in BarrierAlgorithm::ALL {
            let schedule = barrier_schedule(&net, &all(&net), plan).unwrap();
            let checked = check(&net, &schedule);
            assert!(checked.is_ok(), "{preset} {}: {checked:?}", plan.name());
        }
    }
}

#[test]
fn a_plan_without_its_last_level_leaks() {
    let net = network("collective_noc_4x4");
    for plan in BarrierAlgorithm::ALL {
        let mut schedule = barrier_schedule(&net, &all(&net), plan).unwrap();
        let last = schedule
            .actions
            .iter()
            .map(|a| a.after.len())
            .max()
            .unwrap();
        if last == 0 {
            continue;
        }
        // Actions of the last level are those nobody comes after.
        let waited: Vec<u32> = schedule
            .actions
            .iter()
            .flat_map(|a| a.after.iter().map(|id| id.0))
            .collect();
        let is_last = |index: usize| !waited.contains(&(index as u32));
        let first = (0..schedule.actions.len()).find(|i| is_last(*i)).unwrap();
        schedule.actions.truncate(first);
        let refused = check(&net, &schedule);
        assert!(
            matches!(refused, Err(CheckError::BarrierLeak { .. })),
            "{}: {refused:?}",
            plan.name()
        );
    }
}

#[test]
fn groups_without_the_shape_of_a_plan_are_refused() {
    let net = network("collective_noc_4x4");
    let three = net.parse_tile_set("0,0,3,1").unwrap();
    for plan in BarrierAlgorithm::ALL {
        let schedule = barrier_schedule(&net, &three, plan);
        let needs_cube = plan.mechanism == BarrierMechanism::InNetwork
            || !matches!(
                plan.structure,
                BarrierStructure::Flat | BarrierStructure::RowColumn
            );
        assert_eq!(
            schedule.is_err(),
            needs_cube,
            "{}: {schedule:?}",
            plan.name()
        );
    }
}

// Multi-addresses of a group that the routers' stores cannot hold together are reduced in steps.

#[test]
fn multi_addresses_that_fill_a_store_follow_each_other() {
    // Fifteen columns are four multi-addresses, whose operands meet north of the root's row.
    let root = cluster(4, 10);
    for (store_beats, has_steps) in [(640, false), (160, true)] {
        let small = [("router.wide_reduction.store_beats", store_beats)];
        let net = network_with("collective_noc_16x16", &small);
        let task = collective(CollectiveKind::Reduce, rectangle(0, 8, 15, 4), root, 1024);
        let schedule = schedule(&net, &task, Choice::new(Algorithm::InNetwork, 1)).unwrap();
        check(&net, &schedule).unwrap();
        let is_reduction = |kind: &ActionKind| matches!(kind, ActionKind::InNetworkReduction(_));
        let reductions = schedule.actions.iter().filter(|a| is_reduction(&a.kind));
        assert_eq!(reductions.clone().count(), 4);
        let waits = reductions.filter(|a| !a.after.is_empty()).count();
        assert_eq!(waits > 0, has_steps, "{store_beats} beats");
    }
}
