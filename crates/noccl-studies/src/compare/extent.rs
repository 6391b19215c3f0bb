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
use noccl_coll::{Algorithm, Choice, offered};
use noccl_net::{AxiNetwork, Network};
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
        || request.noise.is_some();
    let Some(axi) = network.as_axi().filter(|_| !runs_all) else {
        let pending = pending(network, request, true)?.into_iter();
        let works = pending.map(|(collective, family)| RowWork::run(&collective, family));
        return Ok(works.collect());
    };
    let mut works = Vec::new();
    for bytes in sizes(request)? {
        let collective = collective_of(network, request, bytes)?;
        works.extend(of_size(axi, &collective)?);
    }
    if works.is_empty() {
        // Says why there is nothing.
        pending(network, request, true)?;
    }
    Ok(works)
}

/// A choice that has a schedule, with its estimate if that is firm.
type Estimable = (Choice, Option<Estimated>);

fn of_size(network: AxiNetwork<'_>, collective: &Collective) -> Result<Vec<RowWork>, Error> {
    let estimator = Estimator::new(network, collective)?;
    let has_schedule = |choice: Choice| noccl_coll::schedule(&network, collective, choice).is_ok();
    let look = |choice: &Choice| {
        let estimate = match choice.algorithm.is_in_network() {
            true => None,
            false => estimator.of(*choice)?.filter(|one| !one.is_rough),
        };
        let is_known = estimate.is_some() || has_schedule(*choice);
        Ok::<_, Error>(is_known.then_some((*choice, estimate)))
    };
    let cost = |one: &Estimated| one.flit_hops + one.events * FLIT_HOPS_PER_EVENT;
    let is_cheap = |of: &[Estimated]| of.iter().map(cost).sum::<f64>() <= FREE_FLIT_HOPS;
    let offered = offered(&network, collective);
    let mut forms: Vec<FormChoices<'_>> = offered
        .par_chunk_by(|a, b| Choice { chunks: 1, ..*a } == Choice { chunks: 1, ..*b })
        .map(|choices| FormChoices::begun(choices, &look))
        .collect::<Result<_, Error>>()?;
    let firsts: Vec<Estimated> = forms.iter().filter_map(FormChoices::least).collect();
    let others: Option<&[Estimated]> = (!is_cheap(&firsts)).then_some(&firsts);
    forms
        .par_iter_mut()
        .try_for_each(|form| form.go_on(others, &look))?;
    let in_order = |mut form: FormChoices<'_>| {
        form.known.sort_by_key(|(choice, _)| choice.chunks);
        form.known
    };
    let known: Vec<Estimable> = forms.into_iter().flat_map(in_order).collect();
    let choices: Vec<Choice> = known.iter().map(|(choice, _)| *choice).collect();
    let firm: Vec<Estimated> = known.iter().filter_map(|(_, one)| *one).collect();
    let (is_cheap, least) = (is_cheap(&firm), least_of(firm.iter()));
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

/// The least estimate.
fn least_of<'e>(all: impl Iterator<Item = &'e Estimated>) -> f64 {
    all.map(|one| one.cycles).fold(f64::INFINITY, f64::min)
}

/// Choices that differ in their chunks alone, and those of them that may be the best one.
struct FormChoices<'c> {
    known: Vec<Estimable>,
    /// What has not been looked at, in the order of the chunks.
    left: &'c [Choice],
}

impl<'c> FormChoices<'c> {
    /// Looks at choices up to the first one with a firm estimate.
    fn begun(choices: &'c [Choice], look: &Look<'_>) -> Result<Self, Error> {
        let (known, left) = (Vec::new(), choices);
        let mut form = Self { known, left };
        while let Some((choice, left)) = form.left.split_first() {
            form.left = left;
            form.known.extend(look(choice)?);
            if form.least().is_some() {
                break;
            }
        }
        Ok(form)
    }

    fn least(&self) -> Option<Estimated> {
        let firm = self.known.iter().filter_map(|(_, one)| *one);
        firm.min_by(|a, b| a.cycles.total_cmp(&b.cycles))
    }

    /// Looks at what is left. The first choices of all forms are `others`, where not all is run.
    ///
    /// Twice as many chunks at most halve the cycles. So a form that loses however many it has is looked at from the middle towards
    /// its best choice, and a choice that cannot be near the best of its family is not looked at.
    fn go_on(&mut self, others: Option<&[Estimated]>, look: &Look<'_>) -> Result<(), Error> {
        let (Some(first), Some(last)) = (self.least(), self.left.last()) else {
            return Ok(());
        };
        let at_best = |choice: &Choice| {
            first.cycles * f64::from(first.choice.chunks) / f64::from(choice.chunks)
        };
        let Some(others) = others else {
            return self.walk(self.left.iter(), 1.0 + ESTIMATE_ERROR, look);
        };
        if !may_be_less(at_best(last), least_of(others.iter())) {
            let (fewer, more) = self.left.split_at(self.left.len() / 2);
            self.walk(more.iter(), 1.0, look)?;
            return self.walk(fewer.iter().rev(), 1.0, look);
        }
        let of_family = |one: &&Estimated| {
            let is_naive = one.choice.algorithm == Algorithm::Chain && one.choice.chunks == 1;
            one.choice.algorithm == first.choice.algorithm && !is_naive
        };
        let least = least_of(others.iter().filter(of_family));
        let near = self.left.iter();
        let near = near.filter(|choice| may_be_less(at_best(choice), least));
        self.walk(near, 1.0 + ESTIMATE_ERROR, look)
    }

    /// Looks at choices until their estimates have risen by this factor: from there on further chunks, each of which costs as much
    /// again, only lose more.
    fn walk<'w>(
        &mut self,
        choices: impl Iterator<Item = &'w Choice>,
        tolerance: f64,
        look: &Look<'_>,
    ) -> Result<(), Error> {
        for choice in choices {
            let least = self.least().map_or(f64::INFINITY, |one| one.cycles);
            match look(choice)? {
                Some((_, Some(one))) if one.cycles > least * tolerance => break,
                found => self.known.extend(found),
            }
        }
        Ok(())
    }
}

/// Looks at a choice; none without a schedule.
type Look<'l> = dyn Fn(&Choice) -> Result<Option<Estimable>, Error> + Sync + 'l;

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
