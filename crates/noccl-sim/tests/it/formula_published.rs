// SPDX-License-Identifier: Apache-2.0
//! `published` equals the measured runtimes of the published router, exactly, deadlocks included.
//!
//! The figures are measurements of the authors' RTL (`docs/papers/S1.md`, "Published router").

use crate::common::{cluster, cube, network, run_one, runtime};
use noccl_net::TileRef;
use noccl_run::RunError;
use noccl_testkit::traces::{
    barrier, narrow_read, narrow_write, wide_multicast, wide_reduction, wide_write,
};

const PUBLISHED: &str = "collective_noc_4x4_published";

#[test]
fn write_round_trip_is_6_plus_4h_plus_beats_minus_1_plus_one_per_further_burst() {
    let net = network(PUBLISHED);
    for (x, y) in [(0u16, 0u16), (1, 0), (3, 0), (3, 3)] {
        for beats in [1u32, 16, 64, 65, 512] {
            let expected =
                6 + 4 * u64::from(x + y) + u64::from(beats) - 1 + u64::from(beats.div_ceil(64)) - 1;
            let kind = wide_write(cluster(0, 0), cluster(x, y), beats);
            assert_eq!(runtime(&net, 1, kind), expected, "({x},{y}), {beats} beats");
        }
    }
    let narrow = narrow_write(cluster(0, 0), TileRef::Memory(0));
    assert_eq!(runtime(&net, 1, narrow), 10);
    let read = narrow_read(cluster(0, 0), TileRef::Memory(0));
    assert_eq!(runtime(&net, 1, read), 9);
}

#[test]
fn multicast_figures_match() {
    let net = network(PUBLISHED);
    for (to, beats, expected) in [
        (cube(0, 0, 3, 0), 64, 81),
        (cube(0, 0, 3, 0), 512, 536),
        (cube(0, 0, 3, 3), 512, 548),
    ] {
        let kind = wide_multicast(cluster(0, 0), to, beats);
        assert_eq!(runtime(&net, 1, kind), expected);
    }
}

#[test]
fn barrier_figures_match() {
    let net = network(PUBLISHED);
    let row = cube(0, 0, 3, 0);
    let all = cube(0, 0, 3, 3);
    for (group, root, expected) in [
        (row, cluster(0, 0), 18),
        (all, cluster(0, 0), 30),
        (all, cluster(1, 1), 22),
    ] {
        assert_eq!(
            runtime(&net, group.len() as usize, barrier(group, root)),
            expected
        );
    }
}

#[test]
fn wide_reduction_figures_match() {
    let net = network(PUBLISHED);
    for (beats, expected) in [(1, 33), (64, 96), (512, 586)] {
        let kind = wide_reduction(cube(0, 0, 3, 0), cluster(3, 0), beats);
        assert_eq!(runtime(&net, 4, kind), expected, "{beats} beats");
    }
}

#[test]
fn reduction_with_three_inputs_at_one_router_is_refused() {
    let net = network(PUBLISHED);
    let kind = wide_reduction(cube(0, 0, 3, 3), cluster(0, 0), 1);
    let error = run_one(&net, 16, kind).expect_err("the published router cannot do it");
    assert!(matches!(error, RunError::Refused { .. }), "{error}");
}
