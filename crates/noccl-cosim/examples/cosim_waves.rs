// SPDX-License-Identifier: Apache-2.0
//! Waves of the mesh of 2×2 clusters while it follows a random trace: `make cosim-waves`.
//!
//! `cargo run -p noccl-cosim --example cosim_waves -- [SEED]` writes `out/cosim/2x2-SEED.fst`.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use noccl_cosim::lockstep::{Follow, Lockstep};
use noccl_run::{CycleRecord, Mode, RunConfig};
use noccl_sim::run_trace_recorded;
use noccl_studies::stress::{Recipe, generate};
use noccl_studies::{StressKind, load};
use std::path::PathBuf;

fn main() {
    let seed: u64 = std::env::args()
        .nth(1)
        .map_or(0, |text| text.parse().unwrap());
    let out = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../out/cosim"));
    let network = load("collective_noc_2x2", &[]).unwrap().network;
    let kinds = [
        StressKind::Write,
        StressKind::Multicast,
        StressKind::Barrier,
    ];
    let trace = generate(&network, &Recipe::new(&network, &kinds, 64), seed);
    let mut mesh = Lockstep::open(&out.join("2x2-waves"), &network).unwrap();
    let file = out.join(format!("2x2-{seed}.fst"));
    mesh.write_waves(&file).unwrap();
    let mut outcome = Ok(());
    let mut follow = |record: &CycleRecord| {
        if outcome.is_ok() {
            outcome = mesh.follow(record);
        }
    };
    let config = RunConfig::new(Mode::Value);
    run_trace_recorded(&network, &trace, &config, &mut follow).unwrap();
    println!("{}: {} cycles", file.display(), mesh.cycle());
    if let Err(error) = outcome {
        println!("hardware and simulator differ: {error}");
    }
}
