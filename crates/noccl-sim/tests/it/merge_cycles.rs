// SPDX-License-Identifier: Apache-2.0
//! Merge tables with registers (`router.merge_cycles` = 3): every contribution asks for its output two cycles later at
//! each router, and nothing else moves.

use crate::common::{check_overlaps, cluster, cube, network_with, replay, runtime};
use noccl_net::Network;
use noccl_run::Mode;
use noccl_testkit::cases;
use noccl_testkit::traces::{
    barrier as port_barrier, together, trace, wide_multicast, wide_read, wide_reduction, wide_write,
};

fn three_cycles(preset: &str, entries: &str) -> Network {
    let changes = [
        ("router.merge_cycles", "3"),
        ("router.merge_table_entries", entries),
    ];
    network_with(preset, &changes)
}

/// h + 1 routers on the path of the farthest contribution, two cycles at each. The second burst of 66 beats is two beats long: an
/// input lets one contribution go on in three cycles, so its response waits one cycle for that of the first.
#[test]
fn barriers_and_responses_of_multicasts_take_7_plus_6h() {
    let net = three_cycles("collective_noc_4x4", "8");
    for (group, root, h) in [
        (cube(0, 0, 3, 0), (0, 0), 3),
        (cube(0, 0, 3, 3), (0, 0), 6),
        (cube(0, 0, 3, 3), (1, 1), 4),
        (cube(2, 0, 0, 0), (0, 0), 2),
    ] {
        let root = cluster(root.0, root.1);
        let barrier = port_barrier(group, root);
        assert_eq!(runtime(&net, group.len() as usize, barrier), 7 + 6 * h);
        for beats in [1, 64, 66, 128] {
            let multicast = wide_multicast(root, group, beats);
            let expected = 7 + 6 * h + u64::from(beats == 66);
            let cycles = runtime(&net, 1, multicast);
            assert_eq!(cycles, expected + u64::from(beats) - 1, "{beats} beats");
        }
    }
}

/// Kinds whose responses do not merge: as with one cycle.
#[test]
fn writes_reads_and_reductions_do_not_notice() {
    let net = three_cycles("collective_noc_4x4", "8");
    let (from, to) = (cluster(0, 0), cluster(3, 2));
    let write = wide_write(from, to, 70);
    assert_eq!(runtime(&net, 1, write), 5 + 4 * 5 + 69);
    let source = to;
    let read = wide_read(from, source, 64);
    assert_eq!(runtime(&net, 1, read), 5 + 4 * 5 + 63);
    let reduction = wide_reduction(cube(0, 0, 3, 0), cluster(3, 0), 64);
    assert_eq!(runtime(&net, 4, reduction), 5 + 4 * 3 + 5 * 3 + 63);
}

#[test]
fn multicasts_of_all_to_all_complete_whatever_the_tables_hold() {
    for entries in ["1", "2", "8"] {
        let net = three_cycles("collective_noc_8x8", entries);
        let multicast = |x, y| together(wide_multicast(cluster(x, y), cube(0, 0, 7, 7), 4), 1);
        replay(
            &net,
            &trace((0..64).map(|i| multicast(i / 8, i % 8)).collect()),
            Mode::Value,
            1,
            false,
        );
    }
}

#[test]
fn random_overlaps_complete_with_the_right_bytes_whatever_the_threads() {
    for seed in 0..cases(6, 24) {
        let entries = ["1", "2", "8"][seed as usize % 3];
        check_overlaps(&three_cycles("collective_noc_4x4", entries), seed.into());
    }
}
