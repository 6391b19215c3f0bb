// SPDX-License-Identifier: Apache-2.0
//! Network interfaces and mesh of 2×2 clusters are the simulator's, at the AXI ports: `make cosim-endpoints`.
#![allow(clippy::unwrap_used)]

mod cosim;

use cosim::{library, network, record_with, stalled, stalls};
use noccl::StressKind;
use noccl::stress::{Recipe, generate};
use noccl_net::Network;
use noccl_rtl::endpoints::Endpoints;
use noccl_rtl::lockstep::LockstepError;
use noccl_run::{CycleRecord, RunConfig};
use noccl_workload::{PortKind, PortTransaction};
use std::ops::Range;

const NAME: &str = "2x2-endpoints";
const PRESET: &str = "collective_noc_2x2";
const DRAIN_CYCLES: u64 = 300;

/// Records of a random trace, and the run they are of.
fn records(
    network: &Network,
    (kinds, transactions): (&[StressKind], u32),
    seed: u64,
) -> (Vec<CycleRecord>, RunConfig) {
    let mut trace = generate(network, &Recipe::new(network, kinds, transactions), seed);
    // What the first transaction writes lies where others read.
    let from = network.tile_ref(network.clusters().next().unwrap());
    trace.transactions.insert(
        0,
        PortTransaction {
            start_cycles: vec![Some(0)],
            kind: PortKind::NarrowRead { from, source: from },
        },
    );
    let config = stalled(stalls(seed), seed);
    (record_with(network, &trace, &config), config)
}

/// Runs the hardware along records. Returns handshakes compared.
fn follow(
    network: &Network,
    (records, config): &(Vec<CycleRecord>, RunConfig),
) -> Result<u64, LockstepError> {
    let mut hardware = Endpoints::open(&library(NAME), network, config)?;
    for record in records {
        hardware.follow(record)?;
    }
    hardware.idle_until(hardware.cycle() + DRAIN_CYCLES)?;
    Ok(hardware.num_compared())
}

fn agree(kinds: &[StressKind], seeds: Range<u64>) {
    let network = network(PRESET);
    let mut compared = 0;
    for seed in seeds {
        // The shortest trace that differs says most.
        for transactions in [1, 2, 4, 8, 16, 64] {
            let run = records(&network, (kinds, transactions), seed);
            match follow(&network, &run) {
                Ok(handshakes) => compared += handshakes,
                Err(error) => panic!("seed {seed}, {transactions} transactions: {error}"),
            }
        }
    }
    assert!(compared > 5_000, "{compared} handshakes are too few");
}

#[test]
fn writes_take_the_same_course() {
    agree(&[StressKind::Write], 0..6);
}

#[test]
fn reads_take_the_same_course() {
    agree(&[StressKind::Read], 0..6);
}

#[test]
fn writes_and_reads_take_the_same_course() {
    agree(&[StressKind::Write, StressKind::Read], 0..6);
}

#[test]
fn atomics_and_barriers_take_the_same_course() {
    agree(&[StressKind::Atomic, StressKind::Barrier], 0..6);
}

#[test]
fn multicasts_take_the_same_course() {
    agree(&[StressKind::Multicast], 0..6);
}

#[test]
fn overlapping_transactions_take_the_same_course() {
    agree(&cosim::ALL, 0..12);
}
