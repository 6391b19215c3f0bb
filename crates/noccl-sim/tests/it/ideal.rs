// SPDX-License-Identifier: Apache-2.0
//! The ideal crossbar: unloaded cycles equal their closed formulas, whatever the distance; its limits are those of the
//! interfaces; sums have the bytes of the mesh.
//!
//! `docs/timing.md`, *Ideal crossbar*: one cycle there and one back, `n` beats, `a` cycles of an addition.

use crate::common::{cluster, cube, disagree, network, reduction, run_trace, runtime};
use noccl_net::deadlock::check_network;
use noccl_net::{Coord, Port, TileRef};
use noccl_run::{Mode, RunConfig, RunError, RunResult};
use noccl_testkit::traces::{
    atomic, barrier as port_barrier, narrow_multicast, narrow_read, narrow_write, together, trace,
    wide_multicast, wide_read, wide_reduction, wide_write,
};
use noccl_workload::{Difference, ElementType, PortKind};

fn run(preset: &str, kinds: Vec<(PortKind, usize)>) -> Result<RunResult, RunError> {
    let transactions = kinds
        .into_iter()
        .map(|(kind, participants)| together(kind, participants))
        .collect();
    let trace = trace(transactions);
    let config = RunConfig::new(Mode::Value);
    noccl_sim::run_trace(&network(preset), &trace, &config, &mut |_| true)
}

#[test]
fn writes_and_reads_take_3_plus_beats_minus_1_however_far() {
    for preset in ["ideal_4x4", "ideal_16x16"] {
        let net = network(preset);
        let far = net.cluster_width() - 1;
        for (x, y) in [(0u16, 0u16), (1, 0), (far, 0), (far, far), (2, 1)] {
            for beats in [1, 2, 64, 65, 512] {
                let kind = wide_write(cluster(0, 0), cluster(x, y), beats);
                let expected = 3 + u64::from(beats) - 1;
                assert_eq!(runtime(&net, 1, kind), expected, "write to ({x},{y})");
                let kind = wide_read(cluster(x, y), TileRef::Memory(0), beats.min(64));
                let expected = 3 + u64::from(beats.min(64)) - 1;
                assert_eq!(runtime(&net, 1, kind), expected, "read by ({x},{y})");
            }
            let (from, memory) = (cluster(x, y), TileRef::Memory(1));
            assert_eq!(runtime(&net, 1, narrow_write(from, memory)), 3);
            assert_eq!(runtime(&net, 1, narrow_read(from, memory)), 3);
            assert_eq!(runtime(&net, 1, atomic(from, memory)), 2 + 3);
        }
    }
}

#[test]
fn multicasts_and_barriers_take_3_whatever_their_set() {
    let net = network("ideal_4x4");
    for to in [cube(0, 0, 3, 0), cube(0, 0, 3, 3), cube(2, 0, 1, 2)] {
        for beats in [1, 64, 512] {
            for from in [cluster(0, 0), cluster(1, 3), cluster(2, 2)] {
                let kind = wide_multicast(from, to, beats);
                assert_eq!(runtime(&net, 1, kind), 3 + u64::from(beats) - 1, "{to:?}");
            }
        }
        let from = cluster(1, 1);
        assert_eq!(runtime(&net, 1, narrow_multicast(from, to)), 3);
        let (group, root) = (to, cluster(3, 1));
        let barrier = port_barrier(group, root);
        assert_eq!(runtime(&net, group.len() as usize, barrier), 3);
    }
}

#[test]
fn reductions_take_3_plus_one_addition_whatever_the_number_of_operands() {
    let net = network("ideal_4x4");
    for group in [cube(0, 0, 1, 0), cube(0, 0, 3, 0), cube(0, 0, 3, 3)] {
        for root in [cluster(0, 0), cluster(2, 1), cluster(3, 3)] {
            for beats in [1, 64, 512] {
                let kind = wide_reduction(group, root, beats);
                let members = group.len() as usize;
                let cycles = runtime(&net, members, kind);
                assert_eq!(cycles, 3 + 3 + u64::from(beats) - 1, "{group:?} {root:?}");
            }
        }
    }
}

/// Fifteen writers of one target: its interface takes a flit per cycle, and nothing else costs time.
#[test]
fn only_interfaces_limit_it() {
    const BEATS: u32 = 64;
    let members = |to: Coord| {
        let all = (0..4).flat_map(|x| (0..4).map(move |y| Coord::new(x, y)));
        all.filter(move |from| *from != to)
    };
    let write = |from: Coord, to: Coord| {
        let kind = wide_write(cluster(from.x, from.y), cluster(to.x, to.y), BEATS);
        (kind, 1)
    };
    let to = Coord::new(1, 2);
    let kinds = members(to).map(|from| write(from, to)).collect();
    let result = run("ideal_4x4", kinds).expect("it runs");
    assert_eq!(result.wrong_transactions, 0);
    assert_eq!(result.cycles, 3 + 15 * u64::from(BEATS) - 1);
    // A permutation loads no interface twice.
    let across = |from: Coord| write(from, Coord::new(3 - from.x, 3 - from.y));
    let kinds = members(Coord::new(9, 9)).map(across).collect();
    let result = run("ideal_4x4", kinds).expect("it runs");
    assert_eq!(result.cycles, 3 + u64::from(BEATS) - 1);
    let links = result.links.iter();
    assert!(links.clone().all(|l| l.link.port == Port::Local));
    let flits: u64 = links.map(|l| l.flits).sum();
    assert_eq!(flits, 16 * u64::from(BEATS) + 16);
}

/// What makes published routers wait for each other: overlapping multicasts, reductions and barriers in any order.
#[test]
fn nothing_that_overlaps_waits_in_a_circle() {
    let all = cube(0, 0, 3, 3);
    let multicast = |x, y| (wide_multicast(cluster(x, y), all, 200), 1);
    let reduction = |x, y| (wide_reduction(all, cluster(x, y), 40), 16);
    let barrier = |x, y| (port_barrier(all, cluster(x, y)), 16);
    let kinds = (0..4).flat_map(|i| [multicast(i, 3 - i), reduction(i, i), barrier(3, i)]);
    let result = run("ideal_4x4", kinds.collect()).expect("it completes");
    assert_eq!(result.wrong_transactions, 0);
    check_network(&network("ideal_4x4")).expect("free of deadlock");
}

/// As on the mesh: a reduction whose contributions do not agree fails as a whole and writes nothing.
#[test]
fn contributions_that_differ_get_an_error() {
    let net = network("ideal_4x4");
    for difference in [
        Difference::Element(ElementType::Fp64),
        Difference::EnabledBytes(8),
    ] {
        let other = |member| disagree(member, difference);
        for members in [0..2, 0..15, 15..16] {
            let faults = members.map(other).collect();
            let result = run_trace(&net, vec![reduction(65)], faults).expect("completes");
            assert_eq!(result.responses, [2], "SLVERR, {difference:?}");
        }
    }
}
