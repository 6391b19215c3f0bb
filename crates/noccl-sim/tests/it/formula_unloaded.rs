// SPDX-License-Identifier: Apache-2.0
//! Unloaded runtimes of the default network equal their closed formulas, exactly.
//!
//! Cycle 0 = first valid at the initiator's port, end = handshake of the last response (S1's system,
//! `docs/timing.md`). `h` counts hops, `n` beats, `r` reducing routers on the farthest path.

use crate::common::{cluster, cube, network, runtime};
use noccl_net::TileRef;
use noccl_testkit::traces::{
    atomic, barrier, narrow_multicast, narrow_read, narrow_write, trace, wide_multicast, wide_read,
    wide_reduction, wide_write,
};

#[test]
fn write_round_trip_is_5_plus_4h_plus_beats_minus_1() {
    let net = network("collective_noc_4x4");
    for (x, y) in [(0u16, 0u16), (1, 0), (3, 0), (0, 3), (3, 3), (2, 1)] {
        for beats in [1, 2, 16, 64, 65, 512] {
            let h = u64::from(x + y);
            let kind = wide_write(cluster(0, 0), cluster(x, y), beats);
            assert_eq!(
                runtime(&net, 1, kind),
                5 + 4 * h + u64::from(beats) - 1,
                "({x},{y}), {beats} beats"
            );
        }
    }
}

#[test]
fn read_round_trip_is_5_plus_4h_plus_beats_minus_1() {
    let net = network("collective_noc_4x4");
    for (x, h) in [(0, 1), (1, 2), (3, 4)] {
        for beats in [1, 64] {
            let kind = wide_read(cluster(x, 0), TileRef::Memory(0), beats);
            assert_eq!(runtime(&net, 1, kind), 5 + 4 * h + u64::from(beats) - 1);
        }
        let kind = narrow_read(cluster(x, 0), TileRef::Memory(0));
        assert_eq!(runtime(&net, 1, kind), 5 + 4 * h);
        let kind = narrow_write(cluster(x, 0), TileRef::Memory(0));
        assert_eq!(runtime(&net, 1, kind), 5 + 4 * h);
        let kind = atomic(cluster(x, 0), TileRef::Memory(0));
        assert_eq!(
            runtime(&net, 1, kind),
            4 + 4 * h + 3,
            "an atomic takes three cycles at the memory"
        );
    }
}

#[test]
fn multicast_takes_as_long_as_a_write_to_its_farthest_member() {
    let net = network("collective_noc_4x4");
    let groups = [
        (cube(0, 0, 3, 0), 3),
        (cube(0, 0, 3, 3), 6),
        (cube(2, 0, 1, 0), 3),
        (cube(0, 0, 1, 2), 3),
    ];
    for (to, h) in groups {
        for beats in [1, 64, 512] {
            let kind = wide_multicast(cluster(0, 0), to, beats);
            assert_eq!(
                runtime(&net, 1, kind),
                5 + 4 * h + u64::from(beats) - 1,
                "{to:?} {beats}"
            );
        }
    }
    let narrow = narrow_multicast(cluster(1, 1), cube(0, 0, 3, 3));
    assert_eq!(runtime(&net, 1, narrow), 5 + 4 * 4);
}

#[test]
fn multicast_over_an_8x8_mesh_merges_all_responses_in_the_network() {
    let net = network("collective_noc_8x8");
    for (from, h) in [(cluster(0, 0), 14), (cluster(3, 4), 8)] {
        let kind = wide_multicast(from, cube(0, 0, 7, 7), 4);
        assert_eq!(runtime(&net, 1, kind), 5 + 4 * h + 3);
    }
}

#[test]
fn barrier_takes_the_round_trip_of_its_farthest_member_whatever_their_number() {
    let net = network("collective_noc_4x4");
    let cases = [
        (cube(0, 0, 3, 0), cluster(0, 0), 3),
        (cube(0, 0, 3, 3), cluster(0, 0), 6),
        (cube(0, 0, 3, 3), cluster(1, 1), 4),
    ];
    for (group, root, h) in cases {
        let kind = barrier(group, root);
        assert_eq!(runtime(&net, group.len() as usize, kind), 5 + 4 * h);
    }
}

#[test]
fn reduction_adds_5_cycles_per_reducing_router_and_no_dead_time_between_bursts() {
    let net = network("collective_noc_4x4");
    for beats in [1, 64, 512] {
        let kind = wide_reduction(cube(0, 0, 3, 0), cluster(3, 0), beats);
        assert_eq!(
            runtime(&net, 4, kind),
            5 + 4 * 3 + 5 * 3 + u64::from(beats) - 1
        );
    }
}

#[test]
fn narrow_port_has_no_more_transactions_outstanding_than_its_limit() {
    let finish = |limit: &str| {
        let text = noccl_spec::preset_text("collective_noc_4x4").expect("preset");
        let limit = ("ni.max_narrow_outstanding".to_owned(), limit.to_owned());
        let spec = noccl_spec::parse_spec("preset", &text, &[limit]).expect("spec");
        let net = noccl_net::elaborate(&spec).expect("network");
        let write =
            || noccl_testkit::traces::together(narrow_write(cluster(0, 0), cluster(3, 0)), 1);
        let trace = trace((0..3).map(|_| write()).collect());
        let config = noccl_run::RunConfig::new(noccl_run::Mode::Timing);
        noccl_sim::run_trace(&net, &trace, &config, &mut |_| true)
            .expect("runs")
            .actions[2]
            .finish_cycle
    };
    // Three hops: 17 cycles each. One at a time leave in the cycle after the response before.
    assert_eq!(finish("8"), 17 + 2);
    assert_eq!(finish("1"), 3 * 17 + 2);
    assert_eq!(finish("2"), 17 + 17 + 1);
}
