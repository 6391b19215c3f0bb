// SPDX-License-Identifier: Apache-2.0
//! Why there is no hardware to run, or why it is not the simulator's.

use crate::lockstep::LockstepError;
use noccl_files::FileError;
use noccl_rtl::RtlError;
use noccl_run::RunError;
use thiserror::Error;

/// Why a run in lock-step gave no result: the hardware's reasons, and those of what it stands on.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum CosimError {
    /// No hardware follows the run, or the hardware differs from the simulator.
    #[error(transparent)]
    Hardware(#[from] HardwareError),
    /// The network has no hardware, or its sources are not there.
    #[error(transparent)]
    Rtl(#[from] RtlError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The run did not finish.
    #[error(transparent)]
    Run(#[from] RunError),
    /// This workload does not meet hardware there.
    #[error("boundary {boundary}: {accepted}")]
    Boundary {
        /// Its name.
        boundary: &'static str,
        /// What would be accepted.
        accepted: &'static str,
    },
}

/// Why a run in lock-step with the hardware gave no result.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HardwareError {
    /// The tool that translates the hardware is not there, or is another one.
    #[error("Verilator: {found}; accepted: {accepted}")]
    Verilator {
        /// What was found, and where.
        found: String,
        /// What would be, and how to come by it.
        accepted: String,
    },
    /// The tools refuse the hardware.
    #[error("the hardware does not build: {reason}; all messages: {log}")]
    Build {
        /// First message that says why.
        reason: String,
        /// File with all of them.
        log: String,
    },
    /// A library is not what was built.
    #[error("{folder}: {reason}; remove this folder, and the next run makes it anew")]
    Library {
        /// Its folder.
        folder: String,
        /// What is wrong.
        reason: String,
    },
    /// The run does what the hardware cannot follow.
    #[error("{0}")]
    Refused(LockstepError),
    /// Hardware and simulator differ, or an assertion of the hardware broke.
    #[error("hardware and simulator differ: {0}")]
    Differs(LockstepError),
}

impl HardwareError {
    /// An error of lock-step with a library.
    pub(crate) fn new(folder: &str, error: LockstepError) -> Self {
        match error {
            LockstepError::Library { reason, .. } => HardwareError::Library {
                folder: folder.to_owned(),
                reason,
            },
            LockstepError::Unsupported { .. } => HardwareError::Refused(error),
            LockstepError::Divergence(_)
            | LockstepError::Messages(_)
            | LockstepError::Ports(_)
            | LockstepError::Assertion { .. } => HardwareError::Differs(error),
        }
    }
}
