// SPDX-License-Identifier: Apache-2.0
//! `auto`: estimates rank everything that a comparison would try, and short runs decide between the first.
//!
//! Software is ranked by the estimate of shared links, what the network does by closed forms (`estimates`). Both are a few percent off, so
//! the first few of each are run in timing mode. All of that is bounded: choices of too many messages are left out, and runs of too many
//! beats are not made. What was done is said with the choice. Core tiles: `auto_cores`.

use super::auto_candidates::estimates;
use super::estimates::{Estimated, Estimator};
use super::{is_refusal, runtime_cycles};
use crate::Error;
use noccl_coll::{Choice, CollError, offered};
use noccl_net::Network;
use noccl_run::{Mode, RunConfig};
use noccl_sim::run_schedule;
use noccl_workload::{Collective, check};
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

/// The choice for a collective; `has_runs`: may the simulator decide?
pub(super) fn pick(
    network: &Network,
    collective: &Collective,
    has_runs: bool,
) -> Result<Picked, Error> {
    let estimator = Estimator::new(network, collective)?;
    let known = estimates(network, collective, &estimator)?;
    let num = known.len();
    let near = if has_runs { near(&known) } else { Vec::new() };
    // What is expected roughly may be refused too.
    let is_open = near.len() > 1 || near.iter().any(|one| one.is_rough);
    if is_open && let Some((choice, num_runs)) = fastest(network, collective, &near)? {
        let by = format!("runs of {num_runs}, of {num} choices");
        return Ok(Picked { choice, by });
    }
    match first_that_can(network, collective, &known, has_runs)? {
        Some(choice) => Ok(Picked {
            choice,
            by: format!("the model, of {num} choices"),
        }),
        None => nothing(network, collective),
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
