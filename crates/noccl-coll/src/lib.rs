// SPDX-License-Identifier: Apache-2.0
//! The algorithm library: (collective, group, network) → schedule.
//!
//! Algorithms are named by structure and parameters, not by paper; `docs/algorithms.md` describes
//! each with its fold order and maps S1's names. What they yield is trusted by nobody: the checker of
//! `noccl-workload` proves every schedule. Invariant: a schedule of this library touches the memory of
//! members and root only, inputs and outputs where the collective says, scratch above them.

mod builder;
mod choice;
mod compose;
mod error;
pub mod gemm;
mod group;
mod in_network;
mod layout;
mod multicast;
mod order;
mod reduce;
mod steps;
mod survey;
mod sync;

pub use choice::{Algorithm, Choice, Forwarding, Inner};
pub use error::CollError;
pub use survey::choices;

use compose::Task;
use group::Group;
use noccl_net::Network;
use noccl_workload::{
    BarrierMechanism, Collective, CollectiveKind, ElementType, Operator, SCHEDULE_FORMAT, Schedule,
};

/// The schedule of a collective by one choice. A payload of no bytes yields no actions.
///
/// # Errors
/// [`CollError`] naming what is impossible and what would be accepted.
pub fn schedule(
    network: &Network,
    collective: &Collective,
    choice: Choice,
) -> Result<Schedule, CollError> {
    validate(collective, choice)?;
    let group = Group::new(network, collective)?;
    let task = Task {
        network,
        collective,
        group: &group,
        choice,
    };
    let is_empty = collective.kind != CollectiveKind::Barrier && collective.bytes == 0;
    let actions = match choice.algorithm {
        _ if is_empty => Vec::new(),
        Algorithm::Chain | Algorithm::Tree | Algorithm::RowColumn => task.in_steps()?,
        Algorithm::Counter => task.barrier(BarrierMechanism::Software)?,
        Algorithm::InNetwork if collective.kind == CollectiveKind::Barrier => {
            task.barrier(BarrierMechanism::InNetwork)?
        }
        Algorithm::InNetwork => task.by_network()?,
    };
    Ok(Schedule {
        format: SCHEDULE_FORMAT,
        algorithm: choice.algorithm.to_string(),
        parameters: choice.parameters(task.chunks().len() as u32),
        collective: Some(collective.clone()),
        actions,
    })
}

/// What can be wrong whatever the network.
fn validate(collective: &Collective, choice: Choice) -> Result<(), CollError> {
    let kind = collective.kind;
    if (kind == CollectiveKind::Barrier && choice.has_steps())
        || (kind != CollectiveKind::Barrier && choice.algorithm == Algorithm::Counter)
    {
        return Err(CollError::Unsupported {
            algorithm: choice.algorithm.to_string(),
            collective: kind_name(kind).to_owned(),
            reason: "accepted: counter and in_network for a barrier; chain, tree, row_column and \
                     in_network for everything else"
                .to_owned(),
        });
    }
    if choice.chunks == 0 {
        return Err(CollError::Impossible(
            "chunks = 0; accepted: 1 or more".to_owned(),
        ));
    }
    if kind == CollectiveKind::Barrier {
        return Ok(());
    }
    let element = collective.element;
    if !collective.bytes.is_multiple_of(element.bytes()) {
        return Err(CollError::Impossible(format!(
            "{} bytes are no whole number of {element:?} elements; accepted: multiples of {}",
            collective.bytes,
            element.bytes()
        )));
    }
    let is_bitwise = matches!(collective.operator, Operator::And | Operator::Or);
    if kind != CollectiveKind::Multicast && is_bitwise && is_float(element) {
        return Err(CollError::Impossible(format!(
            "operator {:?} on {element:?}; accepted: sum, min and max, or an integer type",
            collective.operator
        )));
    }
    Ok(())
}

const fn is_float(element: ElementType) -> bool {
    match element {
        ElementType::Fp64
        | ElementType::Fp32
        | ElementType::Fp16
        | ElementType::Bf16
        | ElementType::Fp8E4m3
        | ElementType::Fp8E5m2 => true,
        ElementType::Int8 | ElementType::Int16 | ElementType::Int32 | ElementType::Int64 => false,
    }
}

/// Name of a collective in messages.
pub(crate) const fn kind_name(kind: CollectiveKind) -> &'static str {
    match kind {
        CollectiveKind::Multicast => "multicast",
        CollectiveKind::Reduce => "reduce",
        CollectiveKind::AllReduce => "all_reduce",
        CollectiveKind::Barrier => "barrier",
    }
}
