// SPDX-License-Identifier: Apache-2.0
//! The simulator rates schedules, without their bytes.

use crate::compare::runtime_cycles;
use noccl_net::Network;
use noccl_run::{Mode, RunConfig, Step, Watch, WorkStage, energy_pj};
use noccl_sim::run_schedule;
use noccl_synth::{Oracle, Rating};
use noccl_workload::Schedule;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// Runs in timing mode, until the time is over.
pub(super) struct Simulated<'a> {
    network: &'a Network,
    watch: Watch<'a>,
    start: Instant,
    deadline: Instant,
    tries: Option<u64>,
    done: AtomicU64,
    cycles: AtomicU64,
    /// Is there a schedule already? Before, the deadline ends nothing.
    has_any: AtomicBool,
    is_interrupted: AtomicBool,
}

impl<'a> Simulated<'a> {
    pub(super) fn new(
        network: &'a Network,
        watch: Watch<'a>,
        deadline: Instant,
        tries: Option<u64>,
    ) -> Self {
        Self {
            network,
            watch,
            start: Instant::now(),
            deadline,
            tries,
            done: AtomicU64::new(0),
            cycles: AtomicU64::new(0),
            has_any: AtomicBool::new(false),
            is_interrupted: AtomicBool::new(false),
        }
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.is_interrupted.load(Ordering::Relaxed)
    }

    pub(super) fn cycles(&self) -> u64 {
        self.cycles.load(Ordering::Relaxed)
    }

    /// Tells how far the search is: tries, or hundredths of its time. May it go on?
    fn report(&self) -> bool {
        let limit = self.deadline.saturating_duration_since(self.start);
        let past = self.start.elapsed().as_secs_f64() / limit.as_secs_f64().max(1e-9);
        let done = self.done.load(Ordering::Relaxed);
        let (done, total) = match self.tries {
            Some(tries) if done as f64 / tries as f64 > past => (done.min(tries), tries),
            Some(_) | None => ((past.min(1.0) * 100.0) as u64, 100),
        };
        let goes_on = self.watch.report(Step {
            done,
            total,
            simulated_cycles: self.cycles(),
            activity: WorkStage::Simulating,
        });
        if !goes_on {
            self.is_interrupted.store(true, Ordering::Relaxed);
        }
        goes_on && !(self.has_any.load(Ordering::Relaxed) && Instant::now() >= self.deadline)
    }

    fn one(&self, schedule: &Schedule) -> Option<Rating> {
        if !self.report() {
            return None;
        }
        let config = RunConfig::new(Mode::Timing);
        let mut on_progress = |_| self.report();
        let run = run_schedule(self.network, schedule, &[], &[], &config, &mut on_progress);
        let result = run.ok()?;
        self.done.fetch_add(1, Ordering::Relaxed);
        self.cycles.fetch_add(result.cycles, Ordering::Relaxed);
        self.has_any.store(true, Ordering::Relaxed);
        let table = self.network.energy();
        let energy = table.map_or(0.0, |table| energy_pj(&result.counters, table));
        Some(Rating {
            cycles: runtime_cycles(Some(schedule), &result.actions),
            energy_fj: (energy * 1000.0).round() as u64,
            starts: result.actions.iter().map(|a| a.start_cycle).collect(),
        })
    }
}

impl Oracle for Simulated<'_> {
    fn rate(&mut self, schedules: &[Schedule]) -> Vec<Option<Rating>> {
        let this = &*self;
        schedules.par_iter().map(|s| this.one(s)).collect()
    }

    fn is_over(&self) -> bool {
        !self.report()
    }
}
