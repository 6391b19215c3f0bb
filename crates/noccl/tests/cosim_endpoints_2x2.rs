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

/// The first difference between the hardware and records that somebody has changed.
fn found(tamper: fn(&mut CycleRecord) -> bool) -> LockstepError {
    let network = network(PRESET);
    let (mut records, config) = records(&network, (&cosim::ALL, 32), 1);
    let early = records.len() / 8;
    let has_changed = records[early..].iter_mut().any(tamper);
    assert!(has_changed, "nothing to change");
    follow(&network, &(records, config)).expect_err("the change is noticed")
}

fn place(error: &LockstepError) -> &'static str {
    let LockstepError::Divergence(divergence) = error else {
        panic!("{error}");
    };
    divergence.at
}

#[test]
fn a_missing_answer_is_noticed_at_its_port() {
    let error = found(|record| record.completions.pop().is_some());
    assert!(place(&error).contains("port, "), "{error}");
}

#[test]
fn another_response_is_noticed_at_its_port() {
    let error = found(|record| {
        let first = record.completions.first_mut();
        first.map(|completion| completion.resp = 2).is_some()
    });
    assert!(place(&error).contains("port, "), "{error}");
}

#[test]
fn a_byte_that_a_manager_changes_is_noticed_when_its_beat_leaves() {
    let error = found(|record| {
        let mut writes = record
            .commands
            .iter_mut()
            .filter_map(|c| c.data.first_mut());
        writes.next().map(|beat| beat[0] ^= 1).is_some()
    });
    assert_eq!(place(&error), "Local input", "{error}");
}

#[test]
fn a_command_of_another_tile_is_noticed() {
    let error = found(|record| {
        let first = record.commands.first_mut();
        first.map(|c| c.tile.0 = (c.tile.0 + 1) % 6).is_some()
    });
    assert!(!place(&error).is_empty());
}

#[test]
fn wide_reductions_through_network_interfaces_are_refused_by_name() {
    let network = network(PRESET);
    let run = records(&network, (&cosim::REDUCING, 32), 1);
    let error = follow(&network, &run).expect_err("a reduction is refused");
    assert!(
        matches!(error, LockstepError::Unsupported { .. }),
        "{error}"
    );
    assert!(error.to_string().contains("wide reduction"), "{error}");
}
