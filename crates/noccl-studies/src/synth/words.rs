// SPDX-License-Identifier: Apache-2.0
//! Words of searches.

use crate::compare::{Case, runtime_cycles};
use crate::{Error, Verified};
use noccl_model::estimate_cycles;
use noccl_net::{Network, TileRef};
use noccl_run::{MemoryImage, Mode, RunConfig, Step, Watch, WorkStage, energy_pj};
use noccl_sim::run_schedule;
use noccl_synth::{Candidate, Evaluator, Found, Objective, Problem, Rating};
use noccl_workload::{Place, Schedule, check, interpret};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Reads a link by its ends, e.g. `1,1-2,1` or `mem:0-0,0`.
///
/// # Errors
/// [`Error::Argument`] with the accepted form.
pub fn parse_faulty_link(text: &str) -> Result<(TileRef, TileRef), Error> {
    let ends = text.split_once('-').and_then(|(a, b)| {
        let read = |end: &str| end.parse::<TileRef>().ok();
        Some((read(a)?, read(b)?))
    });
    ends.ok_or_else(|| {
        let accepted = "accepted: two neighbouring tiles, X,Y-X,Y or mem:N-X,Y, e.g. 1,1-2,1";
        Error::argument("--faulty-link", text, accepted)
    })
}

/// Reads `cycles` or `energy`.
///
/// # Errors
/// [`Error::Argument`] with the accepted words.
pub fn parse_objective(text: &str) -> Result<Objective, Error> {
    match text {
        "cycles" => Ok(Objective::Cycles),
        "energy" => Ok(Objective::Energy),
        _ => {
            let accepted = "accepted: cycles, energy";
            Err(Error::argument("--objective", text, accepted))
        }
    }
}

pub(super) const fn objective_name(objective: Objective) -> &'static str {
    match objective {
        Objective::Cycles => "cycles",
        Objective::Energy => "energy",
    }
}

/// Reads a time above 0 in seconds, or with a unit: `1s`, `500ms`, `2min`.
///
/// # Errors
/// [`Error::Argument`] with the accepted forms.
pub fn parse_time_limit(text: &str) -> Result<Duration, Error> {
    let (number, unit) = [("ms", 0.001), ("min", 60.0), ("s", 1.0)]
        .into_iter()
        .find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, seconds)))
        .unwrap_or((text, 1.0));
    let seconds = number.trim().parse::<f64>().ok().map(|n| n * unit);
    let limit = seconds.and_then(|s| Duration::try_from_secs_f64(s).ok());
    let possible = limit.filter(|l| !l.is_zero() && *l <= MAX_TIME_LIMIT);
    possible.ok_or_else(|| {
        let accepted = "accepted: a time above 0 and up to a day, e.g. 1s, 500ms or 2min";
        Error::argument("--time-limit", text, accepted)
    })
}

/// A day.
const MAX_TIME_LIMIT: Duration = Duration::from_secs(86_400);

// The best schedules before the checker, and in a run with real bytes.

/// A schedule that is proved, with what its run says.
pub(super) struct Proved {
    pub(super) schedule: Schedule,
    pub(super) method: String,
    pub(super) cycles: u64,
    pub(super) energy_pj: f64,
    pub(super) verified: Verified,
}

/// The first of the best that is proved and delivers the right bytes.
pub(super) fn prove(
    network: &Network,
    problem: &Problem<'_>,
    found: &Found,
    seed: u64,
) -> Result<Proved, Error> {
    let mut refusal = None;
    for candidate in &found.best {
        match prove_one(network, problem, candidate, seed) {
            Ok(proved) if proved.verified.is_yes() => return Ok(proved),
            Ok(proved) => {
                let accepted =
                    "found, but its run delivers other bytes: a defect; please report it";
                refusal = Some(Error::argument("schedule", proved.method, accepted));
            }
            Err(error) => refusal = Some(error),
        }
    }
    Err(refusal.unwrap_or_else(|| {
        let accepted = "accepted: a payload and group that the network can do";
        Error::argument("collective", "no schedule", accepted)
    }))
}

fn prove_one(
    network: &Network,
    problem: &Problem<'_>,
    candidate: &Candidate,
    seed: u64,
) -> Result<Proved, Error> {
    let schedule = &candidate.schedule;
    let mut cases = Vec::new();
    for part in problem.parts() {
        cases.push(Case::new(network, &part.collective, seed)?);
    }
    let mut inputs: Vec<MemoryImage> = Vec::new();
    for image in cases.iter().flat_map(|c| &c.inputs) {
        // Groups that share a root in a memory tile share its input.
        let is_known =
            |known: &MemoryImage| known.tile == image.tile && known.offset == image.offset;
        if !inputs.iter().any(is_known) {
            inputs.push(image.clone());
        }
    }
    let outputs: Vec<(Place, u64)> = cases.iter().flat_map(|c| c.outputs.clone()).collect();
    let config = RunConfig::new(Mode::Value);
    let result = run_schedule(network, schedule, &inputs, &outputs, &config, &mut |_| true)?;
    let bytes: Vec<(Place, &[u8])> = inputs
        .iter()
        .map(|image| {
            let place = Place {
                tile: image.tile,
                offset: image.offset,
            };
            (place, image.bytes.as_slice())
        })
        .collect();
    let mut is_right = true;
    let mut first = 0;
    for (case, part) in cases.iter().zip(problem.parts()) {
        let claimed = Schedule {
            collective: Some(part.collective.clone()),
            ..schedule.clone()
        };
        check(network, &claimed)?;
        let memories = interpret(network, &claimed, &bytes)?;
        let wanted = case.outputs.iter();
        let reference: Vec<Option<Vec<u8>>> = wanted
            .map(|(at, bytes)| memories.read(*at, *bytes))
            .collect();
        let got = &result.memory[first..first + case.outputs.len()];
        first += case.outputs.len();
        is_right &= case.verify(&reference, got).is_right;
    }
    let table = network.energy().ok_or_else(|| {
        let accepted = "accepted: clusters behind AXI interfaces, whose events have costs";
        Error::argument("network", network.spec().label(), accepted)
    })?;
    Ok(Proved {
        schedule: schedule.clone(),
        method: candidate.name.clone(),
        cycles: runtime_cycles(Some(schedule), &result.actions),
        energy_pj: energy_pj(&result.counters, table),
        verified: Verified::compared(is_right),
    })
}

// The simulator rates schedules, without their bytes; those that an estimate finds far slower than the best so far it need not run.

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

impl Evaluator for Simulated<'_> {
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
