// SPDX-License-Identifier: Apache-2.0
//! Agents, DMA engine, FPU sharing and barriers, one at a time, on hand-written schedules.

mod common;

use common::{cluster, cube, network};
use noccl_net::{Network, TileRef, TileSet};
use noccl_run::{MemoryImage, Mode, RunConfig, RunError, RunResult};
use noccl_workload::{
    Action, ActionId, ActionKind, Barrier, BarrierMechanism, Compute, Destination, ElementType,
    InNetworkReduction, Operator, Place, SCHEDULE_FORMAT, Schedule, Transfer,
};
use std::collections::BTreeMap;

fn schedule(actions: Vec<(ActionKind, Vec<u32>)>) -> Schedule {
    let action = |(kind, after): (ActionKind, Vec<u32>)| Action {
        kind,
        after: after.into_iter().map(ActionId).collect(),
    };
    Schedule {
        format: SCHEDULE_FORMAT,
        algorithm: "test".to_owned(),
        parameters: BTreeMap::new(),
        collective: None,
        actions: actions.into_iter().map(action).collect(),
    }
}

fn run(
    net: &Network,
    schedule: &Schedule,
    inputs: &[MemoryImage],
    outputs: &[(Place, u64)],
) -> Result<RunResult, RunError> {
    let timing = noccl_sim::run_schedule(
        net,
        schedule,
        inputs,
        outputs,
        &RunConfig::new(Mode::Timing),
        &mut |_| true,
    );
    let value = noccl_sim::run_schedule(
        net,
        schedule,
        inputs,
        outputs,
        &RunConfig::new(Mode::Value),
        &mut |_| true,
    );
    if let (Ok(t), Ok(v)) = (&timing, &value) {
        assert_eq!(t.actions, v.actions, "value and timing mode differ");
        assert_eq!(t.counters, v.counters);
    }
    value
}

fn bytes(count: usize, seed: u8) -> Vec<u8> {
    (0..count)
        .map(|i| (i as u8).wrapping_mul(37).wrapping_add(seed))
        .collect()
}

#[test]
fn transfers_in_two_dimensions_land_line_by_line_whoever_initiates() {
    let net = network("collective_noc_4x4");
    let own = cluster(1, 1);
    // Push, pull, through the engine, and within one L1; strides and lengths that fit no beat.
    let cases = [
        (own, own, cluster(3, 2)),
        (own, TileRef::Memory(2), own),
        (own, cluster(0, 3), cluster(2, 0)),
        (own, own, own),
    ];
    for (initiator, source, target) in cases {
        let (line, rows, source_stride, destination_stride) = (200u64, 5u32, 333u64, 1000u64);
        let transfer = Transfer {
            initiator,
            source: Place {
                tile: source,
                offset: 40,
            },
            destination: Destination::One(Place {
                tile: target,
                offset: 70_008,
            }),
            bytes: line,
            rows,
            source_stride,
            destination_stride,
        };
        let data = bytes(4000, 3);
        let inputs = [MemoryImage {
            tile: source,
            offset: 0,
            bytes: data.clone(),
        }];
        let lines: Vec<_> = (0..u64::from(rows))
            .map(|r| {
                (
                    Place {
                        tile: target,
                        offset: 70_008 + r * destination_stride,
                    },
                    line,
                )
            })
            .collect();
        let result = run(
            &net,
            &schedule(vec![(ActionKind::Transfer(transfer), vec![])]),
            &inputs,
            &lines,
        )
        .expect("runs");
        for (r, image) in result.memory.iter().enumerate() {
            let from = 40 + r * source_stride as usize;
            assert_eq!(
                image.bytes,
                data[from..from + line as usize],
                "line {r} from {source} to {target}"
            );
        }
    }
}

#[test]
fn a_transfer_of_several_lines_costs_the_instructions_of_its_own_listing() {
    let net = network("collective_noc_4x4");
    let start = |rows| {
        let place = |tile, offset| Place { tile, offset };
        let transfer = Transfer {
            initiator: cluster(0, 0),
            source: place(cluster(0, 0), 0),
            destination: Destination::One(place(cluster(1, 0), 0)),
            bytes: 64,
            rows,
            source_stride: 128,
            destination_stride: 64,
        };
        let only = schedule(vec![(ActionKind::Transfer(transfer), vec![])]);
        run(&net, &only, &[], &[]).expect("runs").actions[0].start_cycle
    };
    let instructions = &net.spec().cluster.instructions;
    assert!(instructions.dma_start_2d > instructions.dma_start);
    assert_eq!(start(1), u64::from(instructions.dma_start));
    assert_eq!(start(2), u64::from(instructions.dma_start_2d));
}

#[test]
fn network_and_cores_share_the_fpus_and_slow_each_other_down() {
    let net = network("collective_noc_4x4");
    let reduction = ActionKind::InNetworkReduction(InNetworkReduction {
        group: cube(0, 0, 3, 0),
        source_offset: 0,
        root: Place {
            tile: cluster(0, 0),
            offset: 65_536,
        },
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
        "the cores take turns with the network"
    );
    // 256 beats are folded at cluster (1,0); those during the kernel cost it one cycle each.
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
        let group = TileSet::Rectangle {
            x: 0,
            y: 0,
            width: members,
            height: 1,
        };
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
    let i = &net.spec().cluster.instructions;
    let around = u64::from(
        i.barrier_store
            + i.barrier_leave
            + net.spec().cluster.request_path_cycles
            + net.spec().cluster.response_path_cycles,
    );
    assert_eq!(cycles(2, BarrierMechanism::InNetwork), around + 5 + 4);
    assert_eq!(cycles(4, BarrierMechanism::InNetwork), around + 5 + 12);
}

/// Cycles of one software barrier over a rectangle whose members all arrive at once.
fn software_barrier_cycles(width: u16, height: u16, counter: TileRef) -> u64 {
    let group = TileSet::Rectangle {
        x: 0,
        y: 0,
        width,
        height,
    };
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
    let cluster_spec = &net.spec().cluster;
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
    // The answer to the last addition comes home first, and the numbers have farther to go.
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
    let Err(RunError::Hang(diagnosis)) = run(&net, &wrong, &[], &[]) else {
        panic!("should hang")
    };
    let text = diagnosis.to_string();
    assert!(
        text.contains("action #0 (barrier)") && text.contains("action #2 (barrier)"),
        "{text}"
    );
}

#[test]
fn dma_engine_works_on_no_more_transfers_than_its_limit() {
    let text = noccl_spec::preset_text("collective_noc_4x4").expect("preset");
    let finish = |max_transfers: &str| {
        let limit = (
            "cluster.dma.max_transfers".to_owned(),
            max_transfers.to_owned(),
        );
        let spec = noccl_spec::parse_spec("preset", &text, &[limit]).expect("spec");
        let net = noccl_net::elaborate(&spec).expect("network");
        let push = |x| {
            let transfer = Transfer {
                initiator: cluster(0, 0),
                source: Place {
                    tile: cluster(0, 0),
                    offset: 0,
                },
                destination: Destination::One(Place {
                    tile: cluster(x, 0),
                    offset: 0,
                }),
                bytes: 64,
                rows: 1,
                source_stride: 0,
                destination_stride: 0,
            };
            (ActionKind::Transfer(transfer), vec![])
        };
        run(&net, &schedule(vec![push(3), push(3)]), &[], &[])
            .expect("runs")
            .actions[1]
            .finish_cycle
    };
    // One beat over three hops and back is 17 cycles: a second transfer in the meantime hides it.
    assert!(
        finish("1") >= finish("2") + 5,
        "{} and {}",
        finish("1"),
        finish("2")
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
            root: Place {
                tile: cluster(3, 0),
                offset: 0,
            },
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
