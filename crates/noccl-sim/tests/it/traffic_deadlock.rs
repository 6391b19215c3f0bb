// SPDX-License-Identifier: Apache-2.0
//! Open-loop traffic that deadlocks is reported as a deadlock, whatever its sources still create; never as a figure.

use noccl_net::Network;
use noccl_run::{Diagnosis, Mode, RunConfig, RunError, TrafficResult};
use noccl_sim::run_traffic;
use noccl_testkit::network;
use noccl_workload::{Pattern, Traffic};
use proptest::prelude::*;

fn run(
    network: &Network,
    pattern: Pattern,
    load: f64,
    cycles: u64,
    seed: u64,
) -> Result<TrafficResult, RunError> {
    let traffic = Traffic {
        pattern,
        beats: 16,
        offered_beats_per_cycle: load,
        warmup_cycles: 100,
        measure_cycles: cycles,
        seed,
    };
    run_traffic(
        network,
        &traffic,
        &RunConfig::new(Mode::Timing),
        &mut |_| true,
    )
}

fn deadlock(result: Result<TrafficResult, RunError>) -> Diagnosis {
    match result {
        Err(RunError::Stall(diagnosis)) => *diagnosis,
        other => panic!("no deadlock: {other:?}"),
    }
}

/// Does some waiter wait for itself through others?
fn has_circle(diagnosis: &Diagnosis) -> bool {
    diagnosis.waits.iter().any(|first| {
        let (mut reached, mut at) = (vec![&first.awaited], 0);
        while at < reached.len() {
            let waiter = reached[at];
            for wait in diagnosis.waits.iter().filter(|w| &w.waiter == waiter) {
                if !reached.contains(&&wait.awaited) {
                    reached.push(&wait.awaited);
                }
            }
            at += 1;
        }
        reached.contains(&&first.waiter)
    })
}

#[test]
fn multicasts_of_published_routers_deadlock_with_a_circle() {
    let network = network("collective_noc_4x4_published");
    for (pattern, load, cycles) in [
        (Pattern::RowMulticast, 0.1, 20_000),
        (Pattern::Broadcast, 0.05, 20_000),
        // Draining ends before a network counts as stalled.
        (Pattern::RowMulticast, 0.8, 200),
    ] {
        let diagnosis = deadlock(run(&network, pattern, load, cycles, 1));
        assert!(has_circle(&diagnosis), "{diagnosis:?}");
    }
}

proptest! {
    #![proptest_config(noccl_testkit::cheap())]

    /// Published routers deadlock under collective traffic; the others never do.
    #[test]
    fn traffic_is_a_figure_or_a_deadlock(
        preset in prop::sample::select(vec![
            "collective_noc_4x4", "collective_noc_4x4_published", "smart_4x4", "smart_8x8_private", "tilepro64_4x4",
        ]),
        pattern in prop::sample::select(vec![
            Pattern::Uniform, Pattern::RowMulticast, Pattern::Broadcast, Pattern::CornerBroadcast,
        ]),
        load in 0.01f64..1.0,
        cycles in prop::sample::select(vec![50, 300, 3_000]),
        seed in 1u64..1000,
    ) {
        let network = network(preset);
        let is_collective = pattern != Pattern::Uniform;
        match run(&network, pattern, load, cycles, seed) {
            Ok(result) => {
                let has_latency = result.mean_latency_cycles > 0.0;
                prop_assert!(has_latency || result.packets == 0 || result.saturated, "{result:?}");
                prop_assert!(result.packets < 50 || result.accepted_beats_per_cycle > 0.0, "{result:?}");
            }
            Err(RunError::Stall(diagnosis)) => {
                prop_assert!(preset.ends_with("published") && is_collective, "{diagnosis}");
                prop_assert!(has_circle(&diagnosis), "{diagnosis}");
            }
            // Not every pattern and length exists on every network.
            Err(RunError::Refused { .. }) => {}
            Err(other) => prop_assert!(false, "{other}"),
        }
    }
}
