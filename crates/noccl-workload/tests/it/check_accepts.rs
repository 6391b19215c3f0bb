// SPDX-License-Identifier: Apache-2.0
//! Right schedules pass, and the report tells the truth about them.

use crate::common::*;
use noccl_net::TileSet;
use noccl_testkit::actions::to_set;
use noccl_testkit::place;
use noccl_workload::{ActionKind, CollectiveKind, Schedule, check, interpret};

#[test]
fn in_network_multicast_passes_at_any_size() {
    let network = mesh4x4();
    for bytes in [1, 63, 64, 4096, 0x8000] {
        let all = TileSet::Cube(set(0, 0, 3, 3));
        let c = collective(CollectiveKind::Multicast, all, cluster(1, 2), bytes);
        let mut s = Build::new(Some(c));
        s.multicast(at(1, 2, 0), set(0, 0, 3, 3), 0x8000, bytes, &[]);
        let report = check(&network, &s.0).unwrap();
        assert_eq!((report.transfers, report.bytes), (1, bytes));
        assert_eq!(report.max_link_transfers(), 1);
    }
}

#[test]
fn chain_multicast_passes_and_every_step_is_a_round() {
    let report = check(&mesh4x4(), &chain_multicast(4, 4096, 8)).unwrap();
    // Eight chunks over three hops: ten steps of transfers, a barrier after each.
    assert_eq!(report.steps.len(), 20);
    assert_eq!((report.transfers, report.bytes), (24, 3 * 4096));
    assert_eq!(report.max_link_transfers(), 1);
}

#[test]
fn chain_reduce_passes_and_its_fold_is_told() {
    let report = check(&mesh4x4(), &chain_reduce(4, 512)).unwrap();
    assert_eq!(report.fold_orders, ["[[[3, 2], 1], 0]"]);
}

#[test]
fn in_network_reduction_has_port_order() {
    let all = TileSet::Cube(set(0, 0, 3, 3));
    let c = collective(CollectiveKind::Reduce, all, cluster(1, 1), 64);
    let mut s = Build::new(Some(c));
    s.reduction(set(0, 0, 3, 3), 0, at(1, 1, 0x8000), 64, &[]);
    let report = check(&mesh4x4(), &s.0).unwrap();
    // Ranks count y first. At the root: North, East, South, West, Local.
    assert_eq!(
        report.fold_orders,
        ["[[[[15, 11], 3, 7], [14, 10], 2, 6], [13, 9], [[12, 8], 0, 4], 1, 5]"]
    );
}

#[test]
fn all_reduce_by_reduction_and_multicast_passes() {
    let c = collective(CollectiveKind::AllReduce, row(), cluster(2, 0), 256);
    let mut s = Build::new(Some(c));
    let up = s.reduction(set(0, 0, 3, 0), 0, at(2, 0, 0x8000), 256, &[]);
    s.multicast(at(2, 0, 0x8000), set(0, 0, 3, 0), 0x8000, 256, &[up]);
    let report = check(&mesh4x4(), &s.0).unwrap();
    assert_eq!(report.fold_orders, ["[3, [0, 1], 2]"]);
    assert_eq!(report.steps.len(), 2);
}

#[test]
fn barrier_passes_with_work_before_and_after() {
    let c = collective(CollectiveKind::Barrier, row(), cluster(0, 0), 0);
    let mut s = Build::new(Some(c));
    let before: Vec<u32> = (0..4).map(|x| s.compute(cluster(x, 0), &[])).collect();
    let barrier = s.barrier(row(), &before);
    for x in 0..4 {
        s.compute(cluster(x, 0), &[barrier]);
    }
    check(&mesh4x4(), &s.0).unwrap();
}

#[test]
fn a_third_tile_may_move_data_and_zero_bytes_are_no_ops() {
    let tile = TileSet::Tile(noccl_net::Coord::new(3, 3));
    let c = collective(CollectiveKind::Multicast, tile, cluster(0, 0), 0);
    check(&mesh4x4(), &Build::new(Some(c)).0).unwrap();
    let (all, memory) = (
        TileSet::Cube(set(0, 0, 3, 3)),
        noccl_net::TileRef::Memory(0),
    );
    let mut c = collective(CollectiveKind::Multicast, all, memory, 1024);
    c.output_offset = 0;
    let mut s = Build::new(Some(c));
    let source = place(memory, 0);
    let to = to_set(set(0, 0, 3, 3), 0);
    s.add(copy(cluster(0, 0), source, to, 1024), &[]);
    // Nothing moves, so nothing races.
    s.push(at(1, 0, 0), at(2, 0, 0), 0, &[]);
    let report = check(&mesh4x4(), &s.0).unwrap();
    assert_eq!(report.transfers, 1);
}

#[test]
fn contention_names_the_link_and_counts_its_transfers() {
    let mut s = Build::new(None);
    for x in 0..3 {
        s.push(at(x, 0, 0), at(3, 0, 0x1000 * u64::from(x)), 64, &[]);
    }
    let report = check(&mesh4x4(), &s.0).unwrap();
    let contended = &report.steps[0].contended;
    // Mesh x is cluster x + 1: the link out of cluster (1,0) carries two transfers, that of (2,0) three.
    let found: Vec<_> = contended
        .iter()
        .map(|l| (l.router.x, l.router.y, l.transfers))
        .collect();
    assert_eq!(found, [(2, 0, 2), (3, 0, 3)]);
    assert_eq!(report.max_link_transfers(), 3);
}

#[test]
fn long_schedules_pass_and_one_late_mistake_in_them_is_found() {
    let network = mesh4x4();
    let good = chain_multicast(4, 0x8000, 512);
    let report = check(&network, &good).unwrap();
    assert_eq!(report.transfers, 3 * 512);
    let mut bad = good.clone();
    let late = bad.actions.len() - 2;
    bad.actions[late].after.clear();
    let message = check(&network, &bad).unwrap_err().to_string();
    let start = format!("race: actions[{late}] (transfer) reads");
    assert!(message.starts_with(&start), "{message}");
}

#[test]
fn pulls_multicasts_and_reductions_count_on_their_links() {
    // All towards or from cluster (3,0), over the link between (2,0) and (3,0).
    let mut s = Build::new(None);
    s.pull(at(2, 0, 0), at(3, 0, 0x1000), 64, &[]);
    s.multicast(at(2, 0, 0), set(3, 0, 0, 1), 0x2000, 64, &[]);
    s.reduction(set(2, 0, 1, 0), 0, at(3, 0, 0x3000), 64, &[]);
    let report = check(&mesh4x4(), &s.0).unwrap();
    let found: Vec<_> = report.steps[0]
        .contended
        .iter()
        .map(|l| (l.router.x, l.router.y, l.port, l.transfers))
        .collect();
    assert_eq!(found, [(3, 0, noccl_net::Port::East, 3)]);
    assert_eq!(report.bytes, 64 + 64 + 2 * 64);
}

/// One tile writes 300 ranges of its neighbour, a barrier follows all but some, the neighbour reads them.
fn forgetful(forgotten: &[u32]) -> Schedule {
    let mut s = Build::new(None);
    for i in 0..300 {
        s.push(at(0, 0, 0), at(1, 0, 64 * i), 64, &[]);
    }
    let ordered: Vec<u32> = (0..300).filter(|i| !forgotten.contains(i)).collect();
    let gate = s.barrier(TileSet::Cube(set(0, 0, 1, 0)), &ordered);
    for i in 0..300 {
        s.push(at(1, 0, 64 * i), at(2, 0, 64 * i), 64, &[gate]);
    }
    s.0
}

#[test]
fn each_of_many_writers_is_told_apart_and_the_first_race_is_named() {
    check(&mesh4x4(), &forgetful(&[])).unwrap();
    for forgotten in [&[0, 299][..], &[63], &[64], &[255], &[256, 257], &[299]] {
        let message = rejection(&forgetful(forgotten)).to_string();
        let (first, second) = (forgotten[0], 301 + forgotten[0]);
        let reads = format!("race: actions[{second}] (transfer) reads");
        let writes = format!("which actions[{first}] (transfer) writes");
        assert!(message.starts_with(&reads), "{message}");
        assert!(message.contains(&writes), "{message}");
    }
}

#[test]
fn lines_are_spread_and_packed_by_their_strides() {
    let group = TileSet::Tile(noccl_net::Coord::new(1, 0));
    let c = collective(CollectiveKind::Multicast, group, cluster(0, 0), 96);
    let mut s = Build::new(Some(c));
    let scatter = s.push(at(0, 0, 0), at(1, 0, 0x100), 32, &[]);
    let back = s.copy(
        cluster(0, 0),
        at(1, 0, 0x100),
        at(1, 0, 0x8000),
        32,
        &[scatter],
    );
    for (action, strides) in [(scatter, (32, 128)), (back, (128, 32))] {
        let ActionKind::Transfer(t) = &mut s.0.actions[action as usize].kind else {
            unreachable!("a copy is a transfer")
        };
        t.rows = 3;
        (t.source_stride, t.destination_stride) = strides;
    }
    let input: Vec<u8> = (0..96).collect();
    let network = mesh4x4();
    let memories = interpret(&network, &s.0, &[(at(0, 0, 0), &input)]).unwrap();
    assert_eq!(memories.read(at(1, 0, 0x8000), 96).unwrap(), input);
    assert_eq!(
        memories.read(at(1, 0, 0x100 + 128), 32).unwrap(),
        input[32..64]
    );
}
