// SPDX-License-Identifier: Apache-2.0
//! The DMA engine on hand-written schedules: rows, whoever initiates, several transfers at a time.

use crate::common::hand_written::{bytes, finish_cycles, run};
use crate::common::{cluster, image, network, network_with};
use noccl_net::TileRef;
use noccl_testkit::actions::{copy, write};
use noccl_testkit::schedules::at_once;
use noccl_testkit::{at, place};
use noccl_workload::{ActionKind, Destination, Transfer};

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
            source: place(source, 40),
            destination: Destination::One(place(target, 70_008)),
            bytes: line,
            rows,
            source_stride,
            destination_stride,
        };
        let data = bytes(4000, 3);
        let inputs = [image(source, 0, data.clone())];
        let output = |r| (place(target, 70_008 + r * destination_stride), line);
        let lines: Vec<_> = (0..u64::from(rows)).map(output).collect();
        let only = at_once([ActionKind::Transfer(transfer)]);
        let result = run(&net, &only, &inputs, &lines).expect("runs");
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
fn a_pull_behind_data_that_wait_in_the_buffer_gets_its_own_bytes() {
    let net = network("collective_noc_4x4");
    let (own, far) = (cluster(1, 1), cluster(3, 3));
    let (through, pulled) = (TileRef::Memory(0), cluster(0, 0));
    let size = 8192;
    let pull = |from, to| copy(own, place(from, 0), Destination::One(to), size);
    // Two others keep the path into the far tile busy, so that what goes through the engine waits there.
    let actions = at_once([
        pull(through, place(far, 0)),
        pull(pulled, place(own, 65_536)),
        write(cluster(3, 2), place(far, 32_768), 32_768),
        write(cluster(2, 3), place(far, 65_536), 32_768),
    ]);
    let input = |tile, seed| image(tile, 0, bytes(size as usize, seed));
    let outputs = [(place(far, 0), size), (place(own, 65_536), size)];
    let inputs = [input(through, 1), input(pulled, 2)];
    let result = run(&net, &actions, &inputs, &outputs).expect("runs");
    let found = |i: usize| result.memory[i].bytes == inputs[i].bytes;
    assert!(found(0), "what went through has other bytes");
    assert!(found(1), "what was pulled has other bytes");
}

#[test]
fn a_transfer_of_several_lines_costs_the_instructions_of_its_own_listing() {
    let net = network("collective_noc_4x4");
    let start = |rows| {
        let to = Destination::One(at(1, 0, 0));
        let transfer = Transfer {
            rows,
            source_stride: 128,
            destination_stride: 64,
            ..Transfer::row(cluster(0, 0), at(0, 0, 0), to, 64)
        };
        let only = at_once([ActionKind::Transfer(transfer)]);
        run(&net, &only, &[], &[]).expect("runs").actions[0].start_cycle
    };
    let instructions = &net.spec().axi().unwrap().cluster.instructions;
    assert!(instructions.dma_start_2d > instructions.dma_start);
    assert_eq!(start(1), u64::from(instructions.dma_start));
    assert_eq!(start(2), u64::from(instructions.dma_start_2d));
}

#[test]
fn dma_engine_works_on_no_more_transfers_than_its_limit() {
    let [one, two] = [1, 2].map(|limit| {
        let limit = [("cluster.dma.max_transfers", limit)];
        let net = network_with("collective_noc_4x4", &limit);
        let push = || write(cluster(0, 0), at(3, 0, 0), 64);
        finish_cycles(&net, &at_once([push(), push()]))[1]
    });
    // One beat over three hops and back is 17 cycles: a second transfer in the meantime hides it.
    assert!(one >= two + 5, "{one} and {two}");
}
