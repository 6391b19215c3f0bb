// SPDX-License-Identifier: Apache-2.0
//! Which choices make one row, and the best of them.

use super::auto::auto_choice;
use super::row::AlgorithmRequest;
use super::runtime_cycles;
use crate::Error;
use noccl_coll::{Algorithm, Choice, choices, choices_of};
use noccl_net::Network;
use noccl_run::{Mode, RunConfig, Tally};
use noccl_sim::run_schedule;
use noccl_workload::Collective;
use rayon::prelude::*;

/// Choices of which only the fastest makes a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Family {
    pub(crate) candidates: Vec<Choice>,
}

impl Family {
    /// Name of the algorithm; with its parameters if there is but one choice.
    pub(crate) fn name(&self) -> String {
        match self.candidates.as_slice() {
            [only] => only.to_string(),
            [first, ..] => first.form_name(),
            [] => String::new(),
        }
    }
}

/// Families of a collective: each algorithm is one, except that a chain of one chunk (the naive
/// form) stands beside the pipelined ones.
pub(crate) fn families(
    network: &Network,
    collective: &Collective,
    requests: &[AlgorithmRequest],
) -> Result<Vec<Family>, Error> {
    let mut out = Vec::new();
    if requests.is_empty() {
        let known = all_choices(network, collective)?;
        for algorithm in Algorithm::ALL {
            out.extend(by_form(&known, algorithm));
        }
        // A barrier's shapes differ by more than a parameter: each has a row of its own.
        let shaped = known.iter().filter(|c| c.shape.is_some());
        out.extend(shaped.map(|c| vec![*c]));
    }
    for request in requests {
        match *request {
            AlgorithmRequest::Auto => {
                let known = all_choices(network, collective)?;
                out.push(vec![auto_choice(network, collective, &known)?]);
            }
            AlgorithmRequest::Fixed(choice) => out.push(vec![choice]),
            AlgorithmRequest::Search(algorithm) => {
                out.extend(searched(network, collective, algorithm)?);
            }
        }
    }
    Ok(out
        .into_iter()
        .map(|candidates| Family { candidates })
        .collect())
}

/// All choices; an error that says why there are none.
fn all_choices(network: &Network, collective: &Collective) -> Result<Vec<Choice>, Error> {
    let known = choices(network, collective);
    if known.is_empty() {
        noccl_coll::schedule(network, collective, Choice::new(Algorithm::InNetwork, 1))?;
    }
    Ok(known)
}

/// The choices of one algorithm; an error that says why it does not do this.
fn searched(
    network: &Network,
    collective: &Collective,
    algorithm: Algorithm,
) -> Result<Vec<Vec<Choice>>, Error> {
    let known = choices_of(network, collective, algorithm);
    if known.is_empty() {
        let choice = Choice::new(algorithm, 1);
        noccl_coll::schedule(network, collective, choice)?;
        return Ok(vec![vec![choice]]);
    }
    Ok(by_form(&known, algorithm))
}

/// The known choices of one algorithm without the shapes of barriers, the naive form apart.
fn by_form(known: &[Choice], algorithm: Algorithm) -> Vec<Vec<Choice>> {
    let of_algorithm = known
        .iter()
        .copied()
        .filter(|c| c.algorithm == algorithm && c.shape.is_none());
    let is_naive = |c: &Choice| matches!(c.algorithm, Algorithm::Chain) && c.chunks == 1;
    let (naive, rest): (Vec<Choice>, Vec<Choice>) = of_algorithm.partition(is_naive);
    // Forms of messages between cores differ by more than a parameter, too.
    let mut families = vec![naive];
    for choice in rest {
        let of_form = |family: &&mut Vec<Choice>| {
            let first = family.first();
            first.is_some_and(|f| f.messages == choice.messages)
        };
        match families[1..].iter_mut().find(of_form) {
            Some(family) => family.push(choice),
            None => families.push(vec![choice]),
        }
    }
    families.retain(|family| !family.is_empty());
    families
}

/// The fastest choice of one algorithm.
pub(crate) fn best_of(
    network: &Network,
    collective: &Collective,
    request: AlgorithmRequest,
    tally: &Tally<'_>,
) -> Result<Choice, Error> {
    let candidates = families(network, collective, &[request])?
        .into_iter()
        .flat_map(|f| f.candidates)
        .collect();
    best_choice(network, collective, &Family { candidates }, tally)
}

/// The fastest choice in timing mode; the earliest of them if several are as fast.
pub(crate) fn best_choice(
    network: &Network,
    collective: &Collective,
    family: &Family,
    tally: &Tally<'_>,
) -> Result<Choice, Error> {
    if let [only] = family.candidates.as_slice() {
        return Ok(*only);
    }
    let config = RunConfig::new(Mode::Timing);
    let cycles: Vec<Result<u64, Error>> = family
        .candidates
        .par_iter()
        .map(|choice| {
            let schedule = noccl_coll::schedule(network, collective, *choice)?;
            noccl_workload::check(network, &schedule)?;
            let result = tally.run(|on_progress| {
                run_schedule(network, &schedule, &[], &[], &config, on_progress)
            })?;
            Ok(runtime_cycles(Some(&schedule), &result.actions))
        })
        .collect();
    let mut best = (u64::MAX, family.candidates[0]);
    for (cycles, choice) in cycles.into_iter().zip(&family.candidates) {
        let cycles = cycles?;
        if cycles < best.0 {
            best = (cycles, *choice);
        }
    }
    Ok(best.1)
}
