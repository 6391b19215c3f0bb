// SPDX-License-Identifier: Apache-2.0
//! What a kind of run has to have so that it is saved and gone on with: one loop of saving serves all of them.

use super::error::CheckpointError;
use super::file::{Reader, Writer};
use super::identity::Identity;
use crate::driver::schedule::ScheduleRun;
use crate::router::udn::{ExecutedError, ExecutedRequest, ExecutedResult, ExecutedRun};
use noccl_run::{Request, Run, RunError, RunResult};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};

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
