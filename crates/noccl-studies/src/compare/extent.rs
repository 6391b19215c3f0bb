// SPDX-License-Identifier: Apache-2.0
//! What of a comparison of all algorithms is simulated: whoever looks for the fastest should not wait for those that surely lose.
//!
//! Runs of software are within 20 % of their estimates (`ESTIMATE_ERROR`; the tests hold estimates against runs). So a family whose
//! least estimate, less that, is above the least estimate of all software plus that cannot win: where its runs cost much, its row is
//! the estimate. The same holds for the choices within a family. What the network does has no firm estimate, and is always run.

use super::case::collective_of;
use super::estimates::{Estimated, Estimator};
use super::search::{Family, families_of};
use super::{CompareRequest, EstimateRange, Extent, pending, sizes};
use crate::Error;
use noccl_coll::{Choice, offered};
use noccl_net::Network;
use noccl_workload::{Collective, CollectiveKind};
use rayon::prelude::*;

/// How far the run of software is from its estimate, as a fraction of the estimate.
const ESTIMATE_ERROR: f64 = 0.2;
/// Of a family that may win at most so many choices are run.
const MOST_RUNS: usize = 8;
/// Beats over links that are simulated of a size whether they can win or not: a third of a second of one processor.
const FREE_FLIT_HOPS: f64 = 8e6;
/// What an action or a member of a barrier costs in a run, in beats over links.
const FLIT_HOPS_PER_EVENT: f64 = 50.0;

/// One row to be made.
pub(super) struct RowWork {
    pub(super) collective: Collective,
    pub(super) family: Family,
    /// The estimate that stands in place of a run.
    pub(super) estimated: Option<Estimated>,
}

impl RowWork {
    fn run(collective: &Collective, family: Family) -> Self {
        Self {
            collective: collective.clone(),
            family,
            estimated: None,
        }
    }
}

/// Within which cycles the run of an estimate is.
pub(super) fn range_of(cycles: f64) -> EstimateRange {
    EstimateRange {
        least_cycles: (cycles * (1.0 - ESTIMATE_ERROR)).floor() as u64,
        most_cycles: (cycles * (1.0 + ESTIMATE_ERROR)).ceil() as u64,
    }
}

/// What each row is made by.
pub(super) fn works(network: &Network, request: &CompareRequest) -> Result<Vec<RowWork>, Error> {
    let runs_all = request.extent == Extent::All
        || !request.algorithms.is_empty()
        || request.collective == CollectiveKind::Barrier
        || request.is_lock_step
        || request.noise.is_some()
        || network.routers().carries_words();
    if runs_all {
        let pending = pending(network, request, true)?.into_iter();
        let works = pending.map(|(collective, family)| RowWork::run(&collective, family));
        return Ok(works.collect());
    }
    let mut works = Vec::new();
    for bytes in sizes(request)? {
        let collective = collective_of(network, request, bytes)?;
        works.extend(of_size(network, &collective)?);
    }
    if works.is_empty() {
        // Says why there is nothing.
        pending(network, request, true)?;
    }
    Ok(works)
}

/// A choice that has a schedule, with its estimate if that is firm.
type Estimable = (Choice, Option<Estimated>);

fn of_size(network: &Network, collective: &Collective) -> Result<Vec<RowWork>, Error> {
    let estimator = Estimator::new(network, collective)?;
    let offered = offered(network, collective);
    let forms: Vec<Vec<Estimable>> = offered
        .par_chunk_by(|a, b| Choice { chunks: 1, ..*a } == Choice { chunks: 1, ..*b })
        .map(|form| of_form(network, collective, &estimator, form))
        .collect::<Result<_, Error>>()?;
    let known: Vec<Estimable> = forms.concat();
    let choices: Vec<Choice> = known.iter().map(|(choice, _)| *choice).collect();
    let firm = known.iter().filter_map(|(_, one)| *one);
    let cost = |one: Estimated| one.flit_hops + one.events * FLIT_HOPS_PER_EVENT;
    let is_cheap = firm.clone().map(cost).sum::<f64>() <= FREE_FLIT_HOPS;
    let least = firm.map(|one| one.cycles).fold(f64::INFINITY, f64::min);
    let works = families_of(&choices).into_iter().map(|family| {
        let estimate = |choice: &Choice| known.iter().find(|(of, _)| of == choice)?.1;
        let firm: Option<Vec<Estimated>> = family.candidates.iter().map(estimate).collect();
        match firm {
            Some(firm) if !is_cheap => of_family(collective, family, firm, least),
            Some(_) | None => RowWork::run(collective, family),
        }
    });
    Ok(works.collect())
}

/// The choices of a form that may be its best one, in the order of their chunks: from where estimates have risen by their error on,
/// further chunks, each of which costs as much again, only lose more.
fn of_form(
    network: &Network,
    collective: &Collective,
    estimator: &Estimator<'_>,
    form: &[Choice],
) -> Result<Vec<Estimable>, Error> {
    let has_schedule = |choice: Choice| noccl_coll::schedule(network, collective, choice).is_ok();
    let mut known: Vec<Estimable> = Vec::new();
    let mut least = f64::INFINITY;
    for choice in form {
        let estimate = match choice.algorithm.is_in_network() {
            true => None,
            false => estimator.of(*choice)?.filter(|one| !one.is_rough),
        };
        match estimate {
            Some(one) if one.cycles > least * (1.0 + ESTIMATE_ERROR) => break,
            Some(one) => {
                least = least.min(one.cycles);
                known.push((*choice, Some(one)));
            }
            None if has_schedule(*choice) => known.push((*choice, None)),
            None => {}
        }
    }
    Ok(known)
}

/// Runs of the choices that may be the best of a family, or the estimate of its best one if that surely loses.
fn of_family(
    collective: &Collective,
    family: Family,
    mut firm: Vec<Estimated>,
    least: f64,
) -> RowWork {
    firm.sort_by(|a, b| a.cycles.total_cmp(&b.cycles));
    let Some(best) = firm.first().copied() else {
        return RowWork::run(collective, family);
    };
    if !may_be_less(best.cycles, least) {
        return RowWork {
            estimated: Some(best),
            ..RowWork::run(collective, family)
        };
    }
    firm.retain(|one| may_be_less(one.cycles, best.cycles));
    firm.truncate(MOST_RUNS);
    let mut near = family.candidates.clone();
    near.retain(|choice| firm.iter().any(|one| one.choice == *choice));
    RowWork::run(collective, family.with(near))
}

/// May the run of one estimate take no more cycles than that of another?
fn may_be_less(cycles: f64, than: f64) -> bool {
    cycles * (1.0 - ESTIMATE_ERROR) <= than * (1.0 + ESTIMATE_ERROR)
}
