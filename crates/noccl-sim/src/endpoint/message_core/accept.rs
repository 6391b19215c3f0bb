// SPDX-License-Identifier: Apache-2.0
//! What cores do: which actions they take, and the messages of these.

use super::message::Message;
use super::program::Program;
use noccl_net::Network;
use noccl_run::RunError;
use noccl_spec::Core as CoreSpec;
use noccl_workload::{Action, Place};

/// The message of an action, if it is one that crosses the network.
pub(super) fn message_of(
    network: &Network,
    spec: &CoreSpec,
    action: &Action,
    program: &Program,
    number: u32,
) -> Option<Message> {
    let sent = action.kind.message()?;
    let source = network.find(sent.source.tile)?;
    let target = network.find(sent.destination.tile)?;
    let share = program
        .instances
        .at(number, target)
        .filter(|_| source != target)?;
    Some(Message::new(sent, (source.0, target.0), share, spec))
}

/// Refuses what cores do not do.
///
/// # Errors
/// [`RunError::Refused`].
pub(super) fn refuse(network: &Network, action: &Action, number: u32) -> Result<(), RunError> {
    let kind = &action.kind;
    let refused = |reason: &str| RunError::Refused {
        backend: "sim",
        what: format!("actions[{number}] ({})", kind.name()),
        reason: format!(
            "{reason}; accepted on core tiles: message, static_multicast, local_reduce, compute"
        ),
    };
    if !kind.is_of_cores() {
        return Err(refused("cores pass messages and have no DMA"));
    }
    let is_on_mesh = |place: Place| network.find(place.tile).is_some();
    let ends = kind.message().map(|sent| [sent.source, sent.destination]);
    if ends.is_some_and(|ends| !ends.into_iter().all(is_on_mesh)) {
        return Err(refused("it names a tile that is not on the mesh"));
    }
    Ok(())
}
