// SPDX-License-Identifier: Apache-2.0
//! Speed of the translated mesh: cycles per second of processor time under load.
//!
//! `make cosim-4x4 && cargo run -p noccl --features cosim --example cosim_speed -- 4x4`; with wide reductions, operand stores and
//! compute slices: `make cosim-reductions-4x4 && cargo run -p noccl --features cosim --example cosim_speed -- 4x4-reducing`.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use noccl::stress::{Recipe, generate};
use noccl::{StressKind, load};
use noccl_net::{Coord, MultiAddress, Network, TileRef};
use noccl_rtl::lockstep::Lockstep;
use noccl_run::{CycleRecord, Mode, RecordedKind, RunConfig};
use noccl_sim::run_trace_recorded;
use noccl_workload::{PortKind, PortTransaction, Trace};
use std::path::Path;

/// Processor time of this process so far.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap();
    let nanoseconds: f64 = text.split_whitespace().next().unwrap().parse().unwrap();
    nanoseconds / 1e9
}

/// A run of the simulator, to be repeated by the mesh.
struct Round {
    cycles: u64,
    records: Vec<CycleRecord>,
}

/// As many reductions as a program may have in the air: of all clusters and of rows in turn, from the start of the round on.
fn reductions(network: &Network, round: u64) -> Vec<PortTransaction> {
    const BEATS: u32 = 64;
    const SPACING_CYCLES: u64 = 150;
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
        let start = u64::from(number) * SPACING_CYCLES;
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
fn traces(network: &Network, is_reducing: bool) -> Vec<Trace> {
    let kinds = [
        StressKind::Write,
        StressKind::Read,
        StressKind::Atomic,
        StressKind::Multicast,
        StressKind::Barrier,
    ];
    if !is_reducing {
        let recipe = Recipe::new(network, &kinds, 2_000);
        return vec![generate(network, &recipe, 1)];
    }
    let recipe = Recipe::new(network, &kinds, 100);
    let round = |seed| {
        let mut trace = generate(network, &recipe, seed);
        trace.transactions.extend(reductions(network, seed));
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

/// Runs a fresh mesh along each round; opening it does not count.
fn timed(
    what: &str,
    open: impl Fn() -> Lockstep<'static>,
    rounds: &[Round],
    work: fn(&mut Lockstep, &Round),
) {
    let (mut seconds, mut cycles) = (0.0, 0);
    for round in rounds {
        let mut mesh = open();
        let start = cpu_seconds();
        work(&mut mesh, round);
        seconds += cpu_seconds() - start;
        cycles += round.cycles;
    }
    println!("{what:36} {:>9.0} cycles/s", cycles as f64 / seconds);
}

fn main() {
    let name = std::env::args().nth(1).unwrap_or("4x4".to_owned());
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../out/cosim")
        .join(&name);
    let preset = format!("collective_noc_{}", name.split('-').next().unwrap());
    let network: &Network = Box::leak(Box::new(load(&preset, &[]).unwrap().network));
    let traces = traces(network, name.contains("reducing"));
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
    let open = || Lockstep::open(&directory, network).unwrap();
    timed(
        "mesh, driven and not compared",
        open,
        &rounds,
        |mesh, round| {
            round.records.iter().for_each(|r| mesh.replay(r).unwrap());
        },
    );
    timed(
        "mesh, every handshake compared",
        open,
        &rounds,
        |mesh, round| {
            round.records.iter().for_each(|r| mesh.follow(r).unwrap());
        },
    );
    let idle = Round {
        cycles: 50_000,
        records: Vec::new(),
    };
    timed("mesh, idle and compared", open, &[idle], |mesh, round| {
        mesh.idle_until(round.cycles).unwrap();
    });
}
