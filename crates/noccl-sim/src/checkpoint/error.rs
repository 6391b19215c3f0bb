// SPDX-License-Identifier: Apache-2.0
//! Why a checkpoint cannot be written or read.

use noccl_run::RunError;
use serde::{Deserialize, Serialize};
use std::fmt;
use thiserror::Error;

/// Why a checkpoint cannot be written or read.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum CheckpointError {
    /// The file is something else.
    #[error("not a checkpoint: a checkpoint begins with the letters NOCCLCKP")]
    NotACheckpoint,
    /// Another version of the program wrote it.
    #[error("checkpoint format {found}; this program goes on from format {accepted} only")]
    Format {
        /// Format of the file.
        found: u32,
        /// Format of this program.
        accepted: u32,
    },
    /// Truncated or changed since it was written.
    #[error("the checkpoint is damaged: {reason}; an undamaged copy would be accepted")]
    Damaged {
        /// What does not fit.
        reason: String,
    },
    /// It belongs to another run.
    #[error("the checkpoint belongs to another {0}; resume with the {0} it was written with")]
    Differs(Part),
    /// The system does not read or write.
    #[error("{reason}")]
    Io {
        /// What the system said.
        reason: String,
    },
    /// The run cannot be set up.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl CheckpointError {
    pub(super) fn io(error: &std::io::Error) -> Self {
        CheckpointError::Io {
            reason: error.to_string(),
        }
    }

    pub(crate) fn damaged(reason: impl ToString) -> Self {
        CheckpointError::Damaged {
            reason: reason.to_string(),
        }
    }
}

/// What two runs can differ in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Part {
    /// What is run: a schedule or a program.
    Kind,
    /// Network.
    Spec,
    /// Schedule.
    Schedule,
    /// Bytes in memories before the first cycle.
    Inputs,
    /// Whether bytes move.
    Mode,
    /// Random stalls of endpoints.
    Stalls,
    /// Compiled program.
    Program,
    /// Tiles of its ranks.
    Ranks,
    /// What its instructions cost.
    Costs,
    /// Bytes of each core's memory.
    Memory,
    /// After how many cycles a run is given up.
    Limits,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::Kind => "kind of run (a schedule, or a program)",
            Part::Spec => "spec",
            Part::Schedule => "schedule",
            Part::Inputs => "set of inputs (--seed)",
            Part::Mode => "mode (--mode)",
            Part::Stalls => "set of stalls (--stalls, --stall-seed)",
            Part::Program => "program",
            Part::Ranks => "number of ranks (--ranks)",
            Part::Costs => "table of costs (--costs)",
            Part::Memory => "memory of cores (--program-memory)",
            Part::Limits => "limit of cycles (--max-cycles)",
        })
    }
}
