// SPDX-License-Identifier: Apache-2.0
//! The algorithm library: (collective, group, network) → schedule.
//!
//! Algorithms are named by structure and parameters, not by paper; `docs/papers/S1.md` maps the names.

mod choice;
mod error;

pub use choice::{Algorithm, Choice, Forwarding, Inner};
pub use error::CollError;

use noccl_net::Network;
use noccl_workload::{Collective, CollectiveKind, Schedule};

/// Choices worth comparing for a collective: every algorithm, chains and trees at a range of chunk counts.
#[must_use]
pub fn choices(network: &Network, collective: &Collective) -> Vec<Choice> {
    let _ = (network, collective, CollectiveKind::Barrier);
    Vec::new()
}

/// The schedule of a collective by one choice.
///
/// # Errors
/// [`CollError`] naming what is impossible and what would be accepted.
pub fn schedule(
    network: &Network,
    collective: &Collective,
    choice: Choice,
) -> Result<Schedule, CollError> {
    let _ = network;
    Err(CollError::Unsupported {
        algorithm: format!("{:?}", choice.algorithm),
        collective: format!("{:?}", collective.kind),
        reason: "not written yet".to_owned(),
    })
}
