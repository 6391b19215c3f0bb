// SPDX-License-Identifier: Apache-2.0
//! Long calls: the interpreter lock is released, progress is reported, Ctrl-C works.
//!
//! The work runs on a thread of its own and only stores how far it is. The calling thread wakes up
//! now and then, takes the lock, looks for signals and calls the callback. So the callback runs on
//! the thread that Python expects, its speed does not slow the simulation down, and a call that many
//! threads work on can be interrupted as well.

use crate::error::to_python;
use noccl::{Error, Step, Watch};
use pyo3::prelude::*;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// Time between two looks at signals and progress.
const WAKE_UP: Duration = Duration::from_millis(50);

/// Runs `work` without the interpreter lock.
pub(crate) fn supervise<T: Send>(
    py: Python<'_>,
    on_progress: Option<&Py<PyAny>>,
    work: impl FnOnce(Watch<'_>) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let last_step = Mutex::new(None);
    let is_stopped = AtomicBool::new(false);
    let on_step = |step: Step| {
        if let Ok(mut last) = last_step.lock() {
            *last = Some(step);
        }
        !is_stopped.load(Ordering::Relaxed)
    };
    let mut raised = None;
    let outcome = py.detach(|| {
        std::thread::scope(|scope| {
            let (is_done, done) = mpsc::channel::<()>();
            let worker = scope.spawn(|| {
                // Dropped at the end of the work, by a panic too: this is what wakes the caller.
                let _is_done = is_done;
                work(Watch::new(&on_step))
            });
            while done.recv_timeout(WAKE_UP) == Err(mpsc::RecvTimeoutError::Timeout) {
                if is_stopped.load(Ordering::Relaxed) {
                    continue;
                }
                let step = last_step.lock().ok().and_then(|mut last| last.take());
                let seen = Python::attach(|py| look(py, on_progress, step));
                match seen {
                    Ok(true) => {}
                    Ok(false) => is_stopped.store(true, Ordering::Relaxed),
                    Err(error) => {
                        raised = Some(error);
                        is_stopped.store(true, Ordering::Relaxed);
                    }
                }
            }
            worker.join()
        })
    });
    if let Some(error) = raised {
        return Err(error);
    }
    match outcome {
        Ok(result) => {
            let value = result.map_err(|error| to_python(py, &error))?;
            let step = last_step.into_inner().ok().flatten();
            look(py, on_progress, step)?;
            Ok(value)
        }
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Pending signals, then the callback; false to stop.
fn look(py: Python<'_>, on_progress: Option<&Py<PyAny>>, step: Option<Step>) -> PyResult<bool> {
    py.check_signals()?;
    let (Some(callback), Some(step)) = (on_progress, step) else {
        return Ok(true);
    };
    let answer = callback.call1(py, (step.done, step.total, step.simulated_cycles))?;
    Ok(!answer.bind(py).is(pyo3::types::PyBool::new(py, false)))
}
