// SPDX-License-Identifier: Apache-2.0
//! Random overlapping transactions of all kinds: everything must complete, with the right bytes.
//!
//! One seed makes one trace; the run replays it with random endpoint stalls. A stall or a wrong byte
//! names its seed, which alone reproduces it.

mod chains;
mod generate;

pub use generate::{Recipe, generate};

use crate::Error;
use noccl_net::Network;
use noccl_run::{Diagnosis, Mode, RunConfig, RunError, RunResult, Tally, Watch};
use noccl_sim::{run_schedule, run_trace};
use noccl_workload::Trace;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Kinds of transactions in a stress run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StressKind {
    /// Wide and narrow unicast writes.
    Write,
    /// Wide and narrow unicast reads.
    Read,
    /// Wide and narrow multicast writes.
    Multicast,
    /// Wide reductions.
    Reduction,
    /// Barriers.
    Barrier,
    /// Atomics.
    Atomic,
    /// Chains of Torrent endpoints, with plain writes between them; not mixed with others.
    Chain,
}

impl StressKind {
    /// All kinds that are mixed.
    pub const ALL: [StressKind; 6] = [
        StressKind::Write,
        StressKind::Read,
        StressKind::Multicast,
        StressKind::Reduction,
        StressKind::Barrier,
        StressKind::Atomic,
    ];

    /// As users write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            StressKind::Write => "write",
            StressKind::Read => "read",
            StressKind::Multicast => "multicast",
            StressKind::Reduction => "reduction",
            StressKind::Barrier => "barrier",
            StressKind::Atomic => "atomic",
            StressKind::Chain => "chain",
        }
    }
}

/// Reads `all` or a list such as `multicast,barrier`.
///
/// # Errors
/// [`Error::Argument`] with the names that exist.
pub fn parse_stress_kinds(text: &str) -> Result<Vec<StressKind>, Error> {
    if text == "all" {
        return Ok(StressKind::ALL.to_vec());
    }
    let known = || {
        let mixed = StressKind::ALL.map(StressKind::name).join(", ");
        format!("{mixed}, or chain alone")
    };
    text.split(',')
        .map(|name| {
            StressKind::ALL
                .into_iter()
                .chain([StressKind::Chain])
                .find(|kind| kind.name() == name.trim())
                .ok_or_else(|| {
                    Error::argument(
                        "--only",
                        name,
                        format!("accepted: all, or a list of {}", known()),
                    )
                })
        })
        .collect()
}

/// Which seeds to run, and on what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StressRequest {
    /// Name of the spec as users gave it, with overrides, for reproducers.
    pub spec_arguments: String,
    /// Number of seeds, at most [`MAX_STRESS_SEEDS`].
    pub seeds: u64,
    /// First seed.
    pub first_seed: u64,
    /// Kinds that are mixed.
    pub kinds: Vec<StressKind>,
    /// Transactions per seed, [`MIN_STRESS_TRANSACTIONS`] to [`MAX_STRESS_TRANSACTIONS`].
    pub transactions: u32,
}

/// Fewest transactions per seed.
pub const MIN_STRESS_TRANSACTIONS: u32 = 64;
/// Most transactions per seed.
pub const MAX_STRESS_TRANSACTIONS: u32 = 1 << 14;
/// Most seeds of one report.
pub const MAX_STRESS_SEEDS: u64 = 1_000_000;

/// One seed that did not end well.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StressFailure {
    /// Seed.
    pub seed: u64,
    /// Command line that reproduces it alone.
    pub reproducer: String,
    /// Transactions that delivered wrong bytes; 0 if the run stalled.
    pub wrong_transactions: u64,
    /// Why it stalled.
    pub diagnosis: Option<Diagnosis>,
}

/// Runs that took at least `from_cycles` and less than twice as many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HistogramBin {
    /// Shortest runtime of the bin.
    pub from_cycles: u64,
    /// Shortest runtime of the next bin.
    pub to_cycles: u64,
    /// Completed runs.
    pub runs: u64,
}

/// Outcome of a stress run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StressReport {
    /// Name of the network.
    pub network: String,
    /// Seeds run.
    pub runs: u64,
    /// Runs in which every transaction completed.
    pub completed: u64,
    /// Runs that could not finish.
    #[serde(alias = "hung")]
    pub stalled: u64,
    /// Completed runs with a wrong byte somewhere.
    pub wrong: u64,
    /// Transactions in all runs.
    pub transactions: u64,
    /// Cycles of all completed runs together.
    pub simulated_cycles: u64,
    /// Runtimes of the completed runs.
    pub histogram: Vec<HistogramBin>,
    /// Seeds that stalled or were wrong, smallest first.
    pub failures: Vec<StressFailure>,
}

/// Runs seeds in parallel; the report is the same for any number of threads.
///
/// # Errors
/// [`Error::Argument`] for counts that cannot be, [`Error::Run`] if interrupted or refused. Stalls
/// and wrong bytes are part of the report.
pub fn stress(
    network: &Network,
    request: &StressRequest,
    watch: Watch<'_>,
) -> Result<StressReport, Error> {
    check(network, request)?;
    if request.kinds == [StressKind::Chain] {
        return stress_chains(network, request, watch);
    }
    let recipe = Recipe::new(network, &request.kinds, request.transactions);
    let tally = Tally::new(watch, request.seeds);
    let outcomes: Vec<Outcome> = (request.first_seed..request.first_seed + request.seeds)
        .into_par_iter()
        .map(|seed| {
            let trace = generate(network, &recipe, seed);
            let outcome = run_seed(network, &trace, seed, &tally)?;
            tally.finish_unit()?;
            Ok(Outcome {
                seed,
                transactions: trace.transactions.len() as u64,
                outcome,
            })
        })
        .collect::<Result<_, RunError>>()?;
    Ok(summarise(network, request, &outcomes))
}

/// As [`stress`], sets of chains instead of traces.
fn stress_chains(
    network: &Network,
    request: &StressRequest,
    watch: Watch<'_>,
) -> Result<StressReport, Error> {
    chains::refuse(network)?;
    let tally = Tally::new(watch, request.seeds);
    let outcomes: Vec<Outcome> = (request.first_seed..request.first_seed + request.seeds)
        .into_par_iter()
        .map(|seed| {
            let set = chains::generate(network, seed);
            set.check(network)?;
            let outcome = run_chains(network, &set, seed, &tally)?;
            tally.finish_unit()?;
            Ok(Outcome {
                seed,
                transactions: set.schedule.actions.len() as u64,
                outcome,
            })
        })
        .collect::<Result<_, Error>>()?;
    Ok(summarise(network, request, &outcomes))
}

fn run_chains(
    network: &Network,
    set: &chains::Chains,
    seed: u64,
    tally: &Tally<'_>,
) -> Result<Ended, RunError> {
    let config = config(seed);
    let (schedule, inputs, outputs) = (&set.schedule, &set.inputs, set.outputs());
    let outcome = tally
        .run(|on_progress| run_schedule(network, schedule, inputs, &outputs, &config, on_progress));
    ended(outcome, |result| set.num_wrong(result))
}

/// Bytes move, endpoints stall.
fn config(seed: u64) -> RunConfig {
    let mut config = RunConfig::new(Mode::Value);
    config.stall_seed = seed;
    config.stalls = Some(generate::stalls(seed));
    config
}

struct Outcome {
    seed: u64,
    transactions: u64,
    outcome: Ended,
}

/// How a run ended: with so many cycles and wrong transactions, or with a diagnosis. The rest of its result is
/// dropped: many thousand outcomes are held together.
type Ended = Result<Completed, Box<Diagnosis>>;

#[derive(Clone, Copy)]
struct Completed {
    cycles: u64,
    wrong_transactions: u64,
}

fn ended(
    outcome: Result<RunResult, RunError>,
    extra_wrong: impl Fn(&RunResult) -> u64,
) -> Result<Ended, RunError> {
    match outcome {
        Ok(result) => Ok(Ok(Completed {
            cycles: result.cycles,
            wrong_transactions: result.wrong_transactions + extra_wrong(&result),
        })),
        Err(RunError::Stall(diagnosis)) => Ok(Err(diagnosis)),
        Err(error @ (RunError::Refused { .. } | RunError::Interrupted { .. })) => Err(error),
    }
}

fn run_seed(
    network: &Network,
    trace: &Trace,
    seed: u64,
    tally: &Tally<'_>,
) -> Result<Ended, RunError> {
    let config = config(seed);
    let outcome = tally.run(|on_progress| run_trace(network, trace, &config, on_progress));
    ended(outcome, |_| 0)
}

fn summarise(network: &Network, request: &StressRequest, outcomes: &[Outcome]) -> StressReport {
    let mut report = StressReport {
        network: network.spec().name.clone(),
        runs: outcomes.len() as u64,
        completed: 0,
        stalled: 0,
        wrong: 0,
        transactions: outcomes.iter().map(|o| o.transactions).sum(),
        simulated_cycles: 0,
        histogram: Vec::new(),
        failures: Vec::new(),
    };
    let mut cycles = Vec::new();
    for Outcome { seed, outcome, .. } in outcomes {
        let (wrong_transactions, diagnosis) = match outcome {
            Ok(result) => {
                report.completed += 1;
                cycles.push(result.cycles);
                (result.wrong_transactions, None)
            }
            Err(diagnosis) => {
                report.stalled += 1;
                (0, Some((**diagnosis).clone()))
            }
        };
        report.wrong += u64::from(wrong_transactions > 0);
        if wrong_transactions > 0 || diagnosis.is_some() {
            report.failures.push(StressFailure {
                seed: *seed,
                reproducer: reproducer(request, *seed),
                wrong_transactions,
                diagnosis,
            });
        }
    }
    report.simulated_cycles = cycles.iter().sum();
    report.histogram = histogram(&cycles);
    report
}

fn reproducer(request: &StressRequest, seed: u64) -> String {
    let names: Vec<&str> = request.kinds.iter().map(|kind| kind.name()).collect();
    let kinds = if request.kinds == StressKind::ALL {
        String::new()
    } else {
        format!(" --only {}", names.join(","))
    };
    let transactions = if request.transactions == MIN_STRESS_TRANSACTIONS {
        String::new()
    } else {
        format!(" --transactions {}", request.transactions)
    };
    format!(
        "noccl stress --spec {}{kinds}{transactions} --first-seed {seed} --seeds 1",
        request.spec_arguments
    )
}

/// Bins that double: 64, 128, 256, …
fn histogram(cycles: &[u64]) -> Vec<HistogramBin> {
    let bin = |c: u64| c.max(1).ilog2();
    let Some((low, high)) = cycles
        .iter()
        .map(|c| bin(*c))
        .min()
        .zip(cycles.iter().map(|c| bin(*c)).max())
    else {
        return Vec::new();
    };
    (low..=high)
        .map(|b| HistogramBin {
            from_cycles: 1 << b,
            to_cycles: 1 << (b + 1),
            runs: cycles.iter().filter(|c| bin(**c) == b).count() as u64,
        })
        .collect()
}

fn check(network: &Network, request: &StressRequest) -> Result<(), Error> {
    let tiles = network.clusters().count() + network.memories().count();
    if tiles < 2 {
        let accepted = "accepted: a network of at least two tiles, for transactions between them";
        return Err(Error::argument("--spec", &network.spec().name, accepted));
    }
    if !(1..=MAX_STRESS_SEEDS).contains(&request.seeds)
        || request.first_seed.checked_add(request.seeds).is_none()
    {
        return Err(Error::argument(
            "--seeds",
            request.seeds,
            format!("accepted: 1 to {MAX_STRESS_SEEDS}, and first seed plus seeds below 2^64"),
        ));
    }
    let sizes = MIN_STRESS_TRANSACTIONS..=MAX_STRESS_TRANSACTIONS;
    if !sizes.contains(&request.transactions) {
        return Err(Error::argument(
            "--transactions",
            request.transactions,
            format!("accepted: {MIN_STRESS_TRANSACTIONS} to {MAX_STRESS_TRANSACTIONS}"),
        ));
    }
    if request.kinds.contains(&StressKind::Chain) && request.kinds.len() > 1 {
        let names: Vec<&str> = request.kinds.iter().map(|kind| kind.name()).collect();
        let accepted = "accepted: chain alone, or the others without it";
        return Err(Error::argument("--only", names.join(","), accepted));
    }
    if request.kinds.is_empty() {
        return Err(Error::argument("--only", "", "accepted: at least one kind"));
    }
    Ok(())
}
