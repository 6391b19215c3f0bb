// SPDX-License-Identifier: Apache-2.0
//! Why there is no such schedule.

use noccl_net::NetError;
use thiserror::Error;

/// A collective that cannot be scheduled.
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
    /// The group is not a set of clusters of this network.
    #[error(transparent)]
    Group(#[from] NetError),
    /// Inputs, outputs and scratch buffers do not fit into a memory.
    #[error(
        "{algorithm}: {tile} needs {needed_bytes} bytes (input, output and scratch) but has \
         {available_bytes}; accepted: a smaller payload, more chunks, lower offsets or a larger {limit}"
    )]
    DoesNotFit {
        /// Algorithm with its parameters.
        algorithm: String,
        /// Tile whose memory is too small.
        tile: String,
        /// Bytes needed, from the start of the memory.
        needed_bytes: u64,
        /// Bytes there are.
        available_bytes: u64,
        /// Field of the spec that says so.
        limit: &'static str,
    },
    /// A name of an algorithm or parameter that does not exist.
    #[error("no {what} '{found}'; accepted: {accepted}")]
    UnknownName {
        /// "algorithm" or "parameter".
        what: &'static str,
        /// As written.
        found: String,
        /// What exists.
        accepted: String,
    },
}
