// SPDX-License-Identifier: Apache-2.0
//! `auto`: estimates rank everything that a comparison would try, and short runs decide between the first.
//!
//! Software is ranked by the estimate of shared links, what the network does by closed forms (`estimates`). Both are a few percent off, so
//! the first few of each are run in timing mode. All of that is bounded: choices of too many messages are left out, and runs of too many
//! beats are not made. What was done is said with the choice. Core tiles: `auto_cores`.

use super::estimates::{Estimated, Estimator};
use super::search::best_of;
use super::{is_refusal, runtime_cycles};
use crate::{AlgorithmRequest, Error, Watch};
use noccl_coll::{Algorithm, Choice, CollError, choices_for_programs, offered, runs_by};
use noccl_model::bounds;
use noccl_net::{AxiNetwork, Network};
use noccl_run::{Mode, RunConfig, Tally};
use noccl_sim::run_schedule;
use noccl_workload::{Collective, CollectiveKind, check};
use rayon::prelude::*;
use std::collections::HashSet;

/// Choices so near the least estimate are run: where the estimate is firm, and where it is rough.
const NEAR_FIRM: f64 = 1.3;
const NEAR_ROUGH: f64 = 2.0;
/// At most so many: of firm ones, of what the network does, and of other rough ones.
const MOST_FIRM: usize = 6;
const MOST_NETWORK: usize = 4;
const MOST_ROUGH: usize = 12;
/// Beats over links of a run that costs next to nothing: what is estimated roughly is then run however slow it should be.
const FEW_FLIT_HOPS: f64 = 2e5;
/// Beats over links of all runs together, but for the first two.
const MOST_FLIT_HOPS: f64 = 12e6;
/// Beats over links of one run: a longer one is not made, and the estimate decides.
const MOST_FLIT_HOPS_OF_RUN: f64 = 50e6;

/// What `auto` takes, and how that was found.
pub(super) struct Picked {
    pub(super) choice: Choice,
    pub(super) by: String,
}

/// The choice for a collective among those that are offered; `has_runs`: may the simulator decide?
pub(super) fn pick(
    network: AxiNetwork<'_>,
    collective: &Collective,
    offered: Vec<Choice>,
    has_runs: bool,
) -> Result<Picked, Error> {
    let estimator = Estimator::new(network, collective)?;
    let known = estimates(&network, collective, offered, &estimator)?;
    let num = known.len();
    let near = if has_runs { near(&known) } else { Vec::new() };
    // What is expected roughly may be refused too.
    let is_open = near.len() > 1 || near.iter().any(|one| one.is_rough);
    if is_open && let Some((choice, num_runs)) = fastest(&network, collective, &near)? {
        let by = format!("runs of {num_runs}, of {num} choices");
        return Ok(Picked { choice, by });
    }
    match first_that_can(&network, collective, &known, has_runs)? {
        Some(choice) => Ok(Picked {
            choice,
            by: format!("the model, of {num} choices"),
        }),
        None => nothing(&network, collective),
    }
}

/// Choices whose runs decide, the least estimate first.
fn near(known: &[Estimated]) -> Vec<Estimated> {
    let least = |of: &dyn Fn(&&Estimated) -> bool| {
        let cycles = known.iter().filter(of).map(|one| one.cycles);
        cycles.fold(f64::INFINITY, f64::min)
    };
    let (all, firm) = (least(&|_| true), least(&|one| !one.is_rough));
    // A rough estimate may be too low, so that the firm ones are compared among themselves.
    let is_near = |one: &Estimated| match one.is_rough {
        true => {
            let is_cheap = one.choice.algorithm.is_in_network() && one.flit_hops <= FEW_FLIT_HOPS;
            is_cheap || one.cycles <= NEAR_ROUGH * all
        }
        false => one.cycles <= NEAR_FIRM * firm && one.cycles <= NEAR_ROUGH * all,
    };
    let mut taken = [0; 3];
    let mut prints: HashSet<u64> = HashSet::new();
    let mut sum = 0.0;
    let mut near = Vec::new();
    for one in known.iter().filter(|one| is_near(one)) {
        // Short payloads make one schedule of several choices.
        let is_again = one.fingerprint != 0 && !prints.insert(one.fingerprint);
        let (class, most) = match (one.is_rough, one.choice.algorithm.is_in_network()) {
            (false, _) => (0, MOST_FIRM),
            (true, true) => (1, MOST_NETWORK),
            (true, false) => (2, MOST_ROUGH),
        };
        let is_short = near.len() < 2 || sum + one.flit_hops <= MOST_FLIT_HOPS;
        if is_again || taken[class] == most || !is_short || one.flit_hops > MOST_FLIT_HOPS_OF_RUN {
            continue;
        }
        taken[class] += 1;
        sum += one.flit_hops;
        near.push(*one);
    }
    near
}

/// The fastest in a run, the first of them if several are as fast, and how many were run; none if the network refuses all.
fn fastest(
    network: &Network,
    collective: &Collective,
    near: &[Estimated],
) -> Result<Option<(Choice, usize)>, Error> {
    let cycles: Vec<Option<u64>> = near
        .par_iter()
        .map(|one| cycles_of(network, collective, one.choice))
        .collect::<Result<_, Error>>()?;
    let num = cycles.iter().flatten().count();
    let run = cycles.iter().zip(near);
    let run = run.filter_map(|(cycles, one)| cycles.map(|cycles| (cycles, one.choice)));
    let best = run.min_by_key(|(cycles, _)| *cycles);
    Ok(best.map(|(_, choice)| (choice, num)))
}

/// Cycles of a run; none if the network cannot do it.
fn cycles_of(
    network: &Network,
    collective: &Collective,
    choice: Choice,
) -> Result<Option<u64>, Error> {
    let schedule = noccl_coll::schedule(network, collective, choice)?;
    if check(network, &schedule).is_err() {
        return Ok(None);
    }
    let config = RunConfig::new(Mode::Timing);
    let run = run_schedule(network, &schedule, &[], &[], &config, &mut |_| true);
    match run.map_err(Error::from) {
        Ok(result) => Ok(Some(runtime_cycles(Some(&schedule), &result.actions))),
        Err(error) if is_refusal(network, &error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The first that the checker accepts, and where runs may decide a run of the rough ones, too.
fn first_that_can(
    network: &Network,
    collective: &Collective,
    known: &[Estimated],
    has_runs: bool,
) -> Result<Option<Choice>, Error> {
    for one in known {
        if has_runs && one.is_rough && one.flit_hops <= MOST_FLIT_HOPS_OF_RUN {
            if cycles_of(network, collective, one.choice)?.is_some() {
                return Ok(Some(one.choice));
            }
            continue;
        }
        let schedule = noccl_coll::schedule(network, collective, one.choice)?;
        if check(network, &schedule).is_ok() {
            return Ok(Some(one.choice));
        }
    }
    Ok(None)
}

/// Why nothing does this: what the first algorithm says.
fn nothing(network: &Network, collective: &Collective) -> Result<Picked, Error> {
    for choice in offered(network, collective) {
        noccl_coll::schedule(network, collective, choice)?;
    }
    Err(Error::from(CollError::Impossible(format!(
        "auto: no algorithm of the library does this {} here; accepted: another group or size",
        collective.kind
    ))))
}

// Which choices `auto` makes a schedule of, to estimate it.
//
// A schedule over many members takes long to make. So of more than a few members what surely loses is left out: all software, where the
// network's own algorithm is below the bound of software; algorithms with barriers, where there are some without; numbers
// of chunks of forms that are slow with one.

/// Among so many members everything is estimated. Measured: of more the fastest is never one with barriers.
const FEW_MEMBERS: u64 = 16;
/// Forms whose numbers of chunks are looked at; the best one was among them in every case measured.
const MOST_FORMS: usize = 4;

/// Estimates of all offered choices worth one, the least first.
fn estimates(
    network: &Network,
    collective: &Collective,
    offered: Vec<Choice>,
    estimator: &Estimator<'_>,
) -> Result<Vec<Estimated>, Error> {
    let (own, software): (Vec<Choice>, Vec<Choice>) = offered
        .into_iter()
        .partition(|choice| choice.algorithm.is_in_network());
    let mut known = all_of(estimator, &own)?;
    if estimator.members() <= FEW_MEMBERS {
        known.extend(all_of(estimator, &software)?);
    } else if !is_beaten(network, collective, &known) {
        known.extend(of_many(collective.kind, &software, estimator)?);
    }
    known.sort_by(|a, b| a.cycles.total_cmp(&b.cycles));
    Ok(known)
}

fn all_of(estimator: &Estimator<'_>, choices: &[Choice]) -> Result<Vec<Estimated>, Error> {
    let all: Vec<Option<Estimated>> = choices
        .par_iter()
        .map(|choice| estimator.of(*choice))
        .collect::<Result<_, Error>>()?;
    Ok(all.into_iter().flatten().collect())
}

/// Is something that the network does faster than any software? Asked where its cycles are known well.
fn is_beaten(network: &Network, collective: &Collective, own: &[Estimated]) -> bool {
    let routers = network.routers();
    let is_known = !collective.kind.has_blocks() && collective.kind != CollectiveKind::Barrier;
    if !routers.joins_several || !routers.has_links || !is_known {
        return false;
    }
    let Ok(bounds) = bounds(network, collective) else {
        return false;
    };
    let least = own.iter().map(|one| one.cycles);
    least.fold(f64::INFINITY, f64::min) <= bounds.software_bound_cycles as f64
}

/// Of a form the choice with the fewest chunks that can be done (whole payloads may not fit into the memories), and those with more.
fn fewest_chunks<'c>(
    estimator: &Estimator<'_>,
    choices: &'c [Choice],
) -> Result<Option<(Estimated, &'c [Choice])>, Error> {
    let mut left = choices;
    while let Some((choice, further)) = left.split_first() {
        if let Some(one) = estimator.of(*choice)? {
            return Ok(Some((one, further)));
        }
        left = further;
    }
    Ok(None)
}

/// Software over many members: without barriers, and of each form first the fewest chunks.
fn of_many(
    kind: CollectiveKind,
    software: &[Choice],
    estimator: &Estimator<'_>,
) -> Result<Vec<Estimated>, Error> {
    if matches!(kind, CollectiveKind::AllToAll | CollectiveKind::Barrier) {
        return all_of(estimator, software);
    }
    let (points, others): (Vec<Choice>, Vec<Choice>) = software
        .iter()
        .partition(|choice| choice.algorithm == Algorithm::PointToPoint);
    // Choices of a form stand together in what is offered, those with the fewest chunks first.
    let fewest: Vec<Option<(Estimated, &[Choice])>> = points
        .par_chunk_by(|a, b| a.point == b.point)
        .map(|choices| fewest_chunks(estimator, choices))
        .collect::<Result<_, Error>>()?;
    let mut fewest: Vec<(Estimated, &[Choice])> = fewest.into_iter().flatten().collect();
    if fewest.is_empty() {
        return all_of(estimator, &others);
    }
    fewest.sort_by(|(a, _), (b, _)| a.cycles.total_cmp(&b.cycles));
    let of_best = fewest.iter().take(MOST_FORMS);
    let of_best: Vec<Choice> = of_best.flat_map(|(_, further)| *further).copied().collect();
    let mut known: Vec<Estimated> = fewest.iter().map(|(one, _)| *one).collect();
    known.extend(all_of(estimator, &of_best)?);
    // What endpoints do, and the baselines of their papers, have no barriers either.
    let is_beside =
        |choice: &Choice| !choice.has_steps() && choice.num_steps(kind, estimator.members()) == 0;
    let others: Vec<Choice> = others.into_iter().filter(is_beside).collect();
    known.extend(all_of(estimator, &others)?);
    Ok(known)
}

// Which algorithm carries out a collective that the ranks of a program call.

/// The choice for a collective of a program: by `algorithm` where that can do it, else by `auto`.
///
/// # Errors
/// [`Error`] if the library has no algorithm for it on this network.
pub fn program_choice(
    network: &Network,
    collective: &Collective,
    algorithm: Option<Algorithm>,
) -> Result<Choice, Error> {
    let tally = Tally::new(Watch::new(&|_| true), 1);
    if let Some(named) = algorithm.filter(|a| runs_by(network, collective, *a)) {
        let request = AlgorithmRequest::Search(named);
        return Ok(best_of(network, collective, request, &tally)?.0);
    }
    let is_free = network.routers().is_deadlock_free && network.capabilities().are_chains_safe();
    let Some(network) = network.as_axi().filter(|_| !is_free) else {
        return Ok(best_of(network, collective, AlgorithmRequest::Auto, &tally)?.0);
    };
    // Calls of other communicators overlap this one, which no checker sees.
    let offered = choices_for_programs(&network, collective);
    Ok(pick(network, collective, offered, true)?.choice)
}
