// SPDX-License-Identifier: Apache-2.0
//! Checkpoints: the complete state of a run between two cycles, in a file that another process can go on from.
//!
//! A resumed run gives the result that the run would have given without the interruption, bit for bit. So
//! everything that a later cycle reads is in the file or follows from what the run is of (network,
//! schedule or program, options), and that is compared by digest ([`Identity`]) before anything is believed. The
//! bytes depend on the state alone: maps are written in the order of their keys.
//!
//! A file is believed only after its SHA-256 has been computed and compared ([`Reader::open`]); what it says of
//! lengths is compared with the network. `docs/formats/checkpoint.md` describes the format.

use crate::driver::schedule::ScheduleRun;
use crate::router::udn::{ExecutedError, ExecutedRequest, ExecutedResult, ExecutedRun};
use noccl_run::{Request, Run, RunError, RunResult};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::{Read, Write};
use thiserror::Error;

pub use file::{FORMAT, Identity, Reader, Writer};

mod file;
pub(crate) mod machine;

// What a kind of run has to have so that it is saved and gone on with: one loop of saving serves all of them.

/// What the runs of a checkpoint are of; it stands at its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SavedKind {
    /// Schedules.
    Schedule,
    /// Compiled programs over ports.
    Program,
}

/// What a run that is over leaves in the checkpoint of those behind it.
pub trait SavedResult: Clone + Serialize + DeserializeOwned {
    /// What such a run is of.
    const KIND: SavedKind;
}

impl SavedResult for RunResult {
    const KIND: SavedKind = SavedKind::Schedule;
}

impl SavedResult for ExecutedResult {
    const KIND: SavedKind = SavedKind::Program;
}

/// What a run that can be saved is of.
pub trait Saved {
    /// The run.
    type Run: Run;
    /// Why it does not begin.
    type Error;

    /// What tells it from others.
    fn identity(&self) -> Identity;

    /// A run before its first cycle.
    ///
    /// # Errors
    /// If there is no such run.
    fn start(&self) -> Result<Self::Run, Self::Error>;

    /// Appends the state of a run to a checkpoint.
    ///
    /// # Errors
    /// [`CheckpointError::Io`].
    fn save<W: Write>(run: &Self::Run, to: &mut Writer<W>) -> Result<(), CheckpointError>;

    /// A run as it was saved, if the checkpoint's identity is this one.
    ///
    /// # Errors
    /// [`CheckpointError::Damaged`], [`CheckpointError::Io`], [`CheckpointError::Run`].
    fn load<R: Read>(&self, from: &mut Reader<R>) -> Result<Self::Run, CheckpointError>;
}

impl<'a> Saved for Request<'a> {
    type Run = ScheduleRun<'a>;
    type Error = RunError;

    fn identity(&self) -> Identity {
        Identity::of(self)
    }

    fn start(&self) -> Result<ScheduleRun<'a>, RunError> {
        ScheduleRun::new(self.network, self.schedule, self.inputs, self.config)
    }

    fn save<W: Write>(run: &ScheduleRun<'a>, to: &mut Writer<W>) -> Result<(), CheckpointError> {
        run.save(to)
    }

    fn load<R: Read>(&self, from: &mut Reader<R>) -> Result<ScheduleRun<'a>, CheckpointError> {
        ScheduleRun::load(self.network, self.schedule, self.config, from)
    }
}

impl<'a> Saved for ExecutedRequest<'a> {
    type Run = ExecutedRun<'a>;
    type Error = ExecutedError;

    fn identity(&self) -> Identity {
        Identity::of_program(self)
    }

    fn start(&self) -> Result<ExecutedRun<'a>, ExecutedError> {
        ExecutedRun::new(self)
    }

    fn save<W: Write>(run: &ExecutedRun<'a>, to: &mut Writer<W>) -> Result<(), CheckpointError> {
        run.save(to)
    }

    fn load<R: Read>(&self, from: &mut Reader<R>) -> Result<ExecutedRun<'a>, CheckpointError> {
        ExecutedRun::load(self, from)
    }
}

// Why a checkpoint cannot be written or read.

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
    fn io(error: &std::io::Error) -> Self {
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
