// SPDX-License-Identifier: Apache-2.0
//! One collective by several algorithms, each verified: the main job.
//!
//! For every size and algorithm: a schedule, the checker, a run in value mode on seeded random
//! inputs, and two opinions on the outputs: bit-exactness against the reference interpreter of the
//! schedule, and what the collective means (exact result, or the error bound of a float sum).
//! Chunk counts are searched in timing mode; only the best one is run in value mode.
//! What surely loses may be estimated instead (`extent`).

mod among;
mod auto;
mod auto_cores;
pub(crate) mod case;
mod estimates;
mod extent;
mod inputs;
mod left_out;
pub(crate) mod meaning;
mod row;
mod search;

pub use crate::runs::LinkFlits;
pub(crate) use among::{Expectation, choice_among, expected, simulated};
pub use auto::program_choice;
pub(crate) use case::Case;
pub(crate) use case::collective_of;
pub(crate) use estimates::Estimator;
pub use estimates::compare_by_model;
pub use inputs::Synchronisation;
pub use inputs::schedule;
pub use row::{
    AlgorithmRequest, Backend, CompareRequest, CompareRow, EstimateRange, Extent, SumError,
    parse_algorithms, parse_one_algorithm,
};

use crate::noise::{NoiseStatistics, under_noise};
use crate::{Error, Verified, format_bytes, group_name, root_name};
pub use left_out::{Remedy, Skipped};
use left_out::{left_out, remedy};
use noccl_coll::{Algorithm, Choice};
use noccl_model::DirectExchangeBounds;
use noccl_net::{Network, TileId, TileRef};
use noccl_run::{Counters, Mode, RunConfig, RunError, Tally, Watch, energy_pj};
use noccl_sim::run_schedule;
use noccl_workload::{CheckError, Collective, CollectiveKind, Schedule};
use rayon::prelude::*;
use search::{Family, best_choice, families};
pub(crate) use search::{auto_choice_of, best_of};
use std::collections::BTreeMap;

/// Rows of a comparison, and what could not be compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// One row per size and algorithm, sizes in the order of the request.
    pub rows: Vec<CompareRow>,
    /// Algorithms that were not asked for by name and that this network cannot run.
    pub skipped: Vec<Skipped>,
    /// What would give those of them that lack memory enough of it, if such a network is possible.
    pub remedy: Option<Remedy>,
    /// What is not as it was asked for: an algorithm that was named twice, more chunks than beats.
    pub notes: Vec<String>,
}

/// Compares algorithms; runs in parallel, with the same rows for any number of threads.
///
/// # Errors
/// [`Error`] for impossible sizes, groups or algorithms; for a run that stalls, with its diagnosis.
pub fn compare(
    network: &Network,
    request: &CompareRequest,
    watch: Watch<'_>,
) -> Result<Comparison, Error> {
    let works = extent::works(network, request)?;
    let tally = Tally::new(watch, works.len() as u64);
    let row = |work: &extent::RowWork| {
        let (collective, family) = (&work.collective, &work.family);
        let row = if let Some(estimated) = &work.estimated {
            estimates::estimated_row(network, collective, family, estimated, request)?
        } else {
            let case = Case::new(network, collective, request.seed)?;
            measure(network, &case, family, request, &tally)?
        };
        tally.finish_unit()?;
        Ok(row)
    };
    let outcomes: Vec<(String, Result<CompareRow, Error>)> = works
        .par_iter()
        .map(|work| (work.family.name(), row(work)))
        .collect();
    collect_rows(network, request, outcomes)
}

/// Every size with every family of choices.
fn pending(
    network: &Network,
    request: &CompareRequest,
    has_runs: bool,
) -> Result<Vec<(Collective, Family)>, Error> {
    let mut out = Vec::new();
    for bytes in sizes(request)? {
        let collective = case::collective_of(network, request, bytes)?;
        for family in families(network, &collective, &request.algorithms, has_runs)? {
            out.push((collective.clone(), family));
        }
    }
    Ok(out)
}

/// Rows and refusals of a request's outcomes, in their order.
fn collect_rows(
    network: &Network,
    request: &CompareRequest,
    outcomes: Vec<(String, Result<CompareRow, Error>)>,
) -> Result<Comparison, Error> {
    let mut comparison = Comparison {
        rows: Vec::new(),
        skipped: Vec::new(),
        remedy: None,
        notes: Vec::new(),
    };
    for (algorithm, outcome) in outcomes {
        match outcome {
            Ok(row) => {
                let asked = algorithm.parse().ok();
                let note = asked.and_then(|asked| fewer_chunks(asked, &row.parameters, row.bytes));
                comparison.notes.extend(note);
                if comparison.rows.contains(&row) {
                    let note = format!("{algorithm} is named more than once and has one row");
                    comparison.notes.push(note);
                } else {
                    comparison.rows.push(row);
                }
            }
            Err(reason) if request.algorithms.is_empty() && is_refusal(network, &reason) => {
                comparison.skipped.push(Skipped { algorithm, reason });
            }
            Err(error) => return Err(error),
        }
    }
    if comparison.rows.is_empty() && !comparison.skipped.is_empty() {
        let mut reasons: Vec<String> = comparison.skipped.iter().map(ToString::to_string).collect();
        reasons.dedup();
        return Err(Error::NothingRuns {
            collective: request.collective.name(),
            network: network.spec().label(),
            reasons,
        });
    }
    if request.algorithms.is_empty() {
        let more = left_out(network, request, &comparison.rows)?;
        let is_new = |one: &Skipped| {
            comparison
                .skipped
                .iter()
                .all(|s| s.algorithm != one.algorithm)
        };
        let more: Vec<Skipped> = more.into_iter().filter(is_new).collect();
        comparison.skipped.extend(more);
    }
    comparison.notes.dedup();
    comparison.remedy = remedy(network, &comparison.skipped);
    fill_speedups(&mut comparison.rows);
    Ok(comparison)
}

/// What to say of a choice whose schedule has fewer chunks than it asks for.
#[must_use]
pub fn fewer_chunks(
    asked: Choice,
    parameters: &BTreeMap<String, String>,
    bytes: u64,
) -> Option<String> {
    let made: u32 = parameters.get("chunks")?.parse().ok()?;
    let size = format_bytes(bytes);
    let note = format!("{asked} of {size} has {made} chunks: each is at least one beat long");
    (made < asked.chunks).then_some(note)
}

/// This network cannot run the algorithm, though the algorithm is right. To deadlock is a behaviour of published routers
/// and a defect of all others.
pub(crate) fn is_refusal(network: &Network, error: &Error) -> bool {
    match error {
        Error::Run(RunError::Refused { .. }) | Error::NothingRuns { .. } => true,
        Error::Run(RunError::Stall(_)) => !network.routers().joins_several,
        Error::Check(check) => matches!(
            **check,
            CheckError::Field { .. } | CheckError::Overload(_) | CheckError::Deadlock(_)
        ),
        Error::Run(RunError::Interrupted { .. })
        | Error::Machine(_)
        | Error::Recording(_)
        | Error::WrongKernel(_)
        | Error::Spec(_)
        | Error::Net(_)
        | Error::Coll(_)
        | Error::Workload(_)
        | Error::Layout(_)
        | Error::Model(_)
        | Error::Rtl(_)
        | Error::Hardware(_)
        | Error::Compile(_)
        | Error::Program(_)
        | Error::Fault(_)
        | Error::Call(_)
        | Error::Argument { .. }
        | Error::DoesNotFit { .. }
        | Error::File(_)
        | Error::Checkpoint { .. }
        | Error::Unfinished { .. }
        | Error::Suspended { .. } => false,
    }
}

fn sizes(request: &CompareRequest) -> Result<Vec<u64>, Error> {
    if request.collective == CollectiveKind::Barrier {
        return Ok(vec![0]);
    }
    if request.bytes.is_empty() {
        return Err(Error::argument(
            "--bytes",
            "",
            "accepted: at least one size",
        ));
    }
    Ok(request.bytes.clone())
}

fn measure(
    network: &Network,
    case: &Case,
    family: &Family,
    request: &CompareRequest,
    tally: &Tally<'_>,
) -> Result<CompareRow, Error> {
    let choice = best_choice(network, &case.collective, family, tally)?;
    let schedule = family.schedule(network, &case.collective, choice)?;
    let reference = case.reference(network, &schedule)?;
    let config = RunConfig {
        is_lock_step: request.is_lock_step,
        ..RunConfig::new(Mode::Value)
    };
    let result = tally.run(|on_progress| {
        run_schedule(
            network,
            &schedule,
            &case.inputs,
            &case.outputs,
            &config,
            on_progress,
        )
    })?;
    let checked = case.verify(&reference, &result.memory);
    let all_links = crate::runs::link_flits(network, &result.links);
    let outcome = Outcome {
        backend: Backend::Sim,
        cycles: runtime_cycles(Some(&schedule), &result.actions),
        counters: result.counters,
        busiest_link: crate::runs::busiest(network, &result.links),
        verified: Verified::compared(checked.is_right),
        sum_error: checked.sum_error,
        blocked_link_cycles: result.blocked_link_cycles,
        links: if request.has_links {
            all_links
        } else {
            Vec::new()
        },
        noise: request
            .noise
            .map(|noise| under_noise(network, &schedule, &config, noise, tally))
            .transpose()?,
    };
    let (collective, num_participants) = (&case.collective, case.num_participants);
    row_of(
        network,
        collective,
        num_participants,
        choice,
        &schedule,
        outcome,
    )
}

/// What a backend says of one schedule.
pub(crate) struct Outcome {
    pub(crate) backend: Backend,
    pub(crate) cycles: u64,
    pub(crate) counters: Counters,
    pub(crate) busiest_link: Option<LinkFlits>,
    pub(crate) verified: Verified,
    pub(crate) sum_error: Option<SumError>,
    pub(crate) links: Vec<LinkFlits>,
    pub(crate) noise: Option<NoiseStatistics>,
    pub(crate) blocked_link_cycles: Option<u64>,
}

/// The collective that bounds a choice: a barrier that does not meet at the root, or nowhere, is not faster than one that
/// meets in the middle.
pub(crate) fn bounded(
    network: &Network,
    collective: &Collective,
    choice: Choice,
) -> Result<Collective, Error> {
    let mut collective = collective.clone();
    let has_no_root =
        choice.algorithm == Algorithm::PointToPoint && collective.kind == CollectiveKind::Barrier;
    if choice.shape.is_some() || has_no_root {
        let members = network.members(&collective.group)?;
        collective.root = TileRef::Cluster(noccl_coll::centre(&members));
    }
    // A bound of any algorithm knows blocks of one length alone: the shortest is surely sent.
    if let Some(lengths) = collective.lengths.take() {
        collective.bytes = lengths.shortest();
    }
    Ok(collective)
}

fn row_of(
    network: &Network,
    collective: &Collective,
    num_participants: u32,
    choice: Choice,
    schedule: &Schedule,
    outcome: Outcome,
) -> Result<CompareRow, Error> {
    let bounds = noccl_model::bounds(network, &bounded(network, collective, choice)?)?;
    let of_exchange = exchange_bounds(network, collective)?;
    // Rows of reduce-scatter have never named the operator.
    let reduces = collective.reduces() && !collective.kind.has_blocks();
    let mut row = CompareRow {
        network: network.spec().label(),
        overrides: network.spec().overrides.iter().cloned().collect(),
        backend: outcome.backend,
        collective: collective.kind,
        algorithm: schedule.algorithm.clone(),
        operator: reduces.then_some(collective.operator),
        element: reduces.then_some(collective.element),
        parameters: schedule.parameters.clone(),
        bytes: collective.bytes,
        group: group_name(network, &collective.group),
        num_participants,
        root: root_name(collective.root),
        cycles: 0,
        estimate: None,
        clock_ghz: network.spec().clock_ghz,
        time_ns: 0.0,
        payload_gb_per_s: None,
        lower_bound_cycles: bounds.lower_bound_cycles,
        software_bound_cycles: Some(bounds.software_bound_cycles),
        payload_bound_cycles: bounds.payload_bound_cycles,
        link_bound_cycles: of_exchange.map(|bounds| bounds.link_bound_cycles),
        core_bound_cycles: of_exchange.map(|bounds| bounds.core_bound_cycles),
        cycles_over_lower_bound: 0.0,
        speedup_over_best_software: None,
        energy_pj: network
            .energy()
            .map(|energy| energy_pj(&outcome.counters, energy)),
        noise: outcome.noise,
        blocked_link_cycles: outcome.blocked_link_cycles,
        busiest_link: outcome.busiest_link,
        verified: outcome.verified,
        sum_error: outcome.sum_error,
        synchronisation: Some(Synchronisation::of(schedule)),
        is_in_network: choice.algorithm.is_in_network(),
        mesh: [network.width(), network.height()],
        cluster_region: [
            network.cluster_origin().x,
            network.cluster_origin().y,
            network.cluster_width(),
            network.cluster_height(),
        ],
        links: outcome.links,
    };
    row.set_cycles(outcome.cycles);
    Ok(row)
}

/// Bounds of an all-to-all of cores by a message per block.
fn exchange_bounds(
    network: &Network,
    collective: &Collective,
) -> Result<Option<DirectExchangeBounds>, Error> {
    if collective.kind != CollectiveKind::AllToAll {
        return Ok(None);
    }
    let members = network.members(&collective.group)?.into_iter();
    let tiles: Vec<TileId> = members
        .map(|at| network.tile_at(network.mesh_coord(at)))
        .collect();
    let bytes = |from: usize, to: usize| collective.block_bytes(from, to);
    Ok(noccl_model::direct_exchange(network, &tiles, &bytes))
}

/// From the start of the first transfer to the end of the last action, as S1 times it.
///
/// A member that waits at a barrier for the first transfer has not begun anything that the paper counts;
/// where there is nothing but barriers, and in a trace (`None`), the first start counts.
#[must_use]
pub fn runtime_cycles(schedule: Option<&Schedule>, actions: &[noccl_run::ActionTime]) -> u64 {
    let is_barrier =
        |index: usize| schedule.is_some_and(|s| s.actions[index].kind.barrier().is_some());
    let counts_all = (0..actions.len()).all(is_barrier);
    let timed = actions
        .iter()
        .enumerate()
        .filter(|(i, _)| counts_all || !is_barrier(*i));
    let start = timed.map(|(_, time)| time.start_cycle).min();
    let finish = actions.iter().map(|a| a.finish_cycle).max();
    // 0: without actions nothing takes time.
    start
        .zip(finish)
        .map_or(0, |(start, finish)| finish - start)
}

fn fill_speedups(rows: &mut [CompareRow]) {
    for index in 0..rows.len() {
        let best = rows
            .iter()
            .filter(|r| r.bytes == rows[index].bytes && !r.is_in_network)
            .map(|r| r.cycles)
            .min();
        rows[index].speedup_over_best_software =
            best.map(|b| b as f64 / rows[index].cycles.max(1) as f64);
    }
}
