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
use std::fs;

#[path = "../tests/libraries/mod.rs"]
mod libraries;

/// Arguments of Verilator for a library that writes waves: the writer needs the library of `.tools/lz4`.
fn arguments() -> Vec<String> {
    let lz4 = libraries::checkout()
        .canonicalize()
        .unwrap()
        .join(".tools/lz4/usr");
    let mut folders = fs::read_dir(lz4.join("lib")).expect("`make setup-rtl` brings the library");
    let folder = folders.next().unwrap().unwrap().path();
    vec![
        "--trace-fst".to_owned(),
        "--trace-structs".to_owned(),
        "-CFLAGS".to_owned(),
        format!("-I{}", lz4.join("include").display()),
        "-LDFLAGS".to_owned(),
        format!("-L{}", folder.display()),
    ]
}

fn main() {
    let seed: u64 = std::env::args()
        .nth(1)
        .map_or(0, |text| text.parse().unwrap());
    let options = libraries::Options {
        arguments: arguments(),
        ..libraries::Options::default()
    };
    let library = libraries::library_with("2x2", &options);
    let network = load("collective_noc_2x2", &[]).unwrap().network;
    let kinds = [
        StressKind::Write,
        StressKind::Multicast,
        StressKind::Barrier,
    ];
    let axi = network.as_axi().unwrap();
    let trace = generate(axi, &Recipe::new(axi, &kinds, 64), seed);
    let mut mesh = Lockstep::open(&library, &network).unwrap();
    let out = libraries::checkout().join("out/cosim");
    fs::create_dir_all(&out).unwrap();
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
