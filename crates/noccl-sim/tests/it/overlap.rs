// SPDX-License-Identifier: Apache-2.0
//! Overlapping collectives: all complete on the default network; the published router deadlocks and says why.

use crate::common::{cluster, cube, network, network_with, stalled};
use noccl_net::Network;
use noccl_run::{Mode, RunConfig, RunError, RunResult};
use noccl_testkit::assert_says;
use noccl_testkit::traces::{
    barrier as port_barrier, entry, narrow_write, trace, wide_multicast, wide_reduction,
};
use noccl_workload::PortKind;

fn run(network: &Network, kinds: Vec<(PortKind, Vec<u64>)>) -> Result<RunResult, RunError> {
    let transactions = kinds
        .into_iter()
        .map(|(kind, starts)| entry(starts.into_iter().map(Some).collect(), kind))
        .collect();
    let config = RunConfig::new(Mode::Value);
    noccl_sim::run_trace(network, &trace(transactions), &config, &mut |_| true)
}

/// Every transaction of a run that ends has the right bytes.
fn is_right(network: &Network, kinds: Vec<(PortKind, Vec<u64>)>, what: &str) {
    let result = run(network, kinds).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(result.wrong_transactions, 0, "{what}");
}

/// Pairs of multicasts that overlap, with their start cycles.
fn overlapping_multicasts() -> Vec<Vec<(PortKind, Vec<u64>)>> {
    let row = cube(0, 0, 3, 0);
    let all = cube(0, 0, 3, 3);
    let multicast = |x, y, to, start| (wide_multicast(cluster(x, y), to, 64), vec![start]);
    vec![
        vec![multicast(0, 0, row, 0), multicast(3, 0, row, 0)],
        vec![multicast(1, 0, row, 0), multicast(2, 0, row, 0)],
        vec![multicast(0, 0, all, 0), multicast(3, 3, all, 0)],
        vec![multicast(0, 1, all, 0), multicast(2, 2, all, 3)],
        vec![
            multicast(1, 1, all, 0),
            multicast(1, 2, all, 1),
            multicast(2, 1, all, 2),
        ],
    ]
}

#[test]
fn overlapping_multicasts_all_complete_with_the_right_bytes() {
    let net = network("collective_noc_4x4");
    for case in overlapping_multicasts() {
        let what = format!("{case:?}");
        is_right(&net, case, &what);
    }
}

#[test]
fn more_multicasts_than_merge_table_entries_complete() {
    let net = network("collective_noc_8x8");
    let all = cube(0, 0, 7, 7);
    for beats in [1, 8, 16] {
        let members = (0..8).flat_map(|x| (0..8).map(move |y| cluster(x, y)));
        let kinds = members.map(|from| wide_multicast(from, all, beats));
        let kinds = kinds.map(|kind| (kind, vec![0])).collect();
        is_right(&net, kinds, &format!("{beats} beats"));
    }
}

#[test]
fn published_router_deadlocks_on_overlapping_multicasts_and_names_a_cycle_of_waits() {
    let net = network("collective_noc_4x4_published");
    for case in overlapping_multicasts() {
        let diagnosis = stalled(run(&net, case));
        let first = &diagnosis.waits.first().expect("somebody waits").waiter;
        let last = &diagnosis.waits.last().expect("somebody waits").awaited;
        assert_eq!(first, last, "the waits close a cycle");
    }
}

#[test]
fn reductions_and_barriers_issued_in_opposite_orders_complete() {
    let net = network("collective_noc_4x4");
    let all = cube(0, 0, 3, 3);
    // Even members contribute to A first, odd members to B first.
    let starts = |first: u64| {
        (0..16)
            .map(|m| if (m + first).is_multiple_of(2) { 0 } else { 40 })
            .collect::<Vec<_>>()
    };
    let reduce = |root, first| (wide_reduction(all, root, 32), starts(first));
    let barrier = |root, first| (port_barrier(all, root), starts(first));
    let case = vec![
        reduce(cluster(0, 0), 0),
        reduce(cluster(3, 3), 1),
        barrier(cluster(1, 1), 0),
        barrier(cluster(2, 3), 1),
    ];
    is_right(&net, case, "opposite orders");
}

#[test]
fn two_dimensional_reduction_sustains_one_beat_per_cycle_with_three_operands() {
    let net = network("collective_noc_4x4");
    for beats in [1u64, 64, 512] {
        let kind = wide_reduction(cube(0, 0, 3, 3), cluster(0, 0), beats as u32);
        let cycles = crate::common::runtime(&net, 16, kind);
        // Three routers fold two operands (5 cycles), the three in the root's column fold three (8).
        assert_eq!(cycles, 5 + 4 * 6 + 3 * 5 + 3 * 8 + beats - 1);
    }
}

#[test]
fn a_unit_of_two_operands_takes_5_cycles_per_addition_and_a_pass_per_addition_and_beat() {
    let kind = [("router.wide_reduction.kind", "two_operand")];
    let net = network_with("collective_noc_4x4", &kind);
    // Additions and hops on the path of the farthest member; additions of the router that has most.
    for (root, additions, most, hops) in [((0, 0), 9, 2, 6), ((1, 0), 12, 3, 5), ((1, 1), 10, 4, 4)]
    {
        let runtime = |beats: u64| {
            let kind = wide_reduction(cube(0, 0, 3, 3), cluster(root.0, root.1), beats as u32);
            crate::common::runtime(&net, 16, kind)
        };
        let one = 5 + 4 * hops + 5 * additions;
        assert_eq!(runtime(1), one);
        for beats in [64, 512] {
            // First passes fill the gaps between the last beats' passes; sums that go back wait for operands that come in.
            let without_waits = one + most * (beats - 1);
            let cycles = runtime(beats);
            assert!(cycles + 4 >= without_waits, "{cycles} of {without_waits}");
            assert!(
                100 * cycles <= 106 * without_waits,
                "{cycles} of {without_waits}"
            );
        }
    }
}

#[test]
fn member_that_never_contributes_is_diagnosed() {
    let net = network("collective_noc_4x4");
    for kind in [
        wide_reduction(cube(0, 0, 3, 0), cluster(0, 0), 4),
        port_barrier(cube(0, 0, 3, 0), cluster(0, 0)),
    ] {
        let start_cycles = vec![Some(0), Some(0), None, Some(0)];
        let (trace, config) = (
            trace(vec![entry(start_cycles, kind)]),
            RunConfig::new(Mode::Value),
        );
        let diagnosis = stalled(noccl_sim::run_trace(&net, &trace, &config, &mut |_| true));
        assert_says(&diagnosis, &["cluster (2,0) has not contributed"]);
    }
}

#[test]
fn strided_reductions_keep_one_beat_per_cycle() {
    let net = network("collective_noc_16x16");
    // Two and four members, 4 and 8 hops apart; r merge points on the farthest path.
    for (group, root, h, r) in [
        (cube(0, 0, 4, 0), cluster(4, 0), 4, 1),
        (cube(0, 0, 8, 0), cluster(8, 0), 8, 1),
        (cube(0, 0, 12, 0), cluster(12, 0), 12, 3),
    ] {
        let kind = wide_reduction(group, root, 512);
        let cycles = crate::common::runtime(&net, group.len() as usize, kind);
        assert_eq!(cycles, 5 + 4 * h + 5 * r + 511, "{group:?}");
    }
}

/// A narrow write and a barrier that end at the same tile, `offset` shifting the one against the other.
fn barrier_beside_write(offset: u64) -> Vec<(PortKind, Vec<u64>)> {
    let barrier = port_barrier(cube(0, 0, 3, 0), cluster(0, 0));
    let write = narrow_write(cluster(0, 3), cluster(0, 0));
    vec![(barrier, vec![12; 4]), (write, vec![offset])]
}

#[test]
fn published_router_lets_a_barrier_split_a_write_burst_and_ours_does_not() {
    let (published, ours) = (
        network("collective_noc_4x4_published"),
        network("collective_noc_4x4"),
    );
    let wrong = |net: &Network, offset| {
        run(net, barrier_beside_write(offset))
            .expect("completes")
            .wrong_transactions
    };
    let split = (0..24)
        .filter(|offset| wrong(&published, *offset) > 0)
        .count();
    assert!(
        split > 0,
        "the merged barrier passes an output that a packet holds"
    );
    assert!((0..24).all(|offset| wrong(&ours, offset) == 0));
}

#[test]
fn a_multicast_of_every_cluster_to_all_at_once_completes_whatever_the_merge_tables_hold() {
    for entries in ["1", "2", "8"] {
        let tables = [("router.merge_table_entries", entries)];
        let net = network_with("collective_noc_8x8", &tables);
        let multicast = |x, y| wide_multicast(cluster(x, y), cube(0, 0, 7, 7), 4);
        let all = (0..8).flat_map(|x| (0..8).map(move |y| (multicast(x, y), vec![0])));
        is_right(&net, all.collect(), &format!("{entries} entries"));
    }
}
