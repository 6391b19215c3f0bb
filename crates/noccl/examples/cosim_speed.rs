// SPDX-License-Identifier: Apache-2.0
//! Speed of the translated mesh of 4×4 clusters: cycles per second of processor time under load.
//!
//! `make cosim-4x4 && cargo run -p noccl --features cosim --example cosim_speed`.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use noccl::stress::{Recipe, generate};
use noccl::{StressKind, load};
use noccl_rtl::lockstep::Lockstep;
use noccl_run::{CycleRecord, Mode, RunConfig};
use noccl_sim::run_trace_recorded;
use std::path::Path;

/// User time of this process so far; Linux counts it in hundredths of a second.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields = text.rsplit_once(')').unwrap().1.split_whitespace();
    let ticks: f64 = fields.clone().nth(11).unwrap().parse().unwrap();
    ticks / 100.0
}

fn timed(what: &str, cycles: u64, work: impl FnOnce()) {
    let start = cpu_seconds();
    work();
    let seconds = cpu_seconds() - start;
    println!("{what:36} {:>9.0} cycles/s", cycles as f64 / seconds);
}

fn main() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../out/cosim/4x4");
    let network = load("collective_noc_4x4", &[]).unwrap().network;
    let kinds = [
        StressKind::Write,
        StressKind::Read,
        StressKind::Atomic,
        StressKind::Multicast,
        StressKind::Barrier,
    ];
    let recipe = Recipe::new(&network, &kinds, 2_000);
    let trace = generate(&network, &recipe, 1);
    let config = RunConfig::new(Mode::Value);
    let mut records: Vec<CycleRecord> = Vec::new();
    let start = cpu_seconds();
    let mut keep = |record: &CycleRecord| records.push(record.clone());
    let cycles = run_trace_recorded(&network, &trace, &config, &mut keep)
        .unwrap()
        .cycles;
    let seconds = cpu_seconds() - start;
    let handshakes: usize = records.iter().map(|r| r.handshakes.len()).sum();
    println!(
        "{cycles} cycles, {:.1} handshakes per cycle",
        handshakes as f64 / cycles as f64
    );
    let rate = cycles as f64 / seconds;
    println!("{:36} {rate:>9.0} cycles/s", "simulator with record");
    let open = || Lockstep::open(Path::new(root), &network).unwrap();
    let mut mesh = open();
    timed("mesh, driven and not compared", cycles, || {
        for record in &records {
            mesh.replay(record).unwrap();
        }
    });
    let mut mesh = open();
    timed("mesh, every handshake compared", cycles, || {
        for record in &records {
            mesh.follow(record).unwrap();
        }
    });
    let mut mesh = open();
    timed("mesh, idle and compared", 100_000, || {
        mesh.idle_until(100_000).unwrap();
    });
}
