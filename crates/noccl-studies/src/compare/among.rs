// SPDX-License-Identifier: Apache-2.0
//! The fastest of the choices that a caller allows: chosen as `auto` chooses, then simulated or estimated.

use super::estimates::Estimator;
use super::{
    Backend, CompareRequest, CompareRow, Outcome, auto, auto_cores, collective_of, row_of,
};
use crate::{AlgorithmRequest, Error, Verified, Watch};
use noccl_coll::{Choice, CollError};
use noccl_model::{Constants, estimate_cycles, predict_with};
use noccl_net::Network;
use noccl_workload::{Collective, Schedule};

/// How cycles are expected, which says how far they may be off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expectation {
    /// Software on networks of clusters, by the estimate of shared links.
    SharedLinks,
    /// Messages of core tiles, by the model that walks over them.
    Messages,
    /// Closed forms and schedules action by action, on networks that their constants are not fitted to.
    Rough,
}

/// The choice for the only size of a request among those allowed; `has_runs`: may short runs decide? On core tiles all are allowed.
pub(crate) fn choice_among(
    network: &Network,
    collective: &Collective,
    allowed: Vec<Choice>,
    has_runs: bool,
) -> Result<Choice, Error> {
    let Some(network) = network.as_axi() else {
        return Ok(auto_cores::pick(network, collective, has_runs)?.choice);
    };
    Ok(auto::pick(network, collective, allowed, has_runs)?.choice)
}

/// A row of one choice by the simulator, bytes compared.
pub(crate) fn simulated(
    network: &Network,
    request: &CompareRequest,
    choice: Choice,
    watch: Watch<'_>,
) -> Result<CompareRow, Error> {
    let mut request = request.clone();
    request.algorithms = vec![AlgorithmRequest::Fixed(choice)];
    let rows = super::compare(network, &request, watch)?.rows;
    rows.into_iter().next().ok_or_else(|| {
        let text = format!("{choice} has no row");
        Error::from(CollError::Impossible(text))
    })
}

/// A row of one choice by the estimates that rank the choices of `auto`; nothing runs, no bytes move.
pub(crate) fn expected(
    network: &Network,
    request: &CompareRequest,
    bytes: u64,
    choice: Choice,
) -> Result<(CompareRow, Expectation), Error> {
    let collective = collective_of(network, request, bytes)?;
    let schedule = noccl_coll::schedule(network, &collective, choice)?;
    let (cycles, by) = expected_cycles(network, &collective, choice, &schedule)?;
    // Events are counted action by action, whatever the constants.
    let counted = predict_with(network, &schedule, &Constants::default()).ok();
    let has_energy = counted.is_some();
    let outcome = Outcome {
        backend: Backend::Model,
        cycles: cycles.round() as u64,
        counters: counted.map_or_else(Default::default, |prediction| prediction.counters),
        busiest_link: None,
        verified: Verified::NotChecked,
        sum_error: None,
        links: Vec::new(),
        noise: None,
        blocked_link_cycles: None,
    };
    let num_participants = network.members(&collective.group)?.len() as u32;
    let mut row = row_of(
        network,
        &collective,
        num_participants,
        choice,
        &schedule,
        outcome,
    )?;
    row.energy_pj = row.energy_pj.filter(|_| has_energy);
    Ok((row, by))
}

fn expected_cycles(
    network: &Network,
    collective: &Collective,
    choice: Choice,
    schedule: &Schedule,
) -> Result<(f64, Expectation), Error> {
    let Some(network) = network.as_axi() else {
        let prediction = predict_with(network, schedule, &Constants::default())?;
        return Ok((prediction.cycles, Expectation::Messages));
    };
    if !choice.algorithm.is_in_network()
        && let Ok(estimate) = estimate_cycles(&network, schedule)
    {
        return Ok((estimate.cycles, Expectation::SharedLinks));
    }
    let known = Estimator::new(network, collective)?.of(choice)?;
    let cycles = known.map(|one| one.cycles).ok_or_else(|| {
        let text = format!(
            "{choice} for {}: no estimate knows its cycles",
            collective.kind
        );
        Error::from(CollError::Impossible(text))
    })?;
    Ok((cycles, Expectation::Rough))
}
