// SPDX-License-Identifier: Apache-2.0
//! DMA engines, network interfaces and mesh of 2×2 clusters are the simulator's: `make cosim-dma`.

use crate::common::engines::{
    Engines, copy, from_memory, in_sequence, multicast, place, pull, push, sum, together,
};
use crate::common::{cluster, set};
use noccl_net::TileRef;
use noccl_run::{CycleRecord, TransferStart};
use noccl_testkit::schedules::at_once;
use noccl_workload::CollectiveKind;
use noccl_workload::{ActionKind, Destination, Transfer};

const MESH: Engines = Engines {
    library: "2x2-engines",
    preset: "collective_noc_2x2",
};

#[test]
fn transfers_to_another_tile_match_the_simulator() {
    for bytes in [64, 8, 640, 4096, 20_000] {
        let far = push(cluster(0, 0), cluster(1, 1), (64, 128), bytes);
        assert!(MESH.agree(&together(vec![far])) > bytes / 64);
    }
    let memory = TileRef::Memory(1);
    MESH.agree(&together(vec![push(cluster(1, 0), memory, (8, 72), 3000)]));
}

#[test]
fn transfers_to_a_set_match_the_simulator() {
    let all = set((0, 0), (1, 1));
    MESH.agree(&together(vec![multicast(
        cluster(0, 0),
        all,
        0x8000,
        12_000,
    )]));
    let column = set((1, 0), (0, 1));
    MESH.agree(&together(vec![multicast(
        cluster(0, 1),
        column,
        0x8040,
        640,
    )]));
}

#[test]
fn transfers_of_all_engines_match_the_simulator() {
    MESH.agree(&together(
        (0..4)
            .map(|i| {
                push(
                    cluster(i / 2, i % 2),
                    cluster(i % 2, 1 - i / 2),
                    (0, 0x8000),
                    6000,
                )
            })
            .collect(),
    ));
}

#[test]
fn transfers_side_by_side_match_the_simulator() {
    MESH.agree(&together(vec![
        push(cluster(0, 0), cluster(1, 1), (0, 0x4000), 9000),
        push(cluster(0, 0), cluster(0, 1), (0x2000, 0x4000), 9000),
        push(cluster(0, 0), cluster(1, 0), (0x1000, 0x4000), 700),
        push(cluster(0, 0), TileRef::Memory(0), (0, 0x4000), 64),
    ]));
}

#[test]
fn fetches_match_the_simulator() {
    MESH.agree(&together(vec![pull(
        cluster(0, 0),
        cluster(1, 1),
        (64, 0x4000),
        4096,
    )]));
    // More than the buffer holds.
    let long = pull(cluster(0, 1), cluster(1, 0), (0, 0x8000), 30_000);
    MESH.agree(&together(vec![long]));
    MESH.agree(&in_sequence(vec![
        pull(cluster(1, 1), TileRef::Memory(0), (8, 0x4008), 5000),
        push(cluster(1, 1), cluster(0, 0), (0x4008, 0x4008), 5000),
    ]));
}

#[test]
fn transfers_through_an_engine_match_the_simulator() {
    let (here, there, memory) = (cluster(0, 0), cluster(1, 1), TileRef::Memory(1));
    for bytes in [64, 1000, 12_000] {
        let to = Destination::One(place(there, 0x8000));
        MESH.agree(&together(vec![copy(here, place(memory, 0), to, bytes)]));
        let column = set((1, 0), (0, 1));
        MESH.agree(&together(vec![from_memory(column, bytes)]));
    }
    let all = set((0, 0), (1, 1));
    MESH.agree(&together(vec![from_memory(all, 8000)]));
}

#[test]
fn rows_match_the_simulator() {
    MESH.agree(&together(vec![Transfer {
        rows: 20,
        source_stride: 256,
        destination_stride: 64,
        ..push(cluster(0, 0), cluster(1, 1), (0, 0x8000), 64)
    }]));
}

#[test]
fn transfers_between_lanes_match_the_simulator() {
    let (here, there, memory) = (cluster(0, 0), cluster(1, 1), TileRef::Memory(0));
    for lanes in [(0, 8), (8, 0), (60, 4), (4, 60)] {
        for bytes in [8, 100, 1000] {
            let (source, to) = (lanes.0, 0x8000 + lanes.1);
            MESH.agree(&together(vec![push(here, there, (source, to), bytes)]));
            MESH.agree(&together(vec![pull(here, memory, (source, to), bytes)]));
            if bytes > 64 {
                let to = Destination::One(place(there, to));
                MESH.agree(&together(vec![copy(
                    here,
                    place(memory, source),
                    to,
                    bytes,
                )]));
            }
        }
    }
    MESH.agree(&together(vec![Transfer {
        rows: 20,
        source_stride: 128,
        destination_stride: 192,
        ..push(here, there, (0, 0x8004), 64)
    }]));
}

#[test]
fn multicasts_of_the_library_match_the_simulator() {
    for algorithm in ["in_network", "unicast", "tree:1", "chain:2", "row_column:1"] {
        for bytes in [64, 4096] {
            // Without a root the data come from a memory.
            for root in [None, Some(cluster(0, 0))] {
                MESH.agree(&MESH.collective(CollectiveKind::Multicast, root, (algorithm, bytes)));
            }
        }
    }
}

#[test]
fn collectives_of_blocks_match_the_simulator() {
    MESH.agree(&MESH.collective(CollectiveKind::AllGather, None, ("ring", 1024)));
    MESH.agree(&MESH.collective(CollectiveKind::AllGather, None, ("in_network:1", 1024)));
    MESH.agree(&MESH.collective(CollectiveKind::AllToAll, None, ("pairwise", 1024)));
}

#[test]
fn reductions_match_the_simulator() {
    for algorithm in ["in_network", "tree:1"] {
        let root = Some(cluster(0, 0));
        MESH.agree(&MESH.collective(CollectiveKind::Reduce, root, (algorithm, 4096)));
    }
    MESH.agree(&MESH.collective(CollectiveKind::AllReduce, None, ("in_network", 2048)));
}

#[test]
fn software_reductions_match_the_simulator() {
    for algorithm in ["tree:1", "chain:1"] {
        MESH.agree(&MESH.collective(
            CollectiveKind::Reduce,
            Some(cluster(0, 0)),
            (algorithm, 2048),
        ));
    }
}

/// Why transfers at once are refused.
fn refusal(transfers: Vec<Transfer>) -> String {
    MESH.refusal(&together(transfers))
}

#[test]
fn what_the_hardware_does_in_other_cycles_is_refused_by_name() {
    let (here, there) = (cluster(0, 0), cluster(1, 1));
    let lower = refusal(vec![Transfer {
        rows: 2,
        source_stride: 64,
        destination_stride: 64,
        ..push(here, there, (8, 0), 64)
    }]);
    assert!(lower.contains("lower lanes"), "{lower}");
    let part = Destination::One(place(there, 0));
    let part = refusal(vec![copy(here, place(TileRef::Memory(0), 8), part, 8)]);
    assert!(part.contains("part of a line"), "{part}");
    let large = refusal(vec![pull(here, there, (8, 8), 10_000)]);
    assert!(large.contains("buffer"), "{large}");
    let own_copy = refusal(vec![from_memory(set((0, 0), (1, 1)), 12_000)]);
    assert!(own_copy.contains("own tile too"), "{own_copy}");
    let five = refusal(vec![push(here, there, (0, 0), 8000); 5]);
    assert!(five.contains("waits"), "{five}");
}

#[test]
fn a_transfer_that_takes_over_without_a_line_is_refused_by_name() {
    // The first reduction pauses after a window, since others begin later.
    let all = set((0, 0), (1, 1));
    let roots = (0..4).map(|i| place(cluster(i / 2, i % 2), 0x8000));
    let sums = roots.map(|root| ActionKind::InNetworkReduction(sum(all, root, 4096)));
    let refused = MESH.refusal(&at_once(sums));
    assert!(refused.contains("takes over"), "{refused}");
}

/// The first difference after a change of the records of one transfer.
fn found(tamper: impl Fn(&mut Vec<CycleRecord>)) -> String {
    let one = together(vec![push(cluster(0, 0), cluster(1, 1), (0, 0), 640)]);
    MESH.found(&one, tamper)
}

#[test]
fn another_transfer_than_the_recorded_one_is_noticed() {
    let first = |records: &mut Vec<CycleRecord>, change: fn(&mut TransferStart)| {
        records
            .iter_mut()
            .flat_map(|r| &mut r.starts)
            .for_each(change);
    };
    let longer = found(|records| first(records, |start| start.bytes += 64));
    assert!(longer.contains("left 0xa"), "{longer}");
    let elsewhere = found(|records| first(records, |start| start.destination.offset += 64));
    assert!(elsewhere.contains("line 0x1"), "{elsewhere}");
    let other = found(|records| first(records, |start| start.source.offset += 64));
    assert!(other.contains("Local input"), "{other}");
}

#[test]
fn a_transfer_that_begins_a_cycle_late_is_noticed() {
    // With a read port of L1 for each channel: with one, whoever has no line yet is refused.
    let mesh = Engines {
        library: "2x2-engines-tiles",
        ..MESH
    };
    let one = together(vec![push(cluster(0, 0), cluster(1, 1), (0, 0), 640)]);
    let late = mesh.found(&one, |records| {
        let at = records.iter().position(|r| !r.starts.is_empty()).unwrap();
        let starts = std::mem::take(&mut records[at].starts);
        records[at + 1].starts = starts;
    });
    assert!(late.contains("hardware: nothing"), "{late}");
}
