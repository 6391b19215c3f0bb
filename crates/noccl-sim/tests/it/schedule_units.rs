// SPDX-License-Identifier: Apache-2.0
//! Agents, FPU sharing and barriers, one at a time, on hand-written schedules.

use crate::common::hand_written::{finish_cycles, run, schedule};
use crate::common::{cluster, cube, network, network_with, stalled};
use noccl_net::{TileRef, TileSet};
use noccl_testkit::actions::{barrier, compute, network_sum};
use noccl_testkit::schedules::at_once;
use noccl_testkit::{assert_says, place, rectangle};
use noccl_workload::{BarrierMechanism, ElementType};

#[test]
fn network_and_cores_share_the_fpus_and_slow_each_other_down() {
    let net = network("collective_noc_4x4");
    let reduction = network_sum(
        cube(0, 0, 3, 0),
        place(cluster(0, 0), 65_536),
        16_384,
        ElementType::Fp64,
    );
    let compute = compute(cluster(1, 0), 600);
    let cycles = |actions| finish_cycles(&net, &at_once(actions));
    let reduction_alone = cycles(vec![reduction.clone()])[0];
    let compute_alone = cycles(vec![compute.clone()])[0];
    let together = cycles(vec![reduction, compute]);
    assert!(
        together[0] > reduction_alone,
        "the cores alternate with the network"
    );
    // 256 beats are combined at cluster (1,0); those during the kernel cost it one cycle each.
    let stolen = together[1] - compute_alone;
    assert!(
        (200..=256).contains(&stolen),
        "the kernel lost {stolen} cycles"
    );
}

#[test]
fn software_barrier_serialises_atomics_and_releases_everybody_after_the_last_arrival() {
    let net = network("collective_noc_4x4");
    let cycles = |members: u16, mechanism| {
        let group = rectangle(0, 0, members, 1);
        let barrier = barrier(group, cluster(0, 0), mechanism);
        finish_cycles(&net, &at_once([barrier]))[0]
    };
    let software: Vec<u64> = (2..=4)
        .map(|n| cycles(n, BarrierMechanism::Software))
        .collect();
    assert!(
        software.windows(2).all(|w| w[1] > w[0]),
        "{software:?}: every member costs an atomic"
    );
    // In-network: store, path, 5 + 4h, path, leave.
    let i = &net.spec().axi().unwrap().cluster.instructions;
    let around = u64::from(
        i.barrier_store
            + i.barrier_leave
            + net.spec().axi().unwrap().cluster.request_path_cycles
            + net.spec().axi().unwrap().cluster.response_path_cycles,
    );
    assert_eq!(cycles(2, BarrierMechanism::InNetwork), around + 5 + 4);
    assert_eq!(cycles(4, BarrierMechanism::InNetwork), around + 5 + 12);
}

/// Cycles of one software barrier over a rectangle whose members all arrive at once.
fn software_barrier_cycles(width: u16, height: u16, counter: TileRef) -> u64 {
    let group = rectangle(0, 0, width, height);
    let barrier = barrier(group, counter, BarrierMechanism::Software);
    finish_cycles(&network("collective_noc_4x4"), &at_once([barrier]))[0]
}

#[test]
fn software_barrier_is_over_when_the_poll_behind_the_last_addition_has_interrupted_the_farthest() {
    let net = network("collective_noc_4x4");
    let cluster_spec = &net.spec().axi().unwrap().cluster;
    let i = &cluster_spec.instructions;
    let [store, poll, wake] = [i.barrier_store, i.poll, i.interrupt_wake].map(u64::from);
    let (there, back) = (
        u64::from(cluster_spec.request_path_cycles),
        u64::from(cluster_spec.response_path_cycles),
    );
    let atomic = u64::from(cluster_spec.atomic_cycles);
    for (width, height) in [(2, 1), (4, 1), (4, 2), (4, 4)] {
        let members = u64::from(width * height);
        let hops = u64::from(width + height - 2);
        // One router, two cycles, to the counter; then addition after addition.
        let full = store + there + 2 + members * atomic;
        let polls_since = store + there + 4 + atomic + back;
        let rounds = full.saturating_sub(polls_since).div_ceil(poll) + 1;
        let released = polls_since + rounds * poll + store + there;
        assert_eq!(
            software_barrier_cycles(width, height, cluster(0, 0)),
            released + 2 * (hops + 1) + back + wake,
            "{width}x{height}"
        );
    }
}

#[test]
fn software_barrier_whose_counter_is_no_member_is_released_by_the_last_to_add() {
    let inside = software_barrier_cycles(2, 1, cluster(0, 0));
    let outside = software_barrier_cycles(2, 1, cluster(2, 0));
    // The response to the last addition comes home first, and the numbers have farther to go.
    assert!(outside > inside, "{outside} {inside}");
    assert!(outside < inside + 20, "{outside} {inside}");
}

#[test]
fn program_that_waits_for_collectives_in_opposite_orders_ends_with_a_diagnosis() {
    let net = network("collective_noc_4x4");
    let barrier = |counter| {
        let group = TileSet::Cube(cube(0, 0, 1, 0));
        barrier(group, counter, BarrierMechanism::InNetwork)
    };
    let compute = |x| compute(cluster(x, 0), 1);
    // (0,0) goes through the first barrier, then the second; (1,0) wants the second before the first.
    let wrong = schedule(vec![
        (barrier(cluster(0, 0)), vec![3]),
        (compute(0), vec![0]),
        (barrier(cluster(1, 0)), vec![1]),
        (compute(1), vec![2]),
    ]);
    let diagnosis = stalled(run(&net, &wrong, &[], &[]));
    assert_says(diagnosis, &["action #0 (barrier)", "action #2 (barrier)"]);
}

#[test]
fn fewer_cores_lend_fewer_fpus_to_the_network() {
    let finish = |cores: u32| {
        let net = network_with("collective_noc_4x4", &[("cluster.num_cores", cores)]);
        let reduction = network_sum(
            cube(0, 0, 3, 0),
            place(cluster(3, 0), 0),
            16_384,
            ElementType::Fp64,
        );
        finish_cycles(&net, &at_once([reduction]))[0]
    };
    // 256 beats: four FPUs need two cycles for each.
    let (eight, four) = (finish(8), finish(4));
    assert!((four - eight).abs_diff(255) < 16, "{eight} and {four}");
}
