// SPDX-License-Identifier: Apache-2.0
//! Why a compiled program of ranks does not come to its end.

use noccl_program::{ProgramError, RankId};
use noccl_riscv::RiscvError;
use noccl_run::RunError;
use thiserror::Error;

/// Why a compiled program of ranks does not come to its end.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ExecuteError {
    /// The program does not fit.
    #[error(transparent)]
    Program(#[from] RiscvError),
    /// A call cannot be carried out, or calls of ranks do not fit together.
    #[error(transparent)]
    Call(#[from] Box<ProgramError>),
    /// A rank cannot go on.
    #[error(transparent)]
    Fault(#[from] Box<Fault>),
    /// The run was given up.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl From<ProgramError> for ExecuteError {
    fn from(error: ProgramError) -> Self {
        match error {
            ProgramError::Run(error) => Self::Run(error),
            other @ (ProgramError::Argument { .. }
            | ProgramError::Differs { .. }
            | ProgramError::Truncated { .. }
            | ProgramError::Stuck { .. }
            | ProgramError::Failed { .. }
            | ProgramError::Ranks { .. }
            | ProgramError::Changed { .. }
            | ProgramError::Collective { .. }
            | ProgramError::Trace { .. }) => Self::Call(Box::new(other)),
        }
    }
}

/// A rank that cannot go on.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{rank} at {place}, cycle {cycle}: {reason}")]
pub struct Fault {
    /// Which rank.
    pub rank: RankId,
    /// Where in the program.
    pub place: String,
    /// When.
    pub cycle: u64,
    /// Why.
    pub reason: String,
}
