// SPDX-License-Identifier: Apache-2.0
//! Traces and schedules as `noccl run --backend rtl` runs them behind the routers, `--boundary axi` and `dma`, on 2×2 clusters: `make cosim-run`.

use noccl::collective::{CollectiveKind, CompareRequest, RunReport, RunRequest, parse_algorithms};
use noccl::hardware::HardwareRequest;
use noccl::network::{Network, load};
use noccl::study::StressKind;
use noccl::study::stress::{Recipe, generate};
use noccl::{Mode, Watch};
use noccl_cosim::Boundary;
use noccl_net::{Coord, TileRef};
use noccl_run::{RunConfig, StallConfig};
use noccl_workload::{ElementType, Fault, PortKind, PortTransaction, Trace};

fn network() -> Network {
    load("collective_noc_2x2", &[]).unwrap().network
}

/// At a boundary; every second seed under stalls.
fn request(boundary: Boundary, seed: u64) -> RunRequest {
    let stalls = StallConfig {
        target_stall_per_256: 60,
        initiator_stall_per_256: 60,
    };
    let mut request = RunRequest::new(Mode::Value);
    request.config = RunConfig {
        stalls: (seed % 2 == 1).then_some(stalls),
        stall_seed: seed,
        ..request.config
    };
    request.hardware = Some(HardwareRequest {
        boundary,
        sources: None,
    });
    request
}

/// Both take the same course, and every byte is right.
fn agree(trace: &Trace, seed: u64) -> RunReport {
    let request = request(Boundary::Axi, seed);
    let report = noccl::collective::replay(&network(), trace, &request, Watch::quiet());
    let report = report.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    assert_eq!(report.wrong_transactions, 0, "seed {seed}");
    assert!(compared(&report) > report.counters.flit_hops, "seed {seed}");
    report
}

fn compared(report: &RunReport) -> u64 {
    report.hardware.as_ref().map_or(0, |h| h.handshakes)
}

fn random(kinds: &[StressKind], transactions: u32, seed: u64) -> Trace {
    let network = network();
    let axi = network.as_axi().expect("the network has clusters");
    generate(axi, &Recipe::new(axi, kinds, transactions), seed)
}

#[test]
fn long_random_traces_match_the_simulator() {
    for seed in 0..4 {
        agree(&random(&StressKind::ALL, 300, seed), seed);
    }
}

#[test]
fn what_reads_see_of_writes_in_the_same_cycle_is_the_same() {
    // Seed 7: the first transaction writes a line while another tile reads it.
    for seed in [6, 7] {
        agree(
            &random(&[StressKind::Read, StressKind::Multicast], 150, seed),
            seed,
        );
    }
}

#[test]
fn a_narrow_multicast_to_the_own_tile_alone_leaves_reads_their_grants() {
    for seed in [0, 4] {
        agree(
            &random(&[StressKind::Read, StressKind::Multicast], 300, seed),
            seed,
        );
    }
}

#[test]
fn more_transactions_than_parts_of_a_memory_match_the_simulator() {
    let tile = |x| TileRef::Cluster(Coord::new(x, 0));
    let write = |i: u64| PortTransaction {
        start_cycles: vec![Some(8 * i)],
        kind: PortKind::WideWrite {
            from: tile((i % 2) as u16),
            to: tile((i / 2 % 2) as u16),
            beats: 1 + (i % 3) as u32,
        },
    };
    let read = |i: u64| PortTransaction {
        start_cycles: vec![Some(8 * i)],
        kind: PortKind::WideRead {
            from: tile(0),
            source: tile(1),
            beats: 100,
        },
    };
    let both = |i: u64| if i % 50 == 49 { read(i) } else { write(i) };
    let trace = Trace {
        transactions: (0..1100).map(both).collect(),
        ..Trace::default()
    };
    agree(&trace, 0);
}

/// Memories that some transactions reach fail: of wide data some bytes, of narrow ones all.
fn with_faults(mut trace: Trace) -> Trace {
    let fault = |(i, transaction): (usize, &PortTransaction)| {
        let (tile, beats) = match &transaction.kind {
            PortKind::WideWrite { to, beats, .. } => (*to, *beats),
            // Reads are of the first part.
            PortKind::WideRead { source, .. } => (*source, 0),
            // One member of several.
            PortKind::WideMulticast { to, beats, .. } => {
                (TileRef::Cluster(to.members().last()?), *beats)
            }
            PortKind::WideReduction { root, beats, .. } => (*root, *beats),
            PortKind::NarrowMulticast { to, .. } => (TileRef::Cluster(to.members().last()?), 0),
            PortKind::NarrowWrite { to: tile, .. }
            | PortKind::NarrowRead { source: tile, .. }
            | PortKind::Atomic { to: tile, .. }
            | PortKind::Barrier { root: tile, .. } => (*tile, 0),
        };
        let beat = (i as u64 * 37).checked_rem(u64::from(beats));
        Some(Fault::Memory {
            tile,
            offset: beat.map_or(0, |beat| ((i as u64) << 20) + 64 * beat + 5),
            bytes: 1 + i as u64 % 100,
        })
    };
    let some = trace.transactions.iter().enumerate().skip(40).step_by(5);
    trace.faults = some.filter_map(fault).collect();
    trace
}

#[test]
fn memories_that_fail_respond_alike() {
    let mut errors = 0;
    for seed in 0..6 {
        let kinds = [
            &StressKind::ALL[..],
            &[StressKind::Multicast, StressKind::Write],
            &[StressKind::Reduction, StressKind::Barrier],
        ];
        let trace = with_faults(random(kinds[seed as usize / 2], 200, seed));
        let report = agree(&trace, seed);
        errors += report.counters.error_responses;
    }
    assert!(errors > 200, "{errors} errors are too few");
}

#[test]
fn faults_of_more_transactions_than_parts_of_a_memory_lie_where_their_data_do() {
    let write = |i: u64| PortTransaction {
        start_cycles: vec![Some(4 * i)],
        kind: PortKind::WideWrite {
            from: TileRef::Cluster(Coord::new(0, 0)),
            to: TileRef::Cluster(Coord::new(1, 0)),
            beats: 1 + (i % 3) as u32,
        },
    };
    let trace = with_faults(Trace {
        transactions: (0..1100).map(write).collect(),
        ..Trace::default()
    });
    let report = agree(&trace, 0);
    // A burst each.
    let failed = report.counters.error_responses;
    assert_eq!(failed, trace.faults.len() as u64);
}

/// A collective of all clusters takes the same course at both boundaries, and its outputs are right.
fn runs(kind: CollectiveKind, root: Option<TileRef>, algorithm: &str, bytes: u64) {
    let network = network();
    let group = noccl::network::parse_group(&network, "all").unwrap();
    let mut collective = CompareRequest::new(kind, group, vec![bytes]);
    collective.root = root;
    collective.element = ElementType::Int64;
    let parsed = parse_algorithms(algorithm).unwrap()[0];
    let schedule =
        noccl::collective::schedule(&network, &collective, bytes, parsed, Watch::quiet()).unwrap();
    for (boundary, seed) in [
        (Boundary::Axi, 0),
        (Boundary::Axi, 1),
        (Boundary::Dma, 0),
        (Boundary::Dma, 1),
    ] {
        let what = format!("{kind:?} {algorithm} {bytes} {boundary:?} {seed}");
        let request = request(boundary, seed);
        let report = noccl::collective::run(&network, &schedule, &request, Watch::quiet());
        let report = report.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(!report.verified.is_no(), "{what}");
        assert!(compared(&report) > report.counters.flit_hops, "{what}");
    }
}

#[test]
fn multicasts_match_the_simulator() {
    let root = Some(TileRef::Cluster(Coord::new(0, 0)));
    // The last is longer than the engine's buffer, and its chunks begin within a line.
    for (algorithm, bytes) in [
        ("in_network", 4096),
        ("unicast", 1000),
        ("tree:1", 20_000),
        ("chain:3", 20_008),
    ] {
        for root in [None, root] {
            runs(CollectiveKind::Multicast, root, algorithm, bytes);
        }
    }
}

#[test]
fn reductions_match_the_simulator() {
    let root = Some(TileRef::Cluster(Coord::new(1, 0)));
    runs(CollectiveKind::Reduce, root, "in_network", 16_384);
    runs(CollectiveKind::Reduce, root, "tree:1", 4096);
    runs(CollectiveKind::AllReduce, None, "in_network", 8192);
}

#[test]
fn blocks_and_barriers_match_the_simulator() {
    runs(CollectiveKind::AllGather, None, "ring", 1024);
    runs(CollectiveKind::AllToAll, None, "pairwise", 1000);
    runs(CollectiveKind::Barrier, None, "counter", 0);
    runs(CollectiveKind::Barrier, None, "in_network", 0);
}
