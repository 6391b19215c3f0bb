// SPDX-License-Identifier: Apache-2.0
//! What every backend keeps, as functions that a backend's tests call with their own networks and schedules.
//!
//! Each function states one rule and ends with a panic where it is broken; a backend passes if all of them return.

use crate::{
    Backend, Checkpoints, MemoryImage, Request, Run, RunConfig, RunError, RunResult, advance, step,
};
use noccl_net::Network;
use noccl_spec::WORD_BYTES;
use noccl_workload::{Place, Schedule};
use std::io::Cursor;

/// What a backend is tried with.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// A network of the kind under test.
    pub network: &'a Network,
    /// A schedule that it runs: every action moves data over links.
    pub schedule: &'a Schedule,
    /// What the memories hold before.
    pub inputs: &'a [MemoryImage],
    /// What is read afterwards.
    pub outputs: &'a [(Place, u64)],
    /// How to run; one thread, no stalls.
    pub config: &'a RunConfig,
}

impl<'a> Subject<'a> {
    const fn request(&self) -> Request<'a> {
        Request {
            network: self.network,
            schedule: self.schedule,
            inputs: self.inputs,
            config: self.config,
        }
    }

    fn start<B: Backend>(&self, backend: &B) -> B::Run<'a> {
        backend
            .start(&self.request())
            .expect("the schedule is accepted")
    }

    fn result<B: Backend>(&self, backend: &B) -> RunResult {
        let mut run = self.start(backend);
        advance(&mut run, &mut |_| true).expect("the schedule completes");
        run.result(self.outputs)
    }
}

/// A schedule without actions is over before its first cycle.
///
/// # Panics
/// If the rule is broken.
pub fn empty_schedule_takes_no_cycle<B: Backend>(backend: &B, subject: &Subject<'_>) {
    let mut schedule = subject.schedule.clone();
    schedule.actions.clear();
    let schedule = &schedule;
    let result = Subject {
        schedule,
        ..*subject
    }
    .result(backend);
    assert_eq!(result.cycles, 0);
    assert!(result.actions.is_empty() && result.links.is_empty());
    assert_eq!(result.counters, crate::Counters::default());
}

/// A result depends on no number of threads and on no earlier run.
///
/// # Panics
/// If the rule is broken.
pub fn threads_change_nothing<B: Backend>(backend: &B, subject: &Subject<'_>) {
    let expected = subject.result(backend);
    for threads in [1, 2, 5] {
        let config = &RunConfig {
            threads,
            ..subject.config.clone()
        };
        let found = Subject { config, ..*subject }.result(backend);
        assert_eq!(found, expected, "{threads} threads");
    }
}

/// A callback that asks for an end interrupts a run between two cycles, at the cycle that it was told, and the run goes on from
/// there. The schedule has to take long enough for a call.
///
/// # Panics
/// If the rule is broken.
pub fn interrupted_run_goes_on<B: Backend>(backend: &B, subject: &Subject<'_>) {
    let expected = subject.result(backend);
    let mut run = subject.start(backend);
    let mut told = Vec::new();
    loop {
        let ended = advance(&mut run, &mut |progress| {
            told.push(progress);
            false
        });
        match ended {
            Ok(()) => break,
            Err(RunError::Interrupted { cycle }) => {
                assert_eq!(Some(cycle), told.last().map(|p| p.cycle));
                assert_eq!(cycle, run.progress().cycle);
            }
            Err(error @ (RunError::Refused { .. } | RunError::Stall(_))) => panic!("{error}"),
        }
    }
    assert!(
        !told.is_empty(),
        "no progress is told in {} cycles",
        expected.cycles
    );
    for (one, next) in told.iter().zip(&told[1..]) {
        assert!(one.cycle < next.cycle && one.actions_done <= next.actions_done);
        assert_eq!(one.actions_total, next.actions_total);
    }
    assert_eq!(run.result(subject.outputs), expected);
}

/// A run that cannot go on ends with a diagnosis that names who waits for whom. `stalling` cannot complete.
///
/// # Panics
/// If the rule is broken.
pub fn stall_is_diagnosed<B: Backend>(backend: &B, stalling: &Subject<'_>) {
    let mut run = stalling.start(backend);
    let RunError::Stall(found) = advance(&mut run, &mut |_| true).expect_err("it cannot complete")
    else {
        panic!("a stall is neither refused nor interrupted");
    };
    assert!(
        !found.summary.is_empty() && !found.waits.is_empty(),
        "{found}"
    );
    for wait in &found.waits {
        assert!(
            !wait.waiter.is_empty() && !wait.awaited.is_empty(),
            "{found}"
        );
        assert!(
            !wait.place.is_empty() && wait.since_cycle <= found.cycle,
            "{found}"
        );
    }
    assert!(found.last_progress_cycle <= found.cycle, "{found}");
}

/// No run goes on beyond [`RunConfig::max_cycles`], and the limit is named.
///
/// # Panics
/// If the rule is broken.
pub fn limit_of_cycles_ends_a_run<B: Backend>(backend: &B, subject: &Subject<'_>) {
    let max_cycles = subject.result(backend).cycles / 2;
    let config = &RunConfig {
        max_cycles,
        ..subject.config.clone()
    };
    let mut run = Subject { config, ..*subject }.start(backend);
    let RunError::Stall(found) =
        advance(&mut run, &mut |_| true).expect_err("it is over its limit")
    else {
        panic!("a limit is neither refused nor interrupted");
    };
    assert_eq!(found.cycle, max_cycles);
    assert!(found.summary.contains("limit"), "{found}");
}

/// Counts agree with each other: flit-hops with the loads of the links, the run's counts with its result's, no count and
/// no cycle goes back, every action has a time within the run.
///
/// # Panics
/// If the rule is broken.
pub fn counts_are_consistent<B: Backend>(backend: &B, subject: &Subject<'_>) {
    let mut run = subject.start(backend);
    let (mut hops, mut cycle) = (0, 0);
    while !step(&mut run).expect("the schedule completes") {
        assert!(run.status().flit_hops() >= hops && run.progress().cycle > cycle);
        (hops, cycle) = (run.status().flit_hops(), run.progress().cycle);
    }
    let result = run.result(subject.outputs);
    let loads: u64 = result.links.iter().map(|link| link.flits).sum();
    assert_eq!(result.counters.flit_hops, loads);
    assert_eq!(result.counters, run.status().counters());
    assert!(loads > 0 && result.links.iter().all(|link| link.flits > 0));
    let axi = subject.network.spec().axi();
    let beat_bytes = axi.map_or(WORD_BYTES, |axi| axi.ni.wide_beat_bytes);
    assert!(result.counters.payload_byte_hops <= loads * u64::from(beat_bytes));
    assert_eq!(result.actions.len(), subject.schedule.actions.len());
    assert_eq!(result.responses.len(), result.actions.len());
    for time in &result.actions {
        assert!(time.start_cycle <= time.finish_cycle && time.finish_cycle <= result.cycles);
    }
    assert_eq!(result.memory.len(), subject.outputs.len());
    let progress = run.progress();
    assert_eq!(progress.actions_done, progress.actions_total);
}

/// A run that was saved and loaded at any of `cycles` ends with the result of one that was not.
///
/// # Panics
/// If the rule is broken.
pub fn loaded_run_gives_the_same_result<B: Checkpoints>(
    backend: &B,
    subject: &Subject<'_>,
    cycles: &[u64],
) {
    let expected = subject.result(backend);
    for at in cycles {
        let mut run = subject.start(backend);
        while run.progress().cycle < *at && !step(&mut run).expect("the schedule completes") {}
        let bytes = backend
            .save(&run, Vec::new())
            .expect("memory takes everything");
        let loaded = backend.load(&subject.request(), Cursor::new(bytes));
        let mut loaded = loaded.expect("the checkpoint is whole");
        advance(&mut loaded, &mut |_| true).expect("the schedule completes");
        assert_eq!(
            loaded.result(subject.outputs),
            expected,
            "saved in cycle {at}"
        );
    }
}

/// What a backend does not do it refuses before the first cycle: which part of the request, why, what it accepts.
///
/// # Panics
/// If the rule is broken.
pub fn refusal_is_typed<B: Backend>(backend: &B, refused: &Subject<'_>) {
    match backend.start(&refused.request()) {
        Ok(_) => panic!("it is accepted"),
        Err(RunError::Refused {
            backend,
            what,
            reason,
        }) => {
            assert!(!backend.is_empty() && !what.is_empty(), "{backend}: {what}");
            assert!(!reason.is_empty(), "{what}");
        }
        Err(error @ (RunError::Stall(_) | RunError::Interrupted { .. })) => panic!("{error}"),
    }
}
