// SPDX-License-Identifier: Apache-2.0
//! A session of ranks with the network that it runs on, in one object that belongs to the thread that has made it.

use crate::program_values::raised;
use noccl::collective::Loaded;
use noccl::program::{ProgramError, ProgramRequest, RankId, Session, session};
use pyo3::prelude::*;
use self_cell::self_cell;
use send_wrapper::SendWrapper;
use std::sync::Arc;

self_cell! {
    struct Held {
        owner: Arc<Loaded>,
        #[not_covariant]
        dependent: Session,
    }
}

/// A session, which only its own thread reaches: a call from another one is refused, and ends the program.
pub(crate) struct HeldSession {
    held: SendWrapper<Held>,
    /// A call from another thread, and whose communicator it used.
    strayed: Option<ProgramError>,
}

impl HeldSession {
    /// A program whose ranks have called nothing yet.
    pub(crate) fn new(
        py: Python<'_>,
        loaded: Arc<Loaded>,
        request: &ProgramRequest,
    ) -> PyResult<Self> {
        let held = Held::try_new(loaded, |loaded| session(&loaded.network, request));
        Ok(Self {
            held: SendWrapper::new(held.map_err(|error| raised(py, &error))?),
            strayed: None,
        })
    }

    /// A call of a rank, if one makes it.
    pub(crate) fn with<R>(
        &mut self,
        py: Python<'_>,
        rank: impl Into<Option<u32>>,
        call: impl FnOnce(&mut Session<'_>) -> Result<R, ProgramError>,
    ) -> PyResult<R> {
        if !self.held.valid() {
            // 0: a call of the program itself; the error names a rank, and every program has this one.
            let error = strayed(rank.into().unwrap_or(0));
            let raised = raised(py, &error);
            self.strayed = Some(error);
            return Err(raised);
        }
        if let Some(error) = &self.strayed {
            return Err(raised(py, error));
        }
        let outcome = self.held.with_dependent_mut(|_, session| call(session));
        outcome.map_err(|error| raised(py, &error))
    }

    /// What can be read without a change, by the thread that has opened the session.
    pub(crate) fn read<R>(
        &self,
        py: Python<'_>,
        read: impl FnOnce(&Session<'_>) -> R,
    ) -> PyResult<R> {
        if !self.held.valid() {
            return Err(raised(py, &strayed(0)));
        }
        Ok(self.held.with_dependent(|_, session| read(session)))
    }
}

fn strayed(rank: u32) -> ProgramError {
    ProgramError::Failed {
        rank: RankId(rank),
        message: "a thread that the rank has started calls a communicator; accepted: calls from the rank itself, which the \
                  simulation continues"
            .to_owned(),
    }
}
