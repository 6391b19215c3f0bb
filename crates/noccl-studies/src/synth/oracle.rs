// SPDX-License-Identifier: Apache-2.0
//! The simulator rates schedules, without their bytes; those that an estimate finds far slower than the best so far it need not run.

use crate::compare::runtime_cycles;
use noccl_model::estimate_cycles;
use noccl_net::Network;
use noccl_run::{Mode, RunConfig, Step, Watch, WorkStage, energy_pj};
use noccl_sim::run_schedule;
use noccl_synth::{Oracle, Rating};
use noccl_workload::Schedule;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// Estimated cycles over the best ones from which on a schedule is not run: estimates were at most 24 % off in 2257 schedules without
/// barriers on default routers (docs/model.md).
const MOST_OF_BEST: f64 = 1.3;

/// Runs in timing mode, until the time is over.
pub(super) struct Simulated<'a> {
    network: &'a Network,
    watch: Watch<'a>,
    start: Instant,
    deadline: Instant,
    tries: Option<u64>,
    done: AtomicU64,
    cycles: AtomicU64,
    /// Cycles of the fastest schedule of all batches before; nothing is left out where schedules are not compared by cycles.
    best: Option<u64>,
    is_by_cycles: bool,
    num_estimated: AtomicU64,
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
        is_by_cycles: bool,
    ) -> Self {
        Self {
            network,
            watch,
            start: Instant::now(),
            deadline,
            tries,
            done: AtomicU64::new(0),
            cycles: AtomicU64::new(0),
            best: None,
            is_by_cycles,
            num_estimated: AtomicU64::new(0),
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

    /// Schedules that an estimate alone has ruled out.
    pub(super) fn num_estimated(&self) -> u64 {
        self.num_estimated.load(Ordering::Relaxed)
    }

    /// Is a schedule expected to be far slower than the best? An estimate takes a fraction of a run.
    fn is_slow(&self, schedule: &Schedule) -> bool {
        let Some(best) = self.best.filter(|_| self.is_by_cycles) else {
            return false;
        };
        let estimate = estimate_cycles(self.network, schedule);
        estimate.is_ok_and(|e| e.cycles > best as f64 * MOST_OF_BEST)
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
        // Energy decides between schedules of equal cycles: without its costs none can be rated.
        let table = self.network.energy()?;
        if !self.report() {
            return None;
        }
        if self.is_slow(schedule) {
            self.done.fetch_add(1, Ordering::Relaxed);
            self.num_estimated.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        let config = RunConfig::new(Mode::Timing);
        let mut on_progress = |_| self.report();
        let run = run_schedule(self.network, schedule, &[], &[], &config, &mut on_progress);
        let result = run.ok()?;
        self.done.fetch_add(1, Ordering::Relaxed);
        self.cycles.fetch_add(result.cycles, Ordering::Relaxed);
        self.has_any.store(true, Ordering::Relaxed);
        let energy = energy_pj(&result.counters, table);
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
        let ratings: Vec<Option<Rating>> = schedules.par_iter().map(|s| this.one(s)).collect();
        // By batches, so that what is left out does not depend on threads.
        let fastest = ratings.iter().flatten().map(|rating| rating.cycles).min();
        self.best = self.best.into_iter().chain(fastest).min();
        ratings
    }

    fn is_over(&self) -> bool {
        !self.report()
    }
}
