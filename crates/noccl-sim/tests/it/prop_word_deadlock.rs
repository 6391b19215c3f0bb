// SPDX-License-Identifier: Apache-2.0
//! Core tiles that may leave words in their stores: what the checker proves free of deadlock ends under every timing, and what comes
//! to a standstill has been refused with a circle of waits.

use crate::common::{cluster, network_with, place_at, run_alone};
use noccl_net::Network;
use noccl_run::{Mode, RunConfig, RunError, StallConfig};
use noccl_testkit::actions::{compute, message, static_multicast};
use noccl_testkit::clusters;
use noccl_workload::number::mix;
use noccl_workload::{
    Action, ActionId, CheckError, First, SCHEDULE_FORMAT, Schedule, check_deadlock, participants,
};
use proptest::prelude::*;

/// Sizes of messages: one word, one unit, more than a store.
const BYTES: [u64; 5] = [0, 4, 128, 512, 2048];

/// Numbers that a seed yields.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = mix(self.0);
        self.0 % limit
    }
}

fn network(numbers: &mut Numbers) -> Network {
    let drain = ["\"in_receive\"", "\"never\""][numbers.below(2) as usize];
    let flow = ["\"none\"", "\"none\"", "\"ready_ack\""][numbers.below(3) as usize];
    let words = ["34", "127", "1024"][numbers.below(3) as usize];
    let interrupt = ["0", "0", "0", "20"][numbers.below(4) as usize];
    let flow = if interrupt == "0" { flow } else { "\"none\"" };
    let preset = ["tilepro64_2x1", "tilepro64_2x2", "tilepro64_3x2"][numbers.below(3) as usize];
    network_with(
        preset,
        &[
            ("core.drain", drain),
            ("core.flow_control", flow),
            ("core.receive_store_words", words),
            ("core.interrupt_cycles", interrupt),
        ],
    )
}

fn random_schedule(network: &Network, numbers: &mut Numbers) -> Schedule {
    let (width, height) = (network.cluster_width(), network.cluster_height());
    let mut actions: Vec<Action> = Vec::new();
    for _ in 0..2 + numbers.below(14) {
        let mut tile = || {
            let x = numbers.below(u64::from(width)) as u16;
            (x, numbers.below(u64::from(height)) as u16)
        };
        let (from, to) = (tile(), tile());
        let bytes = BYTES[numbers.below(BYTES.len() as u64) as usize];
        let kind = match numbers.below(10) {
            0 => compute(cluster(from.0, from.1), numbers.below(3000)),
            1 => {
                let all = clusters(0, 0, width, height);
                static_multicast(place_at(from, 0), all, 4096, 4 + bytes)
            }
            _ => message(place_at(from, 0), place_at(to, 4096), bytes),
        };
        let tiles = participants(network, &kind);
        let shares = |earlier: &Action| {
            let others = participants(network, &earlier.kind);
            others.iter().any(|tile| tiles.contains(tile))
        };
        let earlier: Vec<usize> = (0..actions.len())
            .filter(|at| shares(&actions[*at]))
            .collect();
        let count = numbers.below(3).min(earlier.len() as u64);
        let after = (0..count).map(|_| {
            let at = numbers.below(earlier.len() as u64) as usize;
            ActionId(earlier[at] as u32)
        });
        let after = after.collect();
        actions.push(Action { kind, after });
    }
    Schedule {
        format: SCHEDULE_FORMAT,
        algorithm: "random".to_owned(),
        parameters: Default::default(),
        collective: None,
        first: Some([First::Send, First::Receive][numbers.below(2) as usize]),
        claims_rounds: false,
        actions,
    }
}

/// What became of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// Proved, and it ended under all timings.
    Free,
    /// Refused, and it came to a standstill under one of them.
    Stalled,
    /// Refused, and it ended under all of them.
    Ended,
}

fn outcome(seed: u64) -> Outcome {
    let mut numbers = Numbers(mix(seed));
    let network = network(&mut numbers);
    let schedule = random_schedule(&network, &mut numbers);
    let found = check_deadlock(&network, &schedule);
    let has_stalled = (0..4).any(|timing| {
        let config = RunConfig {
            stalls: (timing > 1).then_some(StallConfig {
                target_stall_per_256: 60,
                initiator_stall_per_256: 60,
            }),
            stall_seed: timing,
            noise_seed: (timing > 0).then_some(timing),
            start_skew_cycles: [0, 500, 2000, 9000][timing as usize],
            ..RunConfig::new(Mode::Timing)
        };
        match run_alone(&network, &schedule, &config) {
            Ok(_) => false,
            Err(RunError::Stall(_)) => true,
            Err(other) => panic!("seed {seed}: {other}"),
        }
    });
    match (&found, has_stalled) {
        (Ok(report), false) => assert!(report.free, "seed {seed}"),
        (Ok(_), true) => panic!("seed {seed}: proved free, and stands still: {schedule:?}"),
        (Err(CheckError::Deadlock(deadlock)), _) => {
            assert!(!deadlock.cycle.is_empty(), "seed {seed}: {deadlock}");
        }
        (Err(other), _) => panic!("seed {seed}: {other}"),
    }
    match (found.is_ok(), has_stalled) {
        (true, _) => Outcome::Free,
        (false, true) => Outcome::Stalled,
        (false, false) => Outcome::Ended,
    }
}

proptest! {
    #![proptest_config(noccl_testkit::config(128, 65_536))]

    #[test]
    fn what_is_proved_free_ends_and_what_stands_still_has_been_refused(seed in any::<u64>()) {
        outcome(seed);
    }
}

/// The property says something: all three outcomes occur, and the checker proves and refuses where it should.
#[test]
fn schedules_are_proved_and_refused() {
    let outcomes: Vec<Outcome> = (0..400).map(outcome).collect();
    let count = |of| outcomes.iter().filter(|found| **found == of).count();
    let (free, stalled, ended) = (
        count(Outcome::Free),
        count(Outcome::Stalled),
        count(Outcome::Ended),
    );
    println!("free {free}, stalled {stalled}, refused though it ended {ended}");
    assert!(free > 100 && stalled > 40, "{free} {stalled} {ended}");
}
