// SPDX-License-Identifier: Apache-2.0
//! Random overlapping transactions of all kinds: everything must complete, with the right bytes.
//!
//! One seed makes one trace, or one schedule where networks carry messages; the run replays it with random endpoint stalls. A seed
//! may draw a variant of the network too. A stall or a wrong byte names its seed, which alone reproduces it.

mod chains;
mod executed;
mod generate;
mod messages;
mod programs;
mod report;

pub use generate::{Recipe, generate};
pub use report::{HistogramBin, StressFailure, StressReport};

use crate::Error;
use crate::request::words;
use executed::Executed;
use noccl_net::Network;
use noccl_net::capabilities::Carries;
use noccl_run::{MemoryImage, Mode, RunConfig, RunError, RunResult, Tally, Watch};
use noccl_sim::{run_schedule, run_trace};
use noccl_workload::{Place, Schedule, Trace};
use rayon::prelude::*;
use report::{Completed, Ended, StressOutcome, summarise};
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
    /// Programs of ranks; not mixed with others.
    Program,
    /// A compiled program of ranks on executed cores, over their ports; not mixed with others.
    ExecutedProgram,
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

    /// Kinds of which a run has that one alone.
    pub const ALONE: [StressKind; 3] = [
        StressKind::Chain,
        StressKind::Program,
        StressKind::ExecutedProgram,
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
            StressKind::Program => "program",
            StressKind::ExecutedProgram => "executed_program",
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
        let alone = StressKind::ALONE.map(StressKind::name).join(" or ");
        format!("{mixed}, or {alone} alone")
    };
    let kinds = || StressKind::ALL.into_iter().chain(StressKind::ALONE);
    // `reduce` of `reduction`.
    let hint = |name: &str| {
        let begin = name
            .get(..name.len().min(5))
            .filter(|begin| begin.len() == 5);
        let near = kinds().find(|kind| begin.is_some_and(|begin| kind.name().starts_with(begin)));
        near.map_or_else(String::new, |kind| {
            format!(" (did you mean `{}`?)", kind.name())
        })
    };
    text.split(',')
        .map(|name| {
            let found = kinds().find(|kind| kind.name() == name.trim());
            found.ok_or_else(|| {
                let accepted = format!(
                    "accepted: all, or a list of {}{}",
                    known(),
                    hint(name.trim())
                );
                Error::argument("--only", name, accepted)
            })
        })
        .collect()
}

/// Kinds that a stress run mixes; the command line reads them as one text.
pub type StressKinds = Vec<StressKind>;

/// Which seeds to run, and on what.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct StressRequest {
    /// Name of the spec as users gave it, with overrides, for reproducers.
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub spec_arguments: String,
    /// Number of seeds, at most 1000000
    #[cfg_attr(feature = "clap", arg(long, default_value_t = 100))]
    pub seeds: u64,
    /// First seed
    #[cfg_attr(feature = "clap", arg(long, value_name = "SEED", default_value_t = 0))]
    pub first_seed: u64,
    /// Kinds to mix: all, or a list of write, read, multicast, reduction, barrier, atomic (not where routers carry
    /// messages; of core tiles write, multicast, reduction); or alone: chain (random sets of overlapping chains of Torrent endpoints),
    /// program (random programs of ranks), executed_program (the same in C on executed cores, compiled once)
    #[cfg_attr(feature = "clap", arg(long = "only", value_name = "KIND,...", default_value = "all", value_parser = parse_stress_kinds))]
    #[serde(deserialize_with = "words::stress_kinds")]
    pub kinds: StressKinds,
    /// Transactions per seed, 64 to 16384; of programs the most steps
    #[cfg_attr(feature = "clap", arg(long, default_value_t = MIN_STRESS_TRANSACTIONS))]
    pub transactions: u32,
    /// Draw with every seed a mesh no larger than the spec's, and a variant of its routers
    #[cfg_attr(feature = "clap", arg(long = "variants"))]
    pub has_variants: bool,
}

/// Fewest transactions per seed.
pub const MIN_STRESS_TRANSACTIONS: u32 = 64;
/// Most transactions per seed.
pub const MAX_STRESS_TRANSACTIONS: u32 = 1 << 14;
/// Most seeds of one report.
pub const MAX_STRESS_SEEDS: u64 = 1_000_000;

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
    let tally = Tally::new(watch, request.seeds);
    let executed = if request.kinds == [StressKind::ExecutedProgram] {
        Some(Executed::new(&|| watch.report(tally.step()))?)
    } else {
        None
    };
    // Cores that wait for a response to every message would wait within sends that must not wait.
    let kept: &[&str] = match request.kinds[..] {
        [StressKind::Program] => &["core.flow_control"],
        // The message library of compiled programs is made for FIFOs of the presets.
        [StressKind::ExecutedProgram] => &["router.static_network.input_fifo_flits"],
        _ => &[],
    };
    let outcomes: Vec<StressOutcome> = (request.first_seed..request.first_seed + request.seeds)
        .into_par_iter()
        .map(|seed| {
            let drawn = { request.has_variants }.then(|| report::draw(network, seed, kept));
            let on = drawn.as_ref().map_or(network, |(drawn, _)| drawn);
            let (transactions, outcome) = match &executed {
                Some(executed) => {
                    let drawn = (seed, request.transactions);
                    tally.run(|on_progress| executed.run(on, drawn, on_progress))?
                }
                None => run_seed(on, request, seed, &tally)?,
            };
            tally.finish_unit()?;
            let overrides = drawn.map_or_else(Vec::new, |(_, overrides)| overrides);
            Ok(StressOutcome {
                seed,
                transactions,
                overrides,
                outcome,
            })
        })
        .collect::<Result<_, Error>>()
        .map_err(|error| error.after_units("seeds", tally.step()))?;
    Ok(summarise(network, request, &outcomes))
}

/// Transactions of a seed, and how they ended.
fn run_seed(
    network: &Network,
    request: &StressRequest,
    seed: u64,
    tally: &Tally<'_>,
) -> Result<(u64, Ended), Error> {
    if request.kinds == [StressKind::Chain] {
        let set = chains::generate(chains::accepted(network)?, seed);
        set.check(network)?;
        let ended = (set.program()).run(network, seed, tally, |result| set.num_wrong(result))?;
        return Ok((set.schedule.actions.len() as u64, ended));
    }
    if request.kinds == [StressKind::Program] {
        let drawn = (seed, request.transactions);
        return Ok(tally.run(|on_progress| programs::run(network, drawn, on_progress))?);
    }
    let has_traces = network.routers().carries != Carries::Messages;
    let Some(axi) = network.as_axi().filter(|_| has_traces) else {
        let set = messages::generate(network, &request.kinds, request.transactions, seed);
        let expected = set.expected(network)?;
        let num_wrong = |result: &RunResult| set.num_wrong(&expected, result);
        let ended = set.program().run(network, seed, tally, num_wrong)?;
        return Ok((set.num_transactions, ended));
    };
    let recipe = Recipe::new(axi, &request.kinds, request.transactions);
    let trace = generate(axi, &recipe, seed);
    let ended = replay(network, &trace, seed, tally)?;
    Ok((trace.transactions.len() as u64, ended))
}

/// A schedule of a seed, and which bytes are read when it has ended.
struct Program<'p> {
    schedule: &'p Schedule,
    inputs: &'p [MemoryImage],
    outputs: Vec<(Place, u64)>,
}

impl Program<'_> {
    /// How it ends. `num_wrong` counts what has come out wrong.
    fn run(
        &self,
        network: &Network,
        seed: u64,
        tally: &Tally<'_>,
        num_wrong: impl Fn(&RunResult) -> u64,
    ) -> Result<Ended, RunError> {
        let config = config(seed);
        let (schedule, inputs, outputs) = (self.schedule, self.inputs, &self.outputs);
        let outcome = tally.run_to_end(
            |on_progress| run_schedule(network, schedule, inputs, outputs, &config, on_progress),
            |result| result.cycles,
        );
        ended(outcome, num_wrong)
    }
}

/// Bytes move, endpoints stall.
fn config(seed: u64) -> RunConfig {
    let mut config = RunConfig::new(Mode::Value);
    config.stall_seed = seed;
    config.stalls = Some(generate::stalls(seed));
    config
}

fn ended(
    outcome: Result<RunResult, RunError>,
    extra_wrong: impl Fn(&RunResult) -> u64,
) -> Result<Ended, RunError> {
    match outcome {
        Ok(result) => Ok(Ok(Completed {
            cycles: result.cycles,
            wrong_transactions: result.wrong_transactions + extra_wrong(&result),
            faults: Vec::new(),
        })),
        Err(RunError::Stall(diagnosis)) => Ok(Err(diagnosis)),
        Err(error @ (RunError::Refused { .. } | RunError::Interrupted { .. })) => Err(error),
    }
}

fn replay(
    network: &Network,
    trace: &Trace,
    seed: u64,
    tally: &Tally<'_>,
) -> Result<Ended, RunError> {
    let config = config(seed);
    let outcome = tally.run_to_end(
        |on_progress| run_trace(network, trace, &config, on_progress),
        |result| result.cycles,
    );
    ended(outcome, |_| 0)
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
    let is_alone = |kind: &&StressKind| StressKind::ALONE.contains(kind);
    if let Some(alone) = request.kinds.iter().find(is_alone)
        && request.kinds.len() > 1
    {
        let names: Vec<&str> = request.kinds.iter().map(|kind| kind.name()).collect();
        let accepted = format!("accepted: {} alone, or the others without it", alone.name());
        return Err(Error::argument("--only", names.join(","), accepted));
    }
    if request.kinds.is_empty() {
        return Err(Error::argument("--only", "", "accepted: at least one kind"));
    }
    if request.kinds == [StressKind::Chain] {
        chains::accepted(network)?;
    } else if request.kinds == [StressKind::Program] {
        programs::refuse(network)?;
    } else if request.kinds == [StressKind::ExecutedProgram] {
        executed::refuse(network)?;
    } else if matches!(
        network.routers().carries,
        Carries::Messages | Carries::Words
    ) {
        messages::refuse(network, &request.kinds, request.transactions)?;
    }
    if request.has_variants {
        report::refuse(network)?;
    }
    Ok(())
}
