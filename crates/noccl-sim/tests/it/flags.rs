// SPDX-License-Identifier: Apache-2.0
//! Deliveries and arrivals: who may go on when, to the cycle; kernels compute what they say.

use crate::common::hand_written::{self, schedule};
use crate::common::{cluster, cube, image, length_of, network};
use noccl_net::{Network, TileSet};
use noccl_run::{MemoryImage, RunResult};
use noccl_testkit::actions::{compute, to_set};
use noccl_testkit::schedules::at_once;
use noccl_testkit::{at, place};
use noccl_workload::{
    ActionKind, Arrival, ElementType, Kernel, Multiply, Operation, Place, Transfer,
};

fn run(net: &Network, actions: Vec<(ActionKind, Vec<u32>)>) -> RunResult {
    hand_written::run(net, &schedule(actions), &[], &[]).expect("the schedule runs")
}

/// A multicast of 41 beats from c0 along its row.
fn multicast() -> Transfer {
    let row = to_set(cube(0, 0, 3, 0), 0x4000);
    Transfer::row(cluster(0, 0), at(0, 0, 0), row, 41 * 64)
}

#[test]
fn a_destination_goes_on_when_its_own_copy_is_written_two_cycles_per_hop_later() {
    let net = network("collective_noc_4x4");
    let actions = vec![
        (ActionKind::Delivery(multicast()), vec![]),
        (compute(cluster(1, 0), 5), vec![0]),
        (compute(cluster(2, 0), 5), vec![0]),
        (compute(cluster(3, 0), 5), vec![0]),
    ];
    let result = run(&net, actions);
    let start = |a: usize| result.actions[a].start_cycle;
    assert_eq!([start(2) - start(1), start(3) - start(2)], [2, 2]);
    // As a plain transfer, its initiator would know a round trip later than c3 does by itself.
    let transfer = run(&net, vec![(ActionKind::Transfer(multicast()), vec![])]);
    assert!(start(3) < transfer.actions[0].finish_cycle + 3);
    let one_path = start(3) - result.actions[0].start_cycle;
    // Engine and path 3, router of every hop and its own 2 each, 40 further beats, L1 1, poll 3.
    assert_eq!(one_path, 3 + 2 * 4 + 40 + 1 + 3);
}

#[test]
fn the_initiator_of_a_delivery_to_itself_goes_on_with_its_own_copy() {
    let net = network("collective_noc_4x4");
    let finish = |kind: ActionKind| {
        let actions = vec![(kind, vec![]), (compute(cluster(0, 0), 1), vec![0])];
        run(&net, actions).actions[1].start_cycle
    };
    let own = finish(ActionKind::Delivery(multicast()));
    let all = finish(ActionKind::Transfer(multicast()));
    assert!(own + 10 < all, "{own} against {all}");
}

#[test]
fn members_of_an_arrival_go_on_at_once_and_its_root_when_the_last_has_come() {
    let net = network("collective_noc_4x4");
    let arrival = ActionKind::Arrival(Arrival {
        group: cube(0, 0, 3, 0),
        root: cluster(0, 0),
    });
    let actions = vec![
        (compute(cluster(3, 0), 500), vec![]),
        (arrival, vec![0]),
        (compute(cluster(1, 0), 1), vec![1]),
        (compute(cluster(0, 0), 1), vec![1]),
    ];
    let result = run(&net, actions);
    let start = |a: usize| result.actions[a].start_cycle;
    assert!(start(2) < 50, "c1 waits for nobody");
    assert!(start(3) > 510, "c0 waits for c3");
    // barrier_store 5, path 1, four routers, L1 1, the root's response through its own router, path 1, poll 3.
    let after_last = start(3) - result.actions[0].finish_cycle;
    assert_eq!(after_last, 5 + 1 + 2 * 4 + 1 + 2 + 1 + 3);
}

#[test]
fn a_kernel_takes_its_cycles_and_leaves_the_product_in_every_cluster_of_its_group() {
    let net = network("collective_noc_4x4");
    let kernel = ActionKind::Kernel(Kernel {
        group: TileSet::Row(0),
        cycles: 321,
        operation: Operation::Multiply(Multiply {
            a_offset: 0,
            b_offset: 64,
            c_offset: 128,
            rows: 2,
            columns: 2,
            inner: 3,
            element: ElementType::Fp64,
            accumulate: true,
            b_transposed: false,
        }),
    });
    let bytes = |values: &[f64]| -> Vec<u8> {
        let words = values.iter();
        words.flat_map(|v| v.to_le_bytes()).collect()
    };
    let image = |x: u16, offset, values: &[f64]| image(cluster(x, 0), offset, bytes(values));
    let inputs: Vec<MemoryImage> = (0..4)
        .flat_map(|x| {
            let scale = f64::from(x + 1);
            [
                image(x, 0, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
                image(x, 64, &[1.0, 0.0, 2.0, 1.0, 0.5, 2.0].map(|v| v * scale)),
                image(x, 128, &[1.0; 4]),
            ]
        })
        .collect();
    let outputs: Vec<(Place, u64)> = (0..4).map(|x| (place(cluster(x, 0), 128), 32)).collect();
    let result = hand_written::run(&net, &at_once([kernel]), &inputs, &outputs).expect("runs");
    assert_eq!(length_of(&result, 0), 321);
    assert_eq!(result.counters.gemm_ops, 4 * 12);
    for (x, found) in result.memory.iter().enumerate() {
        let expected = [6.5, 8.0, 17.0, 17.0].map(|v| v * (x + 1) as f64 + 1.0);
        assert_eq!(found.bytes, bytes(&expected), "cluster {x}");
    }
}
