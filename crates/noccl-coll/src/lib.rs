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
mod candidates;
pub mod chain;
mod choice;
mod entry;
mod error;
pub mod gemm;
mod in_network;
mod layout;
mod messages;
mod plan;
mod point_to_point;
mod steps;
mod task;

pub use algorithm::Algorithm;
pub use barrier::{
    BarrierAlgorithm, BarrierShape, BarrierStructure, CounterPlace, barrier_schedule, centre,
};
pub use candidates::{choices, choices_among, choices_for_programs, choices_of, offered, runs_by};
pub use choice::{
    Choice, Forwarding, Inner, LineForm, MessageForm, PointForm, RoundForm, RoundSync, TreeForm,
};
pub use entry::{GroupTraffic, collectives_on_cores};
pub use error::CollError;
pub use point_to_point::dataflow::Dataflow;

use entry::OnClusters;
use noccl_net::Network;
use noccl_workload::{Action, Collective, SCHEDULE_FORMAT, Schedule, check_definition};
use task::{Group, Task};

/// The schedule of a collective by one choice. A payload of no bytes yields no actions.
///
/// # Errors
/// [`CollError`] naming what is impossible and what would be accepted.
pub fn schedule(
    network: &Network,
    collective: &Collective,
    choice: Choice,
) -> Result<Schedule, CollError> {
    let Some(network) = network.as_axi() else {
        return messages::schedule(network, collective, choice);
    };
    let form = validate(collective, choice)?;
    let choice = choice.of_kind(collective.kind);
    let group = Group::new(&network, collective)?;
    check_definition(collective, group.members.len())
        .map_err(|error| CollError::Impossible(error.to_string()))?;
    let task = Task {
        network,
        collective,
        group: &group,
        choice,
    };
    let is_empty = collective.kind.has_payload() && collective.bytes == 0;
    let is_alone = collective.kind.has_blocks() && group.members.len() == 1;
    let actions = match choice.shape {
        _ if is_empty => Vec::new(),
        Some(shape) => barrier::shaped(&task, shape)?,
        None if is_alone => steps::exchange::alone(&task)?,
        None => (form.build)(&task)?,
    };
    let synchronised = Choice {
        barrier: task.mechanism(choice.barrier),
        ..choice
    };
    let mut parameters = synchronised.parameters((form.num_chunks)(&task) as u32);
    if let Some(setting) = form.setting {
        parameters.insert("setting".to_owned(), setting(&task).to_owned());
    }
    if let Some(definition) = &collective.definition {
        parameters.insert("name".to_owned(), definition.name.clone());
    }
    if collective.kind.has_blocks() {
        // Blocks are not cut, and each algorithm has one structure.
        let has_form = choice.algorithm.entry().parameters.has_form;
        parameters.retain(|name, _| name == "barrier" || has_form);
    }
    Ok(Schedule {
        collective: Some(collective.clone()),
        ..schedule_of(choice.algorithm, parameters, actions)
    })
}

/// A schedule of these actions, without a collective.
fn schedule_of(
    algorithm: impl ToString,
    parameters: impl IntoIterator<Item = (impl Into<String>, String)>,
    actions: Vec<Action>,
) -> Schedule {
    let named = parameters
        .into_iter()
        .map(|(name, value)| (name.into(), value));
    Schedule {
        format: SCHEDULE_FORMAT,
        first: None,
        claims_rounds: false,
        algorithm: algorithm.to_string(),
        parameters: named.collect(),
        collective: None,
        actions,
    }
}

/// What can be wrong whatever the network; the algorithm's form, which does this collective.
fn validate(collective: &Collective, choice: Choice) -> Result<OnClusters, CollError> {
    let kind = collective.kind;
    let unsupported = |reason: String| CollError::Unsupported {
        algorithm: choice.to_string(),
        collective: kind.to_string(),
        reason,
    };
    let known = choice.algorithm.entry().on_clusters;
    let Some(form) = known.filter(|form| (form.does)(kind)) else {
        let others = Algorithm::ALL.into_iter().filter(|a| a.does(kind));
        let others: Vec<&str> = others.map(Algorithm::name).collect();
        return Err(unsupported(format!("accepted: {}", others.join(", "))));
    };
    if choice.chunks > 1 && !(form.is_cut)(kind) {
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
    if !kind.has_payload() {
        return Ok(form);
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
    check_elements(collective)?;
    Ok(form)
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
