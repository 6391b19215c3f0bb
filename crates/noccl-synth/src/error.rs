// SPDX-License-Identifier: Apache-2.0
//! Why there is nothing to search for.

use noccl_net::NetError;
use thiserror::Error;

/// A problem without a schedule.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SynthError {
    /// Something that was asked for is impossible.
    #[error("{field}: {found}; accepted: {accepted}")]
    Field {
        /// Name of the argument or field.
        field: String,
        /// What it says.
        found: String,
        /// What it may say.
        accepted: String,
    },
    /// No schedule that was made leaves inputs, outputs and received pieces in memory.
    #[error(
        "{tile}: inputs, outputs and received pieces need {needed_bytes} bytes but it has {available_bytes}; \
         accepted: a smaller payload or a larger {limit}"
    )]
    DoesNotFit {
        /// Tile whose memory is too small.
        tile: String,
        /// Bytes needed, of the schedule that needs least.
        needed_bytes: u64,
        /// Bytes there are.
        available_bytes: u64,
        /// Field of the spec that says so.
        limit: &'static str,
    },
    /// A group that does not exist.
    #[error(transparent)]
    Group(#[from] NetError),
}

impl SynthError {
    pub(crate) fn field(
        field: impl Into<String>,
        found: impl ToString,
        accepted: impl Into<String>,
    ) -> Self {
        Self::Field {
            field: field.into(),
            found: found.to_string(),
            accepted: accepted.into(),
        }
    }
}
