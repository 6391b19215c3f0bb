// SPDX-License-Identifier: Apache-2.0
//! `auto`: the algorithm that the model expects to be fastest.
//!
//! On the default network the network's own algorithms are several times faster than any software for
//! all collectives that they can do, so the question is which of them and with how many chunks; direct
//! sends compete where there is nothing else (all-to-all) and where a group is many multi-addresses. The published router is asked for nothing that it cannot do or may hang in.

use crate::Error;
use noccl_coll::{Algorithm, Choice, CollError};
use noccl_model::{Calibration, Shape, predict_with};
use noccl_net::Network;
use noccl_spec::RouterFlow;
use noccl_workload::{Collective, CollectiveKind, check};

/// Preset that the calibrated constants hold for.
const FITTED_PRESET: &str = "collective_noc_4x4";

/// The choice that the model expects to be fastest among those the library offers.
pub(crate) fn auto_choice(
    network: &Network,
    collective: &Collective,
    known: &[Choice],
) -> Result<Choice, Error> {
    match network.spec().router.flow {
        RouterFlow::NonBlocking => {
            let shape = Shape::new(network, collective)?;
            let expected = known
                .iter()
                .filter_map(|c| Some((estimate(&shape, collective.kind, c.algorithm)?, *c)));
            let best = expected.min_by(|(a, _), (b, _)| a.total_cmp(b));
            match best {
                Some((_, choice)) => Ok(with_chunks(network, collective, choice, &shape)),
                None => by_prediction(network, collective, known),
            }
        }
        RouterFlow::PeerCompatible => {
            let overlaps = collective.kind.has_blocks();
            let safe: Vec<Choice> = known
                .iter()
                .copied()
                .filter(|c| !(overlaps && c.algorithm.is_in_network()))
                .collect();
            by_prediction(network, collective, &safe)
        }
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
            Algorithm::Chain
            | Algorithm::Tree
            | Algorithm::RowColumn
            | Algorithm::DoubleTree
            | Algorithm::Ring
            | Algorithm::Counter,
            _,
        ) => None,
    }
}

/// An all-reduce is cut into segments where the group is one multi-address.
fn with_chunks(
    network: &Network,
    collective: &Collective,
    choice: Choice,
    shape: &Shape,
) -> Choice {
    if (choice.algorithm, collective.kind) != (Algorithm::InNetwork, CollectiveKind::AllReduce) {
        return choice;
    }
    let cut = Choice {
        chunks: shape.all_reduce_chunks(),
        ..choice
    };
    match noccl_coll::schedule(network, collective, cut) {
        Ok(_) => cut,
        Err(_) => Choice {
            chunks: 1,
            ..choice
        },
    }
}

/// The shortest prediction of the calibrated model, schedule by schedule.
fn by_prediction(
    network: &Network,
    collective: &Collective,
    known: &[Choice],
) -> Result<Choice, Error> {
    // What tells software algorithms apart, steps and barriers, differs little from spec to spec.
    let calibration = Calibration::shipped()?;
    let constants = calibration.constants_for(&crate::load_spec(FITTED_PRESET, &[])?)?;
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
