// SPDX-License-Identifier: Apache-2.0
//! Why a run gave no result.

use crate::Diagnosis;
use thiserror::Error;

/// A run without a result.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RunError {
    /// The backend does not do this.
    #[error("{backend} refuses {what}: {reason}")]
    Refused {
        /// Backend.
        backend: &'static str,
        /// Which part of the workload.
        what: String,
        /// Why, and what would be accepted.
        reason: String,
    },
    /// The run cannot finish.
    #[error("the run cannot finish: {0}")]
    Stall(Box<Diagnosis>),
    /// Interrupted from outside.
    #[error("interrupted in cycle {cycle}")]
    Interrupted {
        /// Cycle reached.
        cycle: u64,
    },
}
