// SPDX-License-Identifier: Apache-2.0
//! Which choices make one row, and the best of them.

use super::row::AlgorithmRequest;
use super::{auto, auto_cores, runtime_cycles};
use crate::Error;
use noccl_coll::{Algorithm, Choice, choices, choices_of, offered};
use noccl_net::Network;
use noccl_run::{Mode, RunConfig, Tally};
use noccl_sim::run_schedule;
use noccl_workload::{Collective, Schedule};
use rayon::prelude::*;

/// Choices of which only the fastest makes a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Family {
    pub(crate) candidates: Vec<Choice>,
    /// How `auto` has found its choice, where that differs from case to case.
    picked: Option<String>,
}

impl Family {
    const fn of(candidates: Vec<Choice>) -> Self {
        Self {
            candidates,
            picked: None,
        }
    }

    /// The choice of `auto`; `has_runs`: may runs decide, where that is cheap?
    fn auto(network: &Network, collective: &Collective, has_runs: bool) -> Result<Self, Error> {
        let picked = match network.as_axi() {
            None => auto_cores::pick(network, collective, has_runs)?,
            Some(axi) => auto::pick(axi, collective, offered(network, collective), has_runs)?,
        };
        Ok(Self {
            candidates: vec![picked.choice],
            picked: Some(picked.by),
        })
    }

    /// The schedule of one of its choices, with how `auto` has found it among the parameters.
    pub(crate) fn schedule(
        &self,
        network: &Network,
        collective: &Collective,
        choice: Choice,
    ) -> Result<Schedule, Error> {
        let mut schedule = noccl_coll::schedule(network, collective, choice)?;
        if let Some(picked) = &self.picked {
            let parameters = &mut schedule.parameters;
            parameters.insert("picked_by".to_owned(), picked.clone());
        }
        Ok(schedule)
    }

    /// The same with fewer choices.
    pub(crate) fn with(self, candidates: Vec<Choice>) -> Self {
        Self { candidates, ..self }
    }

    /// Name of the algorithm; with its parameters if there is but one choice.
    pub(crate) fn name(&self) -> String {
        match self.candidates.as_slice() {
            [only] => only.to_string(),
            [first, ..] => first.form_name(),
            [] => String::new(),
        }
    }
}

/// Families of a collective (`has_runs`: may runs decide what `auto` takes?): each algorithm is one, except that a chain of one chunk (the naive
/// form) stands beside the pipelined ones.
pub(crate) fn families(
    network: &Network,
    collective: &Collective,
    requests: &[AlgorithmRequest],
    has_runs: bool,
) -> Result<Vec<Family>, Error> {
    let mut out = Vec::new();
    if requests.is_empty() {
        out = families_of(&all_choices(network, collective)?);
    }
    for request in requests {
        match *request {
            AlgorithmRequest::Auto => out.push(Family::auto(network, collective, has_runs)?),
            AlgorithmRequest::Fixed(choice) => out.push(Family::of(vec![choice])),
            AlgorithmRequest::Search(algorithm) => {
                let found = searched(network, collective, algorithm)?;
                out.extend(found.into_iter().map(Family::of));
            }
        }
    }
    Ok(out)
}

/// The families of these choices.
pub(crate) fn families_of(known: &[Choice]) -> Vec<Family> {
    let mut out = Vec::new();
    for algorithm in Algorithm::ALL {
        out.extend(by_form(known, algorithm).into_iter().map(Family::of));
    }
    // A barrier's shapes differ by more than a parameter: each has a row of its own.
    let shaped = known.iter().filter(|c| c.shape.is_some());
    out.extend(shaped.map(|c| Family::of(vec![*c])));
    out
}

/// All choices; an error that says why there are none.
fn all_choices(network: &Network, collective: &Collective) -> Result<Vec<Choice>, Error> {
    let known = choices(network, collective);
    if known.is_empty() {
        // What is offered says what it lacks: memory, a size, a group.
        for choice in offered(network, collective) {
            noccl_coll::schedule(network, collective, choice)?;
        }
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

/// What `auto` takes, and how it has found that.
pub(crate) fn auto_choice_of(
    network: &Network,
    collective: &Collective,
) -> Result<(Choice, Option<String>), Error> {
    let family = Family::auto(network, collective, true)?;
    Ok((family.candidates[0], family.picked))
}

/// The schedule of the fastest choice of one algorithm, and that choice.
pub(crate) fn best_of(
    network: &Network,
    collective: &Collective,
    request: AlgorithmRequest,
    tally: &Tally<'_>,
) -> Result<(Choice, Schedule), Error> {
    let mut families = families(network, collective, &[request], true)?.into_iter();
    let mut whole = families.next().unwrap_or(Family::of(Vec::new()));
    whole.candidates.extend(families.flat_map(|f| f.candidates));
    let choice = best_choice(network, collective, &whole, tally)?;
    Ok((choice, whole.schedule(network, collective, choice)?))
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
    // Where nothing that the library makes can deadlock, the fastest alone is proved, by whoever runs it with data.
    let is_free = network.routers().is_deadlock_free && network.capabilities().are_chains_safe();
    let cycles: Vec<Result<u64, Error>> = family
        .candidates
        .par_iter()
        .map(|choice| {
            let schedule = noccl_coll::schedule(network, collective, *choice)?;
            if !is_free {
                noccl_workload::check(network, &schedule)?;
            }
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
