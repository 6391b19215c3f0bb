// SPDX-License-Identifier: Apache-2.0
//! Agents, FPU sharing and barriers, one at a time, on hand-written schedules.

use crate::common::hand_written::{run, schedule};
use crate::common::{cluster, cube, network};
use noccl_net::{TileRef, TileSet};
use noccl_run::RunError;
use noccl_testkit::rectangle;
use noccl_testkit::tiles::place;
use noccl_workload::{
    ActionKind, Barrier, BarrierMechanism, Compute, ElementType, InNetworkReduction, Operator,
};

#[test]
fn network_and_cores_share_the_fpus_and_slow_each_other_down() {
    let net = network("collective_noc_4x4");
    let reduction = ActionKind::InNetworkReduction(InNetworkReduction {
        group: cube(0, 0, 3, 0),
        source_offset: 0,
        root: place(cluster(0, 0), 65_536),
        bytes: 16_384,
        operator: Operator::Sum,
        element: ElementType::Fp64,
    });
    let compute = ActionKind::Compute(Compute {
        tile: cluster(1, 0),
        cycles: 600,
    });
    let cycles = |actions: Vec<ActionKind>| -> Vec<u64> {
        let actions = actions.into_iter().map(|a| (a, vec![])).collect();
        run(&net, &schedule(actions), &[], &[])
            .expect("runs")
            .actions
            .iter()
            .map(|a| a.finish_cycle)
            .collect()
    };
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
    let barrier = |group: TileSet, mechanism| {
        ActionKind::Barrier(Barrier {
            group,
            counter: cluster(0, 0),
            mechanism,
        })
    };
    let cycles = |members: u16, mechanism| {
        let group = rectangle(0, 0, members, 1);
        let result = run(
            &net,
            &schedule(vec![(barrier(group, mechanism), vec![])]),
            &[],
            &[],
        )
        .expect("runs");
        result.actions[0].finish_cycle
    };
    let software: Vec<u64> = (2..=4)
        .map(|n| cycles(n, BarrierMechanism::Software))
        .collect();
    assert!(
        software.windows(2).all(|w| w[1] > w[0]),
        "{software:?}: every member costs an atomic"
    );
    // In-network: store, path, 5 + 4h, path, leave.
    let i = &net.axi().cluster.instructions;
    let around = u64::from(
        i.barrier_store
            + i.barrier_leave
            + net.axi().cluster.request_path_cycles
            + net.axi().cluster.response_path_cycles,
    );
    assert_eq!(cycles(2, BarrierMechanism::InNetwork), around + 5 + 4);
    assert_eq!(cycles(4, BarrierMechanism::InNetwork), around + 5 + 12);
}

/// Cycles of one software barrier over a rectangle whose members all arrive at once.
fn software_barrier_cycles(width: u16, height: u16, counter: TileRef) -> u64 {
    let group = rectangle(0, 0, width, height);
    let barrier = ActionKind::Barrier(Barrier {
        group,
        counter,
        mechanism: BarrierMechanism::Software,
    });
    let net = network("collective_noc_4x4");
    run(&net, &schedule(vec![(barrier, vec![])]), &[], &[])
        .expect("runs")
        .actions[0]
        .finish_cycle
}

#[test]
fn software_barrier_is_over_when_the_poll_behind_the_last_addition_has_interrupted_the_farthest() {
    let net = network("collective_noc_4x4");
    let cluster_spec = &net.axi().cluster;
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
        ActionKind::Barrier(Barrier {
            group,
            counter,
            mechanism: BarrierMechanism::InNetwork,
        })
    };
    let compute = |x| {
        ActionKind::Compute(Compute {
            tile: cluster(x, 0),
            cycles: 1,
        })
    };
    // (0,0) goes through the first barrier, then the second; (1,0) wants the second before the first.
    let wrong = schedule(vec![
        (barrier(cluster(0, 0)), vec![3]),
        (compute(0), vec![0]),
        (barrier(cluster(1, 0)), vec![1]),
        (compute(1), vec![2]),
    ]);
    let Err(RunError::Stall(diagnosis)) = run(&net, &wrong, &[], &[]) else {
        panic!("should stall")
    };
    let text = diagnosis.to_string();
    assert!(
        text.contains("action #0 (barrier)") && text.contains("action #2 (barrier)"),
        "{text}"
    );
}

#[test]
fn fewer_cores_lend_fewer_fpus_to_the_network() {
    let text = noccl_spec::preset_text("collective_noc_4x4").expect("preset");
    let finish = |cores: &str| {
        let cores = ("cluster.num_cores".to_owned(), cores.to_owned());
        let spec = noccl_spec::parse_spec("preset", &text, &[cores]).expect("spec");
        let net = noccl_net::elaborate(&spec).expect("network");
        let reduction = ActionKind::InNetworkReduction(InNetworkReduction {
            group: cube(0, 0, 3, 0),
            source_offset: 0,
            root: place(cluster(3, 0), 0),
            bytes: 16_384,
            operator: Operator::Sum,
            element: ElementType::Fp64,
        });
        run(&net, &schedule(vec![(reduction, vec![])]), &[], &[])
            .expect("runs")
            .actions[0]
            .finish_cycle
    };
    // 256 beats: four FPUs need two cycles for each.
    let (eight, four) = (finish("8"), finish("4"));
    assert!((four - eight).abs_diff(255) < 16, "{eight} and {four}");
}
