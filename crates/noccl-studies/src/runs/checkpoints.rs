// SPDX-License-Identifier: Apache-2.0
//! Long work that is saved now and then and when it is interrupted, and goes on from there.
//!
//! A verb may simulate several runs one after the other. Its checkpoint holds the results of those that are over
//! and the state of the one at hand; work that goes on asks for the same runs in the same order, which is
//! compared run by run.

use crate::Error;
use noccl_files::FileError;
use noccl_files::{check_output, failed, replace_file};
use noccl_net::Network;
use noccl_run::{MemoryImage, Progress, Request, RunConfig, RunError, RunResult};
use noccl_sim::checkpoint::{
    CheckpointError, Identity, Part, Reader, Saved, SavedKind, SavedResult, Writer,
};
use noccl_workload::{Place, Schedule};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Runs that are saved when they are asked to end, and those that have been.
static SAVING: AtomicUsize = AtomicUsize::new(0);

/// Is a run going on that ends with a complete checkpoint once its watcher wants it to end, or has one just done so?
/// Until then a process should not be ended from inside.
#[must_use]
pub fn is_saving() -> bool {
    SAVING.load(Ordering::SeqCst) > 0
}

/// Where and when to save, and what to go on from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointRequest {
    /// File that is replaced by every save.
    pub file: PathBuf,
    /// Wall time from one save to the next.
    pub every: Duration,
    /// Checkpoint to go on from.
    pub resume: Option<PathBuf>,
}

/// The runs of one verb, which all have results of this type.
pub struct Session<T> {
    request: Option<CheckpointRequest>,
    /// Results of the runs that are over; those from an earlier process come first.
    finished: Vec<(Identity, T)>,
    /// How many runs have been asked for.
    asked: usize,
    /// The run that was going on when the earlier process ended, until it is asked for.
    suspended: Option<(Identity, Reader<File>)>,
    saved: Instant,
}

impl<T: SavedResult> Session<T> {
    /// Reads what is to be gone on from, if anything, and sees to it that there is a place for the next checkpoint.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::Checkpoint`].
    pub fn begin(request: Option<&CheckpointRequest>) -> Result<Self, Error> {
        let mut session = Self {
            request: request.cloned(),
            finished: Vec::new(),
            asked: 0,
            suspended: None,
            saved: Instant::now(),
        };
        if let Some(request) = request {
            check_output(&request.file)?;
        }
        if let Some(path) = request.and_then(|r| r.resume.as_deref()) {
            let file = File::open(path).map_err(|e| failed(path, "cannot read", &e))?;
            let read = || {
                let mut reader = Reader::open(file)?;
                if reader.take::<SavedKind>()? != T::KIND {
                    return Err(CheckpointError::Differs(Part::Kind));
                }
                Ok((reader.take()?, reader.take()?, reader))
            };
            let (finished, identity, reader) = read().map_err(|e| at(path, e))?;
            session.finished = finished;
            session.suspended = Some((identity, reader));
        }
        Ok(session)
    }

    /// The next run, from its beginning, from where it was saved, or from memory; `finish` reads its result.
    ///
    /// # Errors
    /// Those of the run; [`Error::Checkpoint`] if this is not the run that was saved; [`Error::File`] if it cannot
    /// be saved; [`Error::Suspended`] if
    /// `on_progress` wants to end the run and the state has been saved.
    pub fn run<S: Saved>(
        &mut self,
        of: &S,
        finish: impl FnOnce(&S::Run) -> Result<T, Error>,
        on_progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<T, Error>
    where
        Error: From<S::Error>,
    {
        self.run_or(of, finish, |_| {}, on_progress)
    }

    /// As [`Session::run`]; `failed` sees a run that does not come to its end.
    ///
    /// # Errors
    /// As [`Session::run`].
    pub fn run_or<S: Saved>(
        &mut self,
        of: &S,
        finish: impl FnOnce(&S::Run) -> Result<T, Error>,
        failed: impl FnOnce(&S::Run),
        on_progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<T, Error>
    where
        Error: From<S::Error>,
    {
        let Some(request) = self.request.clone() else {
            let mut run = of.start()?;
            let ended = noccl_run::advance(&mut run, on_progress);
            let result = ended.map_err(Error::Run).and_then(|()| finish(&run));
            return result.inspect_err(|_| failed(&run));
        };
        let identity = of.identity();
        let resumed = request.resume.as_deref().unwrap_or(&request.file);
        if let Some((of, result)) = self.finished.get(self.asked) {
            of.compare(&identity).map_err(|e| at(resumed, e))?;
            self.asked += 1;
            return Ok(result.clone());
        }
        self.asked += 1;
        let mut run = match self.suspended.take() {
            None => of.start()?,
            Some((saved, reader)) => {
                let compared = saved.compare(&identity);
                let loaded = compared.and_then(|()| load(of, reader));
                loaded.map_err(|e| at(resumed, e))?
            }
        };
        SAVING.fetch_add(1, Ordering::SeqCst);
        let advanced = self.advance::<S>(&mut run, &request, &identity, on_progress);
        if !matches!(advanced, Err(Error::Suspended { .. })) {
            // A suspended verb still has to say how to go on.
            SAVING.fetch_sub(1, Ordering::SeqCst);
        }
        let result = advanced.and_then(|()| finish(&run));
        let result = result.inspect_err(|_| failed(&run))?;
        self.finished.push((identity, result.clone()));
        Ok(result)
    }

    fn advance<S: Saved>(
        &mut self,
        run: &mut S::Run,
        request: &CheckpointRequest,
        identity: &Identity,
        on_progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<(), Error> {
        loop {
            let mut is_stopped = false;
            let saved = self.saved;
            let advanced = noccl_run::advance(run, &mut |progress| {
                is_stopped = !on_progress(progress);
                !is_stopped && saved.elapsed() < request.every
            });
            match advanced {
                Ok(()) => return Ok(()),
                Err(RunError::Interrupted { cycle }) => {
                    self.save::<S>(run, &request.file, identity)?;
                    if is_stopped {
                        let path = request.file.display().to_string();
                        return Err(Error::Suspended { path, cycle });
                    }
                }
                Err(error @ (RunError::Refused { .. } | RunError::Stall(_))) => {
                    return Err(error.into());
                }
            }
        }
    }

    fn save<S: Saved>(
        &mut self,
        run: &S::Run,
        path: &Path,
        identity: &Identity,
    ) -> Result<(), Error> {
        replace_file(path, |file| {
            let write = || {
                let mut writer = Writer::new(file)?;
                writer.put(&T::KIND)?;
                writer.put(&self.finished)?;
                writer.put(identity)?;
                S::save(run, &mut writer)?;
                writer.finish()
            };
            write().map(drop).map_err(|e| {
                Error::File(FileError::NotWritten {
                    path: path.display().to_string(),
                    reason: e.to_string(),
                })
            })
        })?;
        // Saving never takes more time than what is saved.
        self.saved = Instant::now();
        Ok(())
    }
}

impl Session<RunResult> {
    /// The next run of a schedule, of routers of every kind; those of some cannot be saved.
    ///
    /// # Errors
    /// As [`Session::run`]; [`Error::Run`].
    pub fn simulate(
        &mut self,
        network: &Network,
        schedule: &Schedule,
        inputs: &[MemoryImage],
        outputs: &[(Place, u64)],
        config: &RunConfig,
        on_progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<RunResult, Error> {
        if self.request.is_none() {
            let result =
                noccl_sim::run_schedule(network, schedule, inputs, outputs, config, on_progress);
            return Ok(result?);
        }
        let of = Request {
            network,
            schedule,
            inputs,
            config,
        };
        self.run(&of, |run| Ok(run.result(outputs)), on_progress)
    }
}

fn load<S: Saved>(of: &S, mut reader: Reader<File>) -> Result<S::Run, CheckpointError> {
    let run = of.load(&mut reader)?;
    reader.finish()?;
    Ok(run)
}

/// An error with the checkpoint's path.
fn at(path: &Path, error: CheckpointError) -> Error {
    Error::Checkpoint {
        path: path.display().to_string(),
        error,
    }
}
