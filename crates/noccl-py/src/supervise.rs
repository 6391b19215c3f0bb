// SPDX-License-Identifier: Apache-2.0
//! Long calls: the interpreter lock is released, progress is reported, Ctrl-C works.
//!
//! The work runs on a thread of its own and only stores how far it is. The calling thread wakes up
//! now and then, takes the lock, looks for signals and calls the callback. So the callback runs on
//! the thread that Python expects, its speed does not slow the simulation down, and a call that many
//! threads work on can be interrupted as well. Work that is asked to end and does not look for it in time is left
//! behind: the call returns, and the thread ends when it looks, or with its work.

use crate::error::to_python;
use noccl::{Error, RunError, Step, Watch};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Time between two looks at signals and progress.
const WAKE_UP: Duration = Duration::from_millis(50);
/// Time for work that looks whether it should end.
const GRACE: Duration = Duration::from_millis(1000);

/// What the calling thread and the work tell each other.
#[derive(Default)]
struct Shared {
    last_step: Mutex<Option<Step>>,
    is_stopped: AtomicBool,
}

impl Shared {
    /// From the work: how far it is. From the caller: should it go on?
    fn on_step(&self, step: Step) -> bool {
        if let Ok(mut last) = self.last_step.lock() {
            *last = Some(step);
        }
        !self.is_stopped.load(Ordering::Relaxed)
    }

    fn take(&self) -> Option<Step> {
        self.last_step.lock().ok().and_then(|mut last| last.take())
    }
}

/// Runs `work` without the interpreter lock.
pub(crate) fn supervise<T: Send + 'static>(
    py: Python<'_>,
    on_progress: Option<&Py<PyAny>>,
    work: impl FnOnce(Watch<'_>) -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    let shared = Arc::new(Shared::default());
    let (is_done, mut done) = mpsc::channel();
    let worker = std::thread::spawn({
        let shared = Arc::clone(&shared);
        move || {
            let outcome = work(Watch::new(&|step| shared.on_step(step)));
            // Nobody listens any more if the call was interrupted.
            let _ = is_done.send(outcome);
        }
    });
    let mut stopped: Option<(Instant, PyErr)> = None;
    loop {
        let waited;
        (done, waited) = py.detach(move || {
            let waited = done.recv_timeout(WAKE_UP);
            (done, waited)
        });
        match (waited, stopped.take()) {
            (Err(RecvTimeoutError::Timeout), None) => {
                if let Err(error) = look(py, on_progress, shared.take()) {
                    shared.is_stopped.store(true, Ordering::Relaxed);
                    stopped = Some((Instant::now(), error));
                }
            }
            (Err(RecvTimeoutError::Timeout), Some((since, error))) => {
                if since.elapsed() > GRACE {
                    return Err(error);
                }
                stopped = Some((since, error));
            }
            (Ok(_) | Err(RecvTimeoutError::Disconnected), Some((_, error))) => return Err(error),
            (Ok(outcome), None) => {
                let value = outcome.map_err(|error| to_python(py, &error))?;
                look(py, on_progress, shared.take())?;
                return Ok(value);
            }
            (Err(RecvTimeoutError::Disconnected), None) => match worker.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => return Err(to_python(py, &interrupted(None))),
            },
        }
    }
}

fn interrupted(step: Option<Step>) -> Error {
    // 0: nothing has run before the first step.
    let cycle = step.map_or(0, |s| s.simulated_cycles);
    Error::Run(RunError::Interrupted { cycle })
}

/// Pending signals, then the callback; an error that ends the work, if one is raised or the callback says no.
fn look(py: Python<'_>, on_progress: Option<&Py<PyAny>>, step: Option<Step>) -> PyResult<()> {
    py.check_signals()?;
    let (Some(callback), Some(now)) = (on_progress, step) else {
        return Ok(());
    };
    let result = callback.call1(py, (now.done, now.total, now.simulated_cycles))?;
    // None says nothing; anything else is as true or false as Python finds it.
    let result = result.bind(py);
    if result.is_none() || result.is_truthy()? {
        return Ok(());
    }
    Err(to_python(py, &interrupted(step)))
}
