// SPDX-License-Identifier: Apache-2.0
//! The algorithm library: (collective, group, network) → schedule.
//!
//! Algorithms are named by structure and parameters, not by paper; `docs/papers/S1.md` maps the names.

use noccl_net::Network;
use noccl_workload::{Collective, CollectiveKind, Schedule};
use thiserror::Error;

/// Names of the algorithms; `in_network` appears in the names of in-network algorithms only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Algorithm {
    /// Data passes from neighbour to neighbour, `chunks` pieces in flight (`chunks = 1` is S1's naive, else its seq).
    Chain,
    /// Binary tree, whole payload (multicast) or double-buffered chunks (reduce).
    Tree,
    /// One dimension after the other, each by a chain or tree.
    RowColumn,
    /// The network's multicast, reduction or barrier.
    InNetwork,
}

/// An algorithm with its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Choice {
    /// Algorithm.
    pub algorithm: Algorithm,
    /// Pieces that the payload is cut into, at least 1.
    pub chunks: u32,
}

/// Why there is no such schedule.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CollError {
    /// The algorithm does not do this collective, or not with these parameters.
    #[error("{algorithm} for {collective}: {reason}")]
    Unsupported {
        /// Algorithm name.
        algorithm: String,
        /// Collective name.
        collective: String,
        /// Why, and what would be accepted.
        reason: String,
    },
    /// The collective itself is impossible on this network.
    #[error("{0}")]
    Impossible(String),
}

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
