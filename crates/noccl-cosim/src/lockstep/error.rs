// SPDX-License-Identifier: Apache-2.0
//! Why hardware and record part, or cannot be compared.

use super::divergence::{Divergence, MessageDivergence, PortDivergence};
use crate::verilated::Unusable;
use thiserror::Error;

/// Why hardware and record part, or cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LockstepError {
    /// The library cannot be used.
    #[error("{path}: {reason}")]
    Library {
        /// File.
        path: String,
        /// Why.
        reason: String,
    },
    /// The record has what has no hardware.
    #[error("cycle {cycle}: {what} has no hardware; accepted: any other transaction")]
    Unsupported {
        /// Cycle.
        cycle: u64,
        /// What.
        what: &'static str,
    },
    /// Hardware and record differ.
    #[error("{0}")]
    Divergence(Box<Divergence>),
    /// Routers that carry messages and record differ.
    #[error("{0}")]
    Messages(Box<MessageDivergence>),
    /// Torrent endpoints and record differ.
    #[error("{0}")]
    Ports(Box<PortDivergence>),
    /// An assertion of the hardware broke.
    #[error("cycle {cycle}: {what}")]
    Assertion {
        /// Cycle at whose end it broke.
        cycle: u64,
        /// File, line and instance.
        what: String,
    },
}

impl From<Unusable> for LockstepError {
    fn from(Unusable { path, reason }: Unusable) -> Self {
        LockstepError::Library { path, reason }
    }
}
