// SPDX-License-Identifier: Apache-2.0
//! The DMA engine on hand-written schedules: rows, whoever initiates, several transfers at a time.

use crate::common::hand_written::{bytes, run, schedule};
use crate::common::{cluster, network};
use noccl_net::TileRef;
use noccl_run::MemoryImage;
use noccl_workload::{ActionKind, Destination, Place, Transfer};

#[test]
fn transfers_in_two_dimensions_write_line_by_line_whoever_initiates() {
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

fn one_row(
    initiator: TileRef,
    source: (TileRef, u64),
    to: (TileRef, u64),
    bytes: u64,
) -> ActionKind {
    let place = |(tile, offset)| Place { tile, offset };
    ActionKind::Transfer(Transfer::row(
        initiator,
        place(source),
        Destination::One(place(to)),
        bytes,
    ))
}

#[test]
fn a_pull_behind_data_that_wait_in_the_buffer_gets_its_own_bytes() {
    let net = network("collective_noc_4x4");
    let (own, far) = (cluster(1, 1), cluster(3, 3));
    let (through, pulled) = (TileRef::Memory(0), cluster(0, 0));
    let size = 8192;
    let mut actions = vec![
        (one_row(own, (through, 0), (far, 0), size), vec![]),
        (one_row(own, (pulled, 0), (own, 65_536), size), vec![]),
    ];
    // Two others keep the path into the far tile busy, so that what goes through the engine waits there.
    for (i, other) in [cluster(3, 2), cluster(2, 3)].into_iter().enumerate() {
        let to = (far, 32_768 * (1 + i as u64));
        actions.push((one_row(other, (other, 0), to, 32_768), vec![]));
    }
    let input = |tile, seed| MemoryImage {
        tile,
        offset: 0,
        bytes: bytes(size as usize, seed),
    };
    let place = |tile, offset| (Place { tile, offset }, size);
    let outputs = [place(far, 0), place(own, 65_536)];
    let inputs = [input(through, 1), input(pulled, 2)];
    let result = run(&net, &schedule(actions), &inputs, &outputs).expect("runs");
    let found = |i: usize| result.memory[i].bytes == inputs[i].bytes;
    assert!(found(0), "what went through has other bytes");
    assert!(found(1), "what was pulled has other bytes");
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
    let instructions = &net.axi().cluster.instructions;
    assert!(instructions.dma_start_2d > instructions.dma_start);
    assert_eq!(start(1), u64::from(instructions.dma_start));
    assert_eq!(start(2), u64::from(instructions.dma_start_2d));
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
            let transfer = Transfer::row(
                cluster(0, 0),
                Place {
                    tile: cluster(0, 0),
                    offset: 0,
                },
                Destination::One(Place {
                    tile: cluster(x, 0),
                    offset: 0,
                }),
                64,
            );
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
