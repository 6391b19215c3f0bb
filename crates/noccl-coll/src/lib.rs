// SPDX-License-Identifier: Apache-2.0
//! The algorithm library: (collective, group, network) → schedule.
//!
//! Algorithms are named by structure and parameters, not by paper; `docs/algorithms.md` describes
//! each with its fold order and maps S1's names. What they yield is trusted by nobody: the checker of
//! `noccl-workload` proves every schedule. Invariant: a schedule of this library touches the memory of
//! members and root only, inputs and outputs where the collective says, scratch above them. Exception: a reduction by
//! `in_network_once` overwrites the bytes at the output's offset in every member.

mod algorithm;
mod barrier;
mod builder;
mod candidates;
pub mod chain;
mod choice;
mod compose;
mod error;
mod exchange;
pub mod gemm;
mod group;
mod in_network;
mod layout;
mod messages;
mod order;
mod point_to_point;
mod steps;

pub use algorithm::Algorithm;
pub use barrier::{
    BarrierAlgorithm, BarrierShape, BarrierStructure, CounterPlace, barrier_schedule, centre,
};
pub use candidates::{choices, choices_among, choices_of, offered};
pub use choice::{
    Choice, Forwarding, Inner, LineForm, MessageForm, PointForm, RoundForm, RoundSync, TreeForm,
};
pub use error::CollError;
pub use point_to_point::dataflow::Dataflow;

use compose::Task;
use group::Group;
use noccl_net::Network;
use noccl_workload::{
    BarrierMechanism, Collective, CollectiveKind, SCHEDULE_FORMAT, Schedule, check_definition,
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
    if network.routers().carries_words() {
        return messages::schedule(network, collective, choice);
    }
    validate(collective, choice)?;
    let choice = choice.of_kind(collective.kind);
    let group = Group::new(network, collective)?;
    check_definition(collective, group.members.len())
        .map_err(|error| CollError::Impossible(error.to_string()))?;
    let task = Task {
        network,
        collective,
        group: &group,
        choice,
    };
    let is_empty = collective.kind != CollectiveKind::Barrier && collective.bytes == 0;
    let mut num_chunks = task.chunks().len();
    let actions = match choice.algorithm {
        _ if is_empty => Vec::new(),
        _ if let Some(shape) = choice.shape => task.shaped_barrier(shape)?,
        _ if collective.kind.has_blocks() && group.members.len() == 1 => task.alone()?,
        Algorithm::RowColumn if collective.kind.has_blocks() => task.in_blocks()?,
        Algorithm::DoubleTree | Algorithm::Ring if group.members.len() == 1 => task.in_steps()?,
        Algorithm::Chain | Algorithm::Tree | Algorithm::RowColumn => task.in_steps()?,
        Algorithm::DoubleTree => {
            let (actions, chunks) = task.by_double_tree()?;
            num_chunks = chunks;
            actions
        }
        Algorithm::Ring => task.by_ring()?,
        Algorithm::Counter => task.barrier(BarrierMechanism::Software)?,
        Algorithm::InNetwork if collective.kind == CollectiveKind::Barrier => {
            task.barrier(BarrierMechanism::InNetwork)?
        }
        Algorithm::InNetwork if !collective.kind.has_blocks() => task.by_network()?,
        Algorithm::InNetworkOnce => task.by_one_transaction()?,
        Algorithm::PointToPoint => task.by_messages()?,
        Algorithm::Chainwrite => task.by_endpoints()?,
        Algorithm::Unicast => task.by_unicasts()?,
        Algorithm::InNetworkList => task.by_list()?,
        Algorithm::InNetwork
        | Algorithm::InNetworkLines
        | Algorithm::Pairwise
        | Algorithm::Slotted
        | Algorithm::Torus
        | Algorithm::Rounds
        | Algorithm::Planned
        | Algorithm::RecursiveDoubling
        | Algorithm::Dissemination
        | Algorithm::InNetworkStatic => task.in_blocks()?,
    };
    let made = Choice {
        barrier: task.mechanism(choice.barrier),
        ..choice
    };
    let mut parameters = made.parameters(num_chunks as u32);
    if choice.algorithm == Algorithm::InNetworkList {
        parameters.insert("setting".to_owned(), task.esp_setting().to_owned());
    }
    if let Some(definition) = &collective.definition {
        parameters.insert("name".to_owned(), definition.name.clone());
    }
    if collective.kind.has_blocks() {
        // Blocks are not cut, and each algorithm has one structure.
        parameters
            .retain(|name, _| name == "barrier" || choice.algorithm == Algorithm::PointToPoint);
    }
    Ok(Schedule {
        format: SCHEDULE_FORMAT,
        first: None,
        claims_rounds: false,
        algorithm: choice.algorithm.to_string(),
        parameters,
        collective: Some(collective.clone()),
        actions,
    })
}

/// What can be wrong whatever the network.
fn validate(collective: &Collective, choice: Choice) -> Result<(), CollError> {
    let kind = collective.kind;
    let unsupported = |reason: String| CollError::Unsupported {
        algorithm: choice.to_string(),
        collective: kind.to_string(),
        reason,
    };
    if !choice.algorithm.does(kind) {
        let others = Algorithm::ALL.into_iter().filter(|a| a.does(kind));
        let others: Vec<&str> = others.map(Algorithm::name).collect();
        return Err(unsupported(format!("accepted: {}", others.join(", "))));
    }
    let is_cut = match (choice.algorithm, kind) {
        (Algorithm::InNetwork, _) => kind == CollectiveKind::AllReduce,
        // Blocks and chunks are sent as they are.
        (
            _,
            CollectiveKind::AllToAll
            | CollectiveKind::Scatter
            | CollectiveKind::Gather
            | CollectiveKind::Custom,
        ) => false,
        (algorithm, _) => !kind.has_blocks() || algorithm == Algorithm::PointToPoint,
    };
    let is_whole = matches!(
        choice.algorithm,
        Algorithm::InNetworkOnce
            | Algorithm::Chainwrite
            | Algorithm::Unicast
            | Algorithm::InNetworkList
    );
    if choice.chunks > 1 && (!is_cut || is_whole) {
        return Err(unsupported("accepted: one chunk".to_owned()));
    }
    if choice.chunks == 0 {
        return Err(CollError::Impossible(
            "chunks = 0; accepted: 1 or more".to_owned(),
        ));
    }
    if choice.has_message_form() {
        return Err(unsupported(
            "it is for messages of cores; accepted: a network of core tiles, as the preset tilepro64_8x8"
                .to_owned(),
        ));
    }
    if kind == CollectiveKind::Barrier {
        return Ok(());
    }
    if choice.shape.is_some() {
        return Err(unsupported(
            "accepted: a shape for a barrier only".to_owned(),
        ));
    }
    if collective.lengths.is_some() {
        return Err(unsupported(
            "blocks of different lengths; accepted: a network of core tiles, or blocks of one length"
                .to_owned(),
        ));
    }
    check_elements(collective)
}

/// Is the payload of a reduction whole elements, and can its operator take them?
fn check_elements(collective: &Collective) -> Result<(), CollError> {
    let (reduces, element) = (collective.reduces(), collective.element);
    // A movement takes any bytes.
    if reduces && !collective.bytes.is_multiple_of(element.bytes()) {
        return Err(CollError::Impossible(format!(
            "{} bytes are no whole number of {element:?} elements; accepted: multiples of {}",
            collective.bytes,
            element.bytes()
        )));
    }
    if reduces && !collective.operator.accepts(element) {
        return Err(CollError::Impossible(format!(
            "operator {:?} on {element:?}; accepted: sum, min and max, or an integer type",
            collective.operator
        )));
    }
    Ok(())
}
