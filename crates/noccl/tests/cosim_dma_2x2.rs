// SPDX-License-Identifier: Apache-2.0
//! DMA engines, network interfaces and mesh of 2×2 clusters are the simulator's: `make cosim-dma`.
#![allow(clippy::unwrap_used)]

mod cosim;

use cosim::{DRAIN_CYCLES, HARD, cluster, library, network, set, stalled};
use noccl::{CollectiveKind, CompareRequest, Watch, parse_algorithms};
use noccl_net::{MultiAddress, Network, TileRef};
use noccl_rtl::endpoints::Endpoints;
use noccl_rtl::lockstep::LockstepError;
use noccl_run::{CycleRecord, MemoryImage, RunConfig, TransferStart};
use noccl_sim::{run_schedule, run_schedule_recorded};
use noccl_workload::{
    Action, ActionId, ActionKind, Destination, ElementType, Place, SCHEDULE_FORMAT, Schedule,
    Transfer,
};
use std::collections::BTreeMap;

const NAME: &str = "2x2-engines";
const PRESET: &str = "collective_noc_2x2";
/// Bytes of every L1 that transfers use.
const L1_BYTES: u64 = 0x1_0000;

fn tiles() -> impl Iterator<Item = TileRef> {
    let clusters = (0..4).map(|i| cluster(i / 2, i % 2));
    clusters.chain((0..2).map(TileRef::Memory))
}

/// Bytes that differ from tile to tile and from line to line.
fn inputs() -> Vec<MemoryImage> {
    let image = |(i, tile): (usize, TileRef)| MemoryImage {
        tile,
        offset: 0,
        bytes: (0..L1_BYTES as usize)
            .map(|at| (at * 7 + at / 64 * 31 + i * 101) as u8)
            .collect(),
    };
    tiles().enumerate().map(image).collect()
}

fn place(tile: TileRef, offset: u64) -> Place {
    Place { tile, offset }
}

/// A transfer of one row.
fn copy(initiator: TileRef, source: Place, destination: Destination, bytes: u64) -> Transfer {
    Transfer {
        initiator,
        source,
        destination,
        bytes,
        rows: 1,
        source_stride: 0,
        destination_stride: 0,
    }
}

/// The initiator sends from its own L1.
fn push(from: TileRef, to: TileRef, (source, destination): (u64, u64), bytes: u64) -> Transfer {
    let to = Destination::One(place(to, destination));
    copy(from, place(from, source), to, bytes)
}

/// The initiator fetches into its own L1.
fn pull(to: TileRef, from: TileRef, (source, destination): (u64, u64), bytes: u64) -> Transfer {
    let own = Destination::One(place(to, destination));
    copy(to, place(from, source), own, bytes)
}

fn multicast(from: TileRef, to: MultiAddress, offset: u64, bytes: u64) -> Transfer {
    let to = Destination::Multicast { set: to, offset };
    copy(from, place(from, 0), to, bytes)
}

/// All at once.
fn together(transfers: Vec<Transfer>) -> Schedule {
    schedule(transfers.into_iter().map(|t| (t, None)))
}

/// One after the other.
fn in_turn(transfers: Vec<Transfer>) -> Schedule {
    let numbered = transfers.into_iter().enumerate();
    schedule(numbered.map(|(i, t)| (t, i.checked_sub(1))))
}

fn schedule(transfers: impl Iterator<Item = (Transfer, Option<usize>)>) -> Schedule {
    let action = |(transfer, before): (Transfer, Option<usize>)| Action {
        kind: ActionKind::Transfer(transfer),
        after: before.map(|i| ActionId(i as u32)).into_iter().collect(),
    };
    Schedule {
        format: SCHEDULE_FORMAT,
        algorithm: "test".to_owned(),
        parameters: BTreeMap::new(),
        collective: None,
        actions: transfers.map(action).collect(),
    }
}

fn records(network: &Network, schedule: &Schedule, config: &RunConfig) -> Vec<CycleRecord> {
    let mut all = Vec::new();
    let mut keep = |record: &CycleRecord| all.push(record.clone());
    run_schedule_recorded(network, schedule, &inputs(), config, &mut keep).unwrap();
    all
}

/// Runs the hardware along records; its memories are then the simulator's. Returns handshakes compared.
fn follow(
    network: &Network,
    schedule: &Schedule,
    config: &RunConfig,
    tamper: impl Fn(&mut Vec<CycleRecord>),
) -> Result<u64, LockstepError> {
    let mut records = records(network, schedule, config);
    tamper(&mut records);
    let mut hardware = Endpoints::open(&library(NAME), network, config)?;
    hardware.run_engines(&records, &inputs())?;
    for record in &records {
        hardware.follow(record)?;
    }
    hardware.idle_until(hardware.cycle() + DRAIN_CYCLES)?;
    let whole: Vec<_> = tiles().map(|tile| (place(tile, 0), L1_BYTES)).collect();
    let mut go_on = |_| true;
    let run = run_schedule(network, schedule, &inputs(), &whole, config, &mut go_on).unwrap();
    for image in run.memory {
        let tile = network.find(image.tile).unwrap();
        let found = hardware.bytes(tile, 0, L1_BYTES as usize);
        let differs = found.iter().zip(&image.bytes).position(|(a, b)| a != b);
        assert_eq!(differs, None, "first byte of {} that differs", image.tile);
    }
    Ok(hardware.num_compared())
}

/// Without back-pressure and under much of it. Returns handshakes compared.
fn agree(schedule: &Schedule) -> u64 {
    let network = network(PRESET);
    let course = |stalls| {
        let compared = follow(&network, schedule, &stalled(stalls, 1), |_| ());
        compared.unwrap_or_else(|error| panic!("stalls {stalls:?}: {error}"))
    };
    course(None) + course(Some(HARD))
}

#[test]
fn transfers_to_another_tile_take_the_same_course() {
    for bytes in [64, 8, 640, 4096, 20_000] {
        let far = push(cluster(0, 0), cluster(1, 1), (64, 128), bytes);
        assert!(agree(&together(vec![far])) > bytes / 64);
    }
    let memory = TileRef::Memory(1);
    agree(&together(vec![push(cluster(1, 0), memory, (8, 72), 3000)]));
}

#[test]
fn transfers_to_a_set_take_the_same_course() {
    let all = set((0, 0), (1, 1));
    agree(&together(vec![multicast(
        cluster(0, 0),
        all,
        0x8000,
        12_000,
    )]));
    let column = set((1, 0), (0, 1));
    agree(&together(vec![multicast(
        cluster(0, 1),
        column,
        0x8040,
        640,
    )]));
}

#[test]
fn transfers_of_all_engines_take_the_same_course() {
    agree(&together(
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
fn transfers_side_by_side_take_the_same_course() {
    agree(&together(vec![
        push(cluster(0, 0), cluster(1, 1), (0, 0x4000), 9000),
        push(cluster(0, 0), cluster(0, 1), (0x2000, 0x4000), 9000),
        push(cluster(0, 0), cluster(1, 0), (0x1000, 0x4000), 700),
        push(cluster(0, 0), TileRef::Memory(0), (0, 0x4000), 64),
    ]));
}

#[test]
fn fetches_take_the_same_course() {
    agree(&together(vec![pull(
        cluster(0, 0),
        cluster(1, 1),
        (64, 0x4000),
        4096,
    )]));
    // More than the buffer holds.
    let long = pull(cluster(0, 1), cluster(1, 0), (0, 0x8000), 30_000);
    agree(&together(vec![long]));
    agree(&in_turn(vec![
        pull(cluster(1, 1), TileRef::Memory(0), (8, 0x4008), 5000),
        push(cluster(1, 1), cluster(0, 0), (0x4008, 0x4008), 5000),
    ]));
}

/// A multicast of data of a memory.
fn from_memory(to: MultiAddress, bytes: u64) -> Transfer {
    let to = Destination::Multicast {
        set: to,
        offset: 0x8000,
    };
    copy(cluster(0, 0), place(TileRef::Memory(1), 0), to, bytes)
}

#[test]
fn transfers_through_an_engine_take_the_same_course() {
    let (here, there, memory) = (cluster(0, 0), cluster(1, 1), TileRef::Memory(1));
    for bytes in [64, 1000, 12_000] {
        let to = Destination::One(place(there, 0x8000));
        agree(&together(vec![copy(here, place(memory, 0), to, bytes)]));
        let column = set((1, 0), (0, 1));
        agree(&together(vec![from_memory(column, bytes)]));
    }
    let all = set((0, 0), (1, 1));
    agree(&together(vec![from_memory(all, 8000)]));
}

#[test]
fn rows_take_the_same_course() {
    agree(&together(vec![Transfer {
        rows: 20,
        source_stride: 256,
        destination_stride: 64,
        ..push(cluster(0, 0), cluster(1, 1), (0, 0x8000), 64)
    }]));
}

/// The schedule of a collective of all clusters.
fn collective(
    kind: CollectiveKind,
    root: Option<TileRef>,
    (algorithm, bytes): (&str, u64),
) -> Schedule {
    let network = network(PRESET);
    let group = noccl::parse_group(&network, "all").unwrap();
    let mut request = CompareRequest::new(kind, group, vec![bytes]);
    request.root = root;
    request.element = ElementType::Int64;
    let algorithm = parse_algorithms(algorithm).unwrap()[0];
    noccl::schedule(&network, &request, bytes, algorithm, Watch::quiet()).unwrap()
}

#[test]
fn multicasts_of_the_library_take_the_same_course() {
    for algorithm in ["in_network", "unicast", "tree:1", "chain:2", "row_column:1"] {
        for bytes in [64, 4096] {
            // Without a root the data come from a memory.
            for root in [None, Some(cluster(0, 0))] {
                agree(&collective(
                    CollectiveKind::Multicast,
                    root,
                    (algorithm, bytes),
                ));
            }
        }
    }
}

#[test]
fn collectives_of_blocks_take_the_same_course() {
    agree(&collective(CollectiveKind::AllGather, None, ("ring", 1024)));
    agree(&collective(
        CollectiveKind::AllGather,
        None,
        ("in_network:1", 1024),
    ));
    agree(&collective(
        CollectiveKind::AllToAll,
        None,
        ("pairwise", 1024),
    ));
}

#[test]
fn software_reductions_take_the_same_course() {
    for algorithm in ["tree:1", "chain:1"] {
        agree(&collective(
            CollectiveKind::Reduce,
            Some(cluster(0, 0)),
            (algorithm, 2048),
        ));
    }
}

/// Why a schedule is refused.
fn refusal(transfers: Vec<Transfer>) -> String {
    let (network, config) = (network(PRESET), stalled(None, 1));
    let refused = follow(&network, &together(transfers), &config, |_| ());
    let refused = refused.unwrap_err();
    let LockstepError::Unsupported { what, .. } = refused else {
        panic!("{refused}");
    };
    what.to_owned()
}

#[test]
fn what_the_hardware_does_in_other_cycles_is_refused_by_name() {
    let (here, there) = (cluster(0, 0), cluster(1, 1));
    let lanes = refusal(vec![push(here, there, (0, 8), 64)]);
    assert!(lanes.contains("lanes"), "{lanes}");
    let large = refusal(vec![pull(here, there, (8, 8), 10_000)]);
    assert!(large.contains("buffer"), "{large}");
    let own_copy = refusal(vec![from_memory(set((0, 0), (1, 1)), 12_000)]);
    assert!(own_copy.contains("own tile too"), "{own_copy}");
    let five = refusal(vec![push(here, there, (0, 0), 8000); 5]);
    assert!(five.contains("waits"), "{five}");
}

/// The first difference after a change of the records.
fn found(tamper: impl Fn(&mut Vec<CycleRecord>)) -> String {
    let (network, config) = (network(PRESET), stalled(None, 1));
    let schedule = together(vec![push(cluster(0, 0), cluster(1, 1), (0, 0), 640)]);
    let error = follow(&network, &schedule, &config, tamper).unwrap_err();
    assert!(matches!(error, LockstepError::Divergence(_)), "{error}");
    error.to_string()
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
    let late = found(|records| {
        let at = records.iter().position(|r| !r.starts.is_empty()).unwrap();
        let starts = std::mem::take(&mut records[at].starts);
        records[at + 1].starts = starts;
    });
    assert!(late.contains("hardware: nothing"), "{late}");
}
