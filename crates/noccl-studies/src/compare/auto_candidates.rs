// SPDX-License-Identifier: Apache-2.0
//! Which choices `auto` makes a schedule of, to estimate it.
//!
//! A schedule over many members takes long to make. So of more than a few members what surely loses is left out: all software, where the
//! network's own algorithm is below the bound of software; algorithms with barriers, where there are some without; numbers
//! of pieces of forms that are slow with one.

use super::estimates::{Estimated, Estimator};
use crate::Error;
use noccl_coll::{Algorithm, Choice, offered};
use noccl_model::bounds;
use noccl_net::Network;
use noccl_workload::{Collective, CollectiveKind};
use rayon::prelude::*;

/// Among so many members everything is estimated. Measured: of more the fastest is never one with barriers.
const FEW_MEMBERS: u64 = 16;
/// Forms whose numbers of pieces are looked at; the best one was among them in every case measured.
const MOST_FORMS: usize = 4;

/// Estimates of all choices worth one, the least first.
pub(super) fn estimates(
    network: &Network,
    collective: &Collective,
    estimator: &Estimator<'_>,
) -> Result<Vec<Estimated>, Error> {
    let (own, software): (Vec<Choice>, Vec<Choice>) = offered(network, collective)
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

/// Of a form the choice with the fewest pieces that can be done (whole payloads may not fit into the memories), and those with more.
fn fewest_pieces<'c>(
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

/// Software over many members: without barriers, and of each form first the fewest pieces.
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
    // Choices of a form stand together in what is offered, those with the fewest pieces first.
    let fewest: Vec<Option<(Estimated, &[Choice])>> = points
        .par_chunk_by(|a, b| a.point == b.point)
        .map(|choices| fewest_pieces(estimator, choices))
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
