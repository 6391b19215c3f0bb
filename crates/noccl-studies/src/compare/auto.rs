// SPDX-License-Identifier: Apache-2.0
//! `auto`: the algorithm that the model expects to be fastest.
//!
//! On the default network the network's own algorithms are several times faster than any software for
//! all collectives that they can do, so the question is which of them and with how many chunks; direct
//! sends compete where there is nothing else (all-to-all) and where a group is many multi-addresses. The published router is asked for nothing that it cannot do or may deadlock in.
//! Core tiles: `auto_cores`.

use crate::Error;
use noccl_coll::{Algorithm, Choice, CollError};
use noccl_model::{Calibration, Shape, all_reduce_once_cycles, predict_with};
use noccl_net::Network;
use noccl_workload::{Collective, CollectiveKind, check};

/// Preset that the calibrated constants hold for.
const FITTED_PRESET: &str = "collective_noc_4x4";

/// The choice that the model expects to be fastest among those the library offers.
pub(crate) fn auto_choice(
    network: &Network,
    collective: &Collective,
    known: &[Choice],
) -> Result<Choice, Error> {
    let routers = network.routers();
    let able = known.iter().copied();
    if routers.carries_lists_only() {
        let lists: Vec<Choice> = able
            .filter(|c| c.algorithm == Algorithm::InNetworkList)
            .collect();
        return by_prediction(network, collective, &lists);
    }
    if !routers.is_deadlock_free {
        let overlaps = collective.kind.has_blocks();
        let safe: Vec<Choice> = able
            .filter(|c| !(overlaps && c.algorithm.is_in_network()))
            .collect();
        return by_prediction(network, collective, &safe);
    }
    let shape = Shape::new(network, collective)?;
    let mut best: Option<(f64, Choice)> = None;
    for choice in able {
        let cycles = if choice.algorithm == Algorithm::InNetworkOnce {
            once_cycles(network, collective, choice)?
        } else {
            estimate(&shape, collective.kind, choice.algorithm)
        };
        if let Some(cycles) = cycles
            && best.is_none_or(|(least, _)| cycles < least)
        {
            best = Some((cycles, choice));
        }
    }
    match best {
        Some((_, choice)) => Ok(choice),
        None => by_prediction(network, collective, known),
    }
}

/// Cycles of an algorithm that is worth taking on the default network; none for the others.
fn estimate(shape: &Shape, kind: CollectiveKind, algorithm: Algorithm) -> Option<f64> {
    match (algorithm, kind) {
        (Algorithm::InNetwork, CollectiveKind::AllGather) => {
            Some(shape.all_gather_in_network_cycles())
        }
        (Algorithm::InNetwork, CollectiveKind::ReduceScatter) => {
            Some(shape.reduce_scatter_in_network_cycles())
        }
        // For groups that one transaction cannot do, and then the only one of the network's.
        (Algorithm::InNetwork, CollectiveKind::AllReduce) => Some(f64::MAX),
        // The only one of the network's for these collectives: nothing to compare it with.
        (Algorithm::InNetwork, _) => Some(0.0),
        (Algorithm::InNetworkLines, CollectiveKind::AllGather) => {
            Some(shape.all_gather_lines_cycles())
        }
        (Algorithm::InNetworkLines, _) => Some(shape.reduce_scatter_lines_cycles()),
        (Algorithm::Pairwise, _) => Some(shape.pairwise_cycles()),
        (Algorithm::RowColumn, CollectiveKind::AllToAll) => Some(shape.row_column_cycles()),
        (Algorithm::Slotted, _) => Some(shape.slotted_cycles()),
        (
            Algorithm::Unicast
            | Algorithm::Chain
            | Algorithm::Tree
            | Algorithm::RowColumn
            | Algorithm::DoubleTree
            | Algorithm::Ring
            | Algorithm::InNetworkOnce
            | Algorithm::InNetworkList
            | Algorithm::InNetworkStatic
            | Algorithm::Torus
            | Algorithm::Rounds
            | Algorithm::Planned
            | Algorithm::RecursiveDoubling
            | Algorithm::Dissemination
            | Algorithm::PointToPoint
            | Algorithm::Chainwrite
            | Algorithm::Counter,
            _,
        ) => None,
    }
}

/// Cycles of an all-reduce in one transaction.
fn once_cycles(
    network: &Network,
    collective: &Collective,
    choice: Choice,
) -> Result<Option<f64>, Error> {
    let schedule = noccl_coll::schedule(network, collective, choice)?;
    let reductions = schedule
        .actions
        .iter()
        .filter_map(|a| a.kind.network_fold());
    let cycles = reductions
        .filter(|fold| fold.is_shared)
        .find_map(|fold| all_reduce_once_cycles(network, fold.reduction));
    Ok(cycles.map(|c| c as f64))
}

/// The shortest prediction of the calibrated model, schedule by schedule.
fn by_prediction(
    network: &Network,
    collective: &Collective,
    known: &[Choice],
) -> Result<Choice, Error> {
    // What tells software algorithms apart, steps and barriers, differs little from spec to spec.
    let calibration = Calibration::shipped()?;
    let constants = &calibration.constants_for(&crate::load_spec(FITTED_PRESET, &[])?)?;
    let mut best: Option<(f64, Choice)> = None;
    for choice in known {
        let schedule = noccl_coll::schedule(network, collective, *choice)?;
        if check(network, &schedule).is_err() {
            continue;
        }
        let cycles = predict_with(network, &schedule, constants)?.cycles;
        if best.is_none_or(|(least, _)| cycles < least) {
            best = Some((cycles, *choice));
        }
    }
    best.map(|(_, choice)| choice).ok_or_else(|| {
        Error::from(CollError::Impossible(format!(
            "auto: no algorithm of the library does this {} here; accepted: another group or size",
            collective.kind
        )))
    })
}
