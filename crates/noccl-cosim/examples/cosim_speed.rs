// SPDX-License-Identifier: Apache-2.0
//! Speed of the Verilated hardware: cycles per second of processor time under load. `make bench-hardware`.
//!
//! `cosim_speed NAME [--no-assert]` builds and runs a library of `tests/libraries`: `4x4` is the mesh, `4x4-reducing-tiles` has operand
//! stores and compute slices too, `4x4-endpoints-tiles` network interfaces and the model of endpoints behind their AXI ports. With
//! `NOCCL_CACHE` naming an empty folder and `CCACHE_DISABLE` the time of the build is that without anything compiled before.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use noccl_cosim::endpoints::Endpoints;
use noccl_cosim::lockstep::{Follow, Lockstep, LockstepError};
use noccl_net::{AxiNetwork, Coord, MultiAddress, Network, TileRef};
use noccl_run::{CycleRecord, Mode, RecordedKind, RunConfig};
use noccl_sim::run_trace_recorded;
use noccl_studies::stress::{Recipe, generate};
use noccl_studies::{StressKind, load};
use noccl_workload::{PortKind, PortTransaction, Trace};
use std::path::Path;

#[path = "../tests/libraries/mod.rs"]
mod libraries;

/// Processor time of this process so far.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap();
    let nanoseconds: f64 = text.split_whitespace().next().unwrap().parse().unwrap();
    nanoseconds / 1e9
}

/// Processor time of the processes that this one has started and that have ended.
fn cpu_seconds_of_children() -> f64 {
    const TICKS_PER_SECOND: f64 = 100.0;
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    // Behind the name, which may hold anything; user and system time are fields 16 and 17.
    let fields = text[text.rfind(')').unwrap()..].split_whitespace();
    let times = fields.skip(14).take(2).map(|f| f.parse::<f64>().unwrap());
    times.sum::<f64>() / TICKS_PER_SECOND
}

/// A run of the simulator, to be repeated by the hardware.
struct Round {
    cycles: u64,
    records: Vec<CycleRecord>,
}

/// Hardware at the AXI ports of the network interfaces, or at the Local ports of the routers.
fn open(name: &str, directory: &Path, network: &'static Network) -> Box<dyn Follow> {
    if name.contains("endpoints") {
        let config = RunConfig::new(Mode::Value);
        Box::new(Endpoints::open(directory, network, &config).unwrap())
    } else {
        Box::new(Lockstep::open(directory, network).unwrap())
    }
}

/// Ends early where the run goes on beyond what four write channels can do.
fn run_round(hardware: &mut dyn Follow, round: &Round, is_compared: bool) {
    for record in &round.records {
        let comparison = if is_compared {
            hardware.follow(record)
        } else {
            hardware.replay(record)
        };
        if matches!(comparison, Err(LockstepError::Unsupported { .. })) {
            return;
        }
        comparison.unwrap();
    }
}

/// As many reductions as a program may have in the air: of all clusters and of each row, from the start of the round on. A
/// network interface has four write channels, so through them fewer at a time.
fn reductions(network: &Network, round: u64, spacing_cycles: u64) -> Vec<PortTransaction> {
    const BEATS: u32 = 64;
    let one = |base, mask, root, start: u64| {
        let group = MultiAddress::new(base, mask);
        PortTransaction {
            start_cycles: group.members().map(|_| Some(start)).collect(),
            kind: PortKind::WideReduction {
                group,
                root: TileRef::Cluster(root),
                beats: BEATS,
            },
        }
    };
    let (width, height) = (network.cluster_width(), network.cluster_height());
    let of = |number: u16| {
        let start = u64::from(number) * spacing_cycles;
        let column = (number + round as u16) % width;
        let whole = Coord::new(width - 1, height - 1);
        let root = Coord::new(column, number % height);
        let all = one(Coord::new(0, 0), whole, root, start);
        let row = |y| {
            let root = Coord::new(column, y);
            one(Coord::new(0, y), Coord::new(width - 1, 0), root, start)
        };
        std::iter::once(all)
            .chain((0..height).map(row))
            .collect::<Vec<_>>()
    };
    (0..4).flat_map(of).collect()
}

/// One long trace, or short ones between reductions.
fn traces(network: AxiNetwork<'_>, spacing_cycles: Option<u64>) -> Vec<Trace> {
    let kinds = [
        StressKind::Write,
        StressKind::Read,
        StressKind::Atomic,
        StressKind::Multicast,
        StressKind::Barrier,
    ];
    let Some(spacing_cycles) = spacing_cycles else {
        let recipe = Recipe::new(network, &kinds, 2_000);
        return vec![generate(network, &recipe, 1)];
    };
    let recipe = Recipe::new(network, &kinds, 100);
    let round = |seed| {
        let mut trace = generate(network, &recipe, seed);
        let sums = reductions(&network, seed, spacing_cycles);
        trace.transactions.extend(sums);
        // What the first transaction writes lies where others read; a memory behind an AXI port has only what was written there.
        let from = network.tile_ref(network.clusters().next().unwrap());
        let first = PortTransaction {
            start_cycles: vec![Some(0)],
            kind: PortKind::NarrowRead { from, source: from },
        };
        trace.transactions.insert(0, first);
        trace
    };
    (0..20).map(round).collect()
}

fn recorded(network: &Network, trace: &Trace) -> Round {
    let mut records = Vec::new();
    let mut keep = |record: &CycleRecord| records.push(record.clone());
    let config = RunConfig::new(Mode::Value);
    let cycles = run_trace_recorded(network, trace, &config, &mut keep)
        .unwrap()
        .cycles;
    Round { cycles, records }
}

/// Runs fresh hardware along each round; opening it does not count.
fn timed(what: &str, open: impl Fn() -> Box<dyn Follow>, rounds: &[Round], is_compared: bool) {
    let (mut seconds, mut cycles) = (0.0, 0);
    for round in rounds {
        let mut hardware = open();
        let start = cpu_seconds();
        run_round(hardware.as_mut(), round, is_compared);
        if round.records.is_empty() {
            hardware.idle_until(round.cycles).unwrap();
        }
        seconds += cpu_seconds() - start;
        cycles += hardware.cycle();
    }
    println!(
        "{what:36} {:>9.0} cycles/s, {cycles} cycles",
        cycles as f64 / seconds
    );
}

fn main() {
    let name = std::env::args().nth(1).unwrap_or("4x4".to_owned());
    let options = libraries::Options {
        has_no_assertions: std::env::args().any(|argument| argument == "--no-assert"),
        ..libraries::Options::default()
    };
    let before = cpu_seconds_of_children();
    let directory = libraries::library_with(&name, &options);
    println!(
        "{}: built in {:.0} CPU seconds",
        directory.display(),
        cpu_seconds_of_children() - before
    );
    let preset = format!("collective_noc_{}", name.split('-').next().unwrap());
    let network: &Network = Box::leak(Box::new(load(&preset, &[]).unwrap().network));
    let spacing_cycles = match &*name {
        name if name.contains("endpoints") => Some(500),
        name if name.contains("reducing") => Some(150),
        _ => None,
    };
    let traces = traces(network.as_axi().unwrap(), spacing_cycles);
    let start = cpu_seconds();
    let rounds: Vec<Round> = traces.iter().map(|t| recorded(network, t)).collect();
    let seconds = cpu_seconds() - start;
    let cycles = rounds.iter().map(|r| r.cycles).sum::<u64>() as f64;
    let all = || {
        rounds
            .iter()
            .flat_map(|r| &r.records)
            .flat_map(|r| &r.handshakes)
    };
    let operands = all()
        .filter(|h| h.flit.kind == RecordedKind::Reduce)
        .count();
    println!(
        "{cycles} cycles, {:.1} handshakes per cycle, {:.1} of them operands and sums",
        all().count() as f64 / cycles,
        operands as f64 / cycles
    );
    println!(
        "{:36} {:>9.0} cycles/s",
        "simulator with record",
        cycles / seconds
    );
    let open = || open(&name, &directory, network);
    timed("hardware, driven and not compared", open, &rounds, false);
    timed("hardware, every port compared", open, &rounds, true);
    let idle = Round {
        cycles: 50_000,
        records: Vec::new(),
    };
    timed("hardware, idle and compared", open, &[idle], true);
}
