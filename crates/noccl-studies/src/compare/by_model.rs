// SPDX-License-Identifier: Apache-2.0
//! The same comparison by the analytic model: no run, no bytes; schedules are proved by the checker.

use super::row::Backend;
use super::search::Family;
use super::{
    CompareRequest, CompareRow, Comparison, LinkFlits, Outcome, collect_rows, pending, row_of,
};
use crate::{Error, Verified};
use noccl_coll::Choice;
use noccl_model::{Calibration, Constants, Prediction, predict_with};
use noccl_net::Network;
use noccl_run::LinkLoad;
use noccl_workload::{Collective, Schedule};
use rayon::prelude::*;

/// As [`crate::compare()`], by the model with the constants of a calibration.
///
/// Energy counts the same events as a run; link loads are those of the wide plane.
///
/// # Errors
/// [`Error::Model`] if the constants do not hold for this network; otherwise as [`crate::compare()`].
///
/// ```
/// use noccl_model::Calibration;
/// use noccl_studies::CompareRequest;
/// use noccl_workload::CollectiveKind;
/// let network = noccl_studies::load("collective_noc_8x8", &[])?.network;
/// let group = noccl_studies::parse_group(&network, "row")?;
/// let request = CompareRequest::new(CollectiveKind::Multicast, group, vec![4096]);
/// let rows = noccl_studies::compare_by_model(&network, &request, &Calibration::shipped()?)?.rows;
/// assert!(rows.iter().all(|row| row.cycles >= row.lower_bound_cycles));
/// # Ok::<(), noccl_studies::Error>(())
/// ```
pub fn compare_by_model(
    network: &Network,
    request: &CompareRequest,
    calibration: &Calibration,
) -> Result<Comparison, Error> {
    if request.is_lock_step || request.noise.is_some() {
        let option = if request.is_lock_step {
            "--lock-step"
        } else {
            "--noise"
        };
        let accepted = "accepted: the backend sim; the model has neither";
        return Err(Error::argument(option, "with the model", accepted));
    }
    // Of core tiles every cost stands in the spec.
    let constants = &match network.cores() {
        Some(_) => Constants::default(),
        None => calibration.constants_for(network.spec())?,
    };
    let outcomes = pending(network, request, false)?
        .par_iter()
        .map(|(collective, family)| {
            let row = row(network, collective, family, request, constants);
            (family.name(), row)
        })
        .collect();
    collect_rows(network, request, outcomes)
}

fn row(
    network: &Network,
    collective: &Collective,
    family: &Family,
    request: &CompareRequest,
    constants: &Constants,
) -> Result<CompareRow, Error> {
    let (choice, schedule, prediction) = best(network, collective, family, constants)?;
    noccl_workload::check(network, &schedule)?;
    let loads: Vec<LinkLoad> = prediction
        .link_flits
        .iter()
        .map(|(link, beats)| LinkLoad {
            link: *link,
            flits: *beats,
        })
        .collect();
    let links: Vec<LinkFlits> = if request.has_links {
        crate::runs::link_flits(network, &loads)
    } else {
        Vec::new()
    };
    let outcome = Outcome {
        backend: Backend::Model,
        cycles: prediction.cycles.round() as u64,
        counters: prediction.counters,
        busiest_link: crate::runs::busiest(network, &loads),
        verified: Verified::NotChecked,
        sum_error: None,
        links,
        noise: None,
        blocked_link_cycles: None,
    };
    let num_participants = network.members(&collective.group)?.len() as u32;
    row_of(
        network,
        collective,
        num_participants,
        choice,
        &schedule,
        outcome,
    )
}

/// The fastest choice of a family; the earliest of them if several are as fast.
fn best(
    network: &Network,
    collective: &Collective,
    family: &Family,
    constants: &Constants,
) -> Result<(Choice, Schedule, Prediction), Error> {
    let predicted = |choice: Choice| {
        let schedule = family.schedule(network, collective, choice)?;
        let prediction = predict_with(network, &schedule, constants)?;
        Ok::<_, Error>((choice, schedule, prediction))
    };
    let mut best = predicted(family.candidates[0])?;
    for choice in &family.candidates[1..] {
        let next = predicted(*choice)?;
        if next.2.cycles < best.2.cycles {
            best = next;
        }
    }
    Ok(best)
}
