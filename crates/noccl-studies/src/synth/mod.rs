// SPDX-License-Identifier: Apache-2.0
//! Searched schedules: what is asked, what comes back.
//!
//! The engine is `noccl-synth`; here the simulator rates its schedules in timing mode, the checker proves the best, and a run with
//! real bytes compares what every participant gets.

mod words;

pub use words::{parse_faulty_link, parse_objective, parse_time_limit};

use crate::compare::{CompareRequest, collective_of};
use crate::{Error, Verified, group_name, root_name};
use noccl_net::{Network, TileRef, TileSet};
use noccl_run::Watch;
use noccl_synth::{Faults, Found, Objective, Part, Problem, Settings, SynthError, search};
use noccl_workload::{CollectiveKind, ElementType, Operator, Postcondition, Schedule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};
use words::Simulated;
use words::{Proved, prove};

/// What to search for.
#[derive(Debug, Clone, PartialEq)]
pub struct SynthRequest {
    /// Which collective.
    pub collective: CollectiveKind,
    /// Groups that do it side by side; no cluster is in two of them.
    pub groups: Vec<TileSet>,
    /// Root; `None` for the usual one of each group.
    pub root: Option<TileRef>,
    /// Payload per participant.
    pub bytes: u64,
    /// Operator of reductions.
    pub operator: Operator,
    /// Element type of reductions.
    pub element: ElementType,
    /// Seed of the search and of the random inputs.
    pub seed: u64,
    /// Host time for the search; the proof and the compared run come after it.
    pub time_limit: Duration,
    /// Most schedules that are simulated.
    pub tries: Option<u64>,
    /// What is made small.
    pub objective: Objective,
    /// Without multicasts, reductions and barriers of the network?
    pub is_software: bool,
    /// Links that do not work, by their ends.
    pub faulty_links: Vec<(TileRef, TileRef)>,
    /// Tiles that do not work.
    pub faulty_tiles: Vec<TileRef>,
}

impl SynthRequest {
    /// FP64 sums, the usual root, seed 1, one second, everything works.
    #[must_use]
    pub const fn new(collective: CollectiveKind, groups: Vec<TileSet>, bytes: u64) -> Self {
        Self {
            collective,
            groups,
            root: None,
            bytes,
            operator: Operator::Sum,
            element: ElementType::Fp64,
            seed: 1,
            time_limit: Duration::from_secs(1),
            tries: None,
            objective: Objective::Cycles,
            is_software: false,
            faulty_links: Vec::new(),
            faulty_tiles: Vec::new(),
        }
    }
}

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchEnd {
    /// The time limit.
    TimeLimit,
    /// The number of tries.
    Tries,
    /// Nothing new was found.
    Exhausted,
    /// Stopped from outside.
    Interrupted,
}

/// The library's best schedule beside a searched one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LibraryBest {
    /// Its name, as `--algorithm` reads it; of several groups one name each.
    pub algorithm: String,
    /// Its cycles.
    pub cycles: u64,
    /// Its energy.
    pub energy_pj: f64,
}

/// What a search has found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SynthReport {
    /// Name of the network.
    pub network: String,
    /// Which collective.
    pub collective: CollectiveKind,
    /// Groups.
    pub groups: Vec<String>,
    /// Root of each group.
    pub roots: Vec<String>,
    /// Payload per participant.
    pub bytes: u64,
    /// What was made small: `cycles` or `energy`.
    pub objective: String,
    /// Seed.
    pub seed: u64,
    /// Links and tiles that were avoided.
    pub faults: Vec<String>,
    /// How the schedule was made.
    pub method: String,
    /// Actions of the schedule.
    pub num_actions: u64,
    /// Cycles of the run in which bytes moved.
    pub cycles: u64,
    /// Energy of its counted events.
    pub energy_pj: f64,
    /// No algorithm can be faster; of several groups the slowest one's.
    pub lower_bound_cycles: u64,
    /// No algorithm of messages between two clusters can be faster.
    pub software_bound_cycles: u64,
    /// The library's best; absent if faults leave it none.
    pub library: Option<LibraryBest>,
    /// The library's cycles divided by these.
    pub gain: Option<f64>,
    /// Schedules that were rated.
    pub num_tried: u64,
    /// Those of them that an estimate ruled out, without a run.
    pub num_estimated: u64,
    /// The library's schedules that there was no time for.
    pub num_untried: u64,
    /// Why it ended.
    pub end: SearchEnd,
    /// Host seconds of the search, the proof and the compared run.
    pub host_seconds: f64,
    /// Was every output byte compared?
    pub verified: Verified,
}

/// Searches a schedule, proves it, and runs it with real bytes.
///
/// # Errors
/// [`Error`] for what is impossible, and for an end from outside before there was any schedule.
pub fn synth(
    network: &Network,
    request: &SynthRequest,
    watch: Watch<'_>,
) -> Result<(SynthReport, Schedule), Error> {
    let start = Instant::now();
    let problem = problem(network, request)?;
    let settings = Settings {
        seed: request.seed,
        tries: request.tries,
        is_software: request.is_software || !problem.faults().is_empty(),
        objective: request.objective,
    };
    // A library's schedule of one of several groups is faster than any of all of them.
    let is_by_cycles = request.objective == Objective::Cycles && request.groups.len() == 1;
    let deadline = start + request.time_limit;
    let mut evaluator = Simulated::new(network, watch, deadline, request.tries, is_by_cycles);
    let found = search(&problem, settings, &mut evaluator).map_err(|error| {
        if evaluator.is_interrupted() {
            Error::Unfinished {
                done: 0,
                total: 1,
                units: "schedules",
                cycles: evaluator.cycles(),
            }
        } else {
            refused(error)
        }
    })?;
    let end = if evaluator.is_interrupted() {
        SearchEnd::Interrupted
    } else if request.tries.is_some_and(|tries| found.num_tried >= tries) {
        SearchEnd::Tries
    } else if start.elapsed() >= request.time_limit {
        SearchEnd::TimeLimit
    } else {
        SearchEnd::Exhausted
    };
    let proved = prove(network, &problem, &found, request.seed)?;
    let mut report = report(network, request, &problem, &found, &proved)?;
    report.end = end;
    report.num_estimated = evaluator.num_estimated();
    report.host_seconds = start.elapsed().as_secs_f64();
    Ok((report, proved.schedule))
}

fn problem<'a>(network: &'a Network, request: &SynthRequest) -> Result<Problem<'a>, Error> {
    Error::axi(network, "a search")?;
    if request.collective == CollectiveKind::Barrier {
        let accepted = "accepted: collectives that move data; `noccl barrier` compares barriers";
        return Err(Error::argument("collective", "barrier", accepted));
    }
    if request.time_limit.is_zero() {
        let accepted = "accepted: a time above 0, e.g. 1s or 500ms";
        return Err(Error::argument("--time-limit", "0", accepted));
    }
    if request.tries == Some(0) {
        let accepted = "accepted: 1 or more";
        return Err(Error::argument("--tries", 0, accepted));
    }
    if request.groups.is_empty() {
        let accepted = "accepted: at least one group";
        return Err(Error::argument("--group", "none", accepted));
    }
    if let (Some(root @ TileRef::Cluster(_)), [_, _, ..]) = (request.root, &*request.groups) {
        let accepted = "accepted: a memory tile, or no root, where there are several groups";
        return Err(Error::argument("--root", root_name(root), accepted));
    }
    let faults = Faults::new(network, &request.faulty_links, &request.faulty_tiles);
    let faults = faults.map_err(refused)?;
    let mut parts = Vec::new();
    for group in &request.groups {
        let compared = CompareRequest {
            root: request.root,
            operator: request.operator,
            element: request.element,
            ..CompareRequest::new(request.collective, group.clone(), vec![request.bytes])
        };
        let collective = collective_of(network, &compared, request.bytes)?;
        let wanted = Postcondition::new(network, &collective);
        parts.push(Part { collective, wanted });
    }
    Problem::new(network, parts, faults).map_err(refused)
}

/// As users of the command read it.
fn refused(error: SynthError) -> Error {
    match error {
        SynthError::Field {
            field,
            found,
            accepted,
        } => {
            let argument = match field.as_str() {
                "faulty link" => "--faulty-link".to_owned(),
                "faulty tile" => "--faulty-tile".to_owned(),
                "group" => "--group".to_owned(),
                _ => field,
            };
            Error::argument(&argument, found, format!("accepted: {accepted}"))
        }
        SynthError::DoesNotFit { .. } => Error::argument("--bytes", "too large", error.to_string()),
        SynthError::Group(error) => Error::Net(error),
    }
}

fn report(
    network: &Network,
    request: &SynthRequest,
    problem: &Problem<'_>,
    found: &Found,
    proved: &Proved,
) -> Result<SynthReport, Error> {
    let (mut lower, mut software) = (0, 0);
    for part in problem.parts() {
        let bounds = noccl_model::bounds(network, &part.collective)?;
        lower = lower.max(bounds.lower_bound_cycles);
        software = software.max(bounds.software_bound_cycles);
    }
    let picojoules = |femtojoules: u64| femtojoules as f64 / 1000.0;
    let library = found.library.as_ref().map(|best| LibraryBest {
        algorithm: best.name.clone(),
        cycles: best.rating.cycles,
        energy_pj: picojoules(best.rating.energy_fj),
    });
    let gain = library
        .as_ref()
        .map(|best| best.cycles as f64 / proved.cycles.max(1) as f64);
    let links = request.faulty_links.iter();
    let links = links.map(|(a, b)| format!("{}-{}", root_name(*a), root_name(*b)));
    let tiles = request.faulty_tiles.iter().map(|tile| root_name(*tile));
    let collectives = problem.parts().iter().map(|p| &p.collective);
    Ok(SynthReport {
        network: network.spec().label(),
        collective: request.collective,
        groups: request
            .groups
            .iter()
            .map(|g| group_name(network, g))
            .collect(),
        roots: collectives.map(|c| root_name(c.root)).collect(),
        bytes: request.bytes,
        objective: words::objective_name(request.objective).to_owned(),
        seed: request.seed,
        faults: links.chain(tiles).collect(),
        method: proved.method.clone(),
        num_actions: proved.schedule.actions.len() as u64,
        cycles: proved.cycles,
        energy_pj: proved.energy_pj,
        lower_bound_cycles: lower,
        software_bound_cycles: software,
        library,
        gain,
        num_tried: found.num_tried,
        num_estimated: 0,
        num_untried: found.num_untried,
        end: SearchEnd::Exhausted,
        host_seconds: 0.0,
        verified: proved.verified,
    })
}
