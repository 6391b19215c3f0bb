// SPDX-License-Identifier: Apache-2.0
//! Schedules written by hand, run in both modes.

use noccl_net::Network;
use noccl_run::{MemoryImage, Mode, RunConfig, RunError, RunResult};
use noccl_workload::{Action, ActionId, ActionKind, Place, SCHEDULE_FORMAT, Schedule};
use std::collections::BTreeMap;

/// A schedule of actions with what each waits for.
pub fn schedule(actions: Vec<(ActionKind, Vec<u32>)>) -> Schedule {
    let action = |(kind, after): (ActionKind, Vec<u32>)| Action {
        kind,
        after: after.into_iter().map(ActionId).collect(),
    };
    Schedule {
        format: SCHEDULE_FORMAT,
        algorithm: "test".to_owned(),
        parameters: BTreeMap::new(),
        collective: None,
        actions: actions.into_iter().map(action).collect(),
    }
}

/// Runs in both modes, which must agree in everything but bytes; the outcome of value mode.
pub fn run(
    net: &Network,
    schedule: &Schedule,
    inputs: &[MemoryImage],
    outputs: &[(Place, u64)],
) -> Result<RunResult, RunError> {
    let timing = noccl_sim::run_schedule(
        net,
        schedule,
        inputs,
        outputs,
        &RunConfig::new(Mode::Timing),
        &mut |_| true,
    );
    let value = noccl_sim::run_schedule(
        net,
        schedule,
        inputs,
        outputs,
        &RunConfig::new(Mode::Value),
        &mut |_| true,
    );
    if let (Ok(t), Ok(v)) = (&timing, &value) {
        assert_eq!(t.actions, v.actions, "value and timing mode differ");
        assert_eq!(t.counters, v.counters);
    }
    value
}

/// Bytes that repeat late and differ by seed.
pub fn bytes(count: usize, seed: u8) -> Vec<u8> {
    (0..count)
        .map(|i| (i as u8).wrapping_mul(37).wrapping_add(seed))
        .collect()
}
