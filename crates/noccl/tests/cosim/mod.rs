// SPDX-License-Identifier: Apache-2.0
//! Random traces on the simulator, in lock-step with the translated mesh (`make cosim` builds it).
#![allow(clippy::unwrap_used, dead_code)] // every test file uses its own part

use noccl::stress::{Recipe, generate};
use noccl::{Network, StressKind, load};
use noccl_rtl::lockstep::{Lockstep, LockstepError};
use noccl_run::{CycleRecord, Mode, RunConfig, StallConfig};
use noccl_sim::run_trace_recorded;
use std::path::PathBuf;

/// Transactions with one destination.
pub const UNICAST: [StressKind; 3] = [StressKind::Write, StressKind::Read, StressKind::Atomic];

/// Transactions that fork and merge.
pub const COLLECTIVE: [StressKind; 2] = [StressKind::Multicast, StressKind::Barrier];

/// Everything that the mesh does so far.
pub const ALL: [StressKind; 5] = [
    StressKind::Write,
    StressKind::Read,
    StressKind::Atomic,
    StressKind::Multicast,
    StressKind::Barrier,
];

/// Changes records from an index on.
pub type Tamper = fn(&mut Vec<CycleRecord>, usize);

/// Cycles after the last record in which the mesh must stay still: more than any timer of it.
const DRAIN_CYCLES: u64 = 300;

/// Where the library of a configuration is.
pub fn library(name: &str) -> PathBuf {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../out/cosim");
    PathBuf::from(root).join(name)
}

pub fn network(preset: &str) -> Network {
    load(preset, &[]).unwrap().network
}

/// A configuration of stalls per seed: none, at the targets, everywhere.
fn stalls(seed: u64) -> Option<StallConfig> {
    [None, Some((120, 0)), Some((60, 60))][(seed % 3) as usize].map(|(target, initiator)| {
        StallConfig {
            target_stall_per_256: target,
            initiator_stall_per_256: initiator,
        }
    })
}

/// All records of a random trace of `transactions` transactions.
pub fn records(
    network: &Network,
    kinds: &[StressKind],
    transactions: u32,
    seed: u64,
) -> Vec<CycleRecord> {
    let trace = generate(network, &Recipe::new(network, kinds, transactions), seed);
    let config = RunConfig {
        stalls: stalls(seed),
        stall_seed: seed,
        ..RunConfig::new(Mode::Value)
    };
    let mut all = Vec::new();
    let mut keep = |record: &CycleRecord| all.push(record.clone());
    run_trace_recorded(network, &trace, &config, &mut keep).unwrap();
    all
}

/// Runs the mesh along records. Returns cycles and handshakes compared.
pub fn follow(
    name: &str,
    network: &Network,
    records: &[CycleRecord],
) -> Result<(u64, u64), LockstepError> {
    let mut mesh = Lockstep::open(&library(name), network)?;
    for record in records {
        mesh.follow(record)?;
    }
    mesh.idle_until(mesh.cycle() + DRAIN_CYCLES)?;
    Ok((mesh.cycle(), mesh.num_compared()))
}

/// Random traces of these kinds take the same course, seed by seed.
pub fn agree(name: &str, preset: &str, kinds: &[StressKind], seeds: std::ops::Range<u64>) {
    let network = network(preset);
    let mut compared = 0;
    for seed in seeds {
        let records = records(&network, kinds, 64, seed);
        match follow(name, &network, &records) {
            Ok((_, handshakes)) => compared += handshakes,
            Err(error) => panic!("{name}, seed {seed}: {error}"),
        }
    }
    assert!(compared > 5_000, "{compared} handshakes are too few");
}
