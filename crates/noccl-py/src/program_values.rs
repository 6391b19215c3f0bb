// SPDX-License-Identifier: Apache-2.0
//! What goes to a program of ranks and comes from it, between Python and the session.

use crate::error::to_python;
use noccl::Error;
use noccl::collective::Loaded;
use noccl::program::{
    CollectiveCall, CommId, ProgramError, ProgramRequest, RankId, Response, Session, Span, session,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use self_cell::self_cell;
use send_wrapper::SendWrapper;
use std::collections::HashMap;
use std::str::FromStr;
use std::sync::Arc;

pub(crate) fn raised(py: Python<'_>, error: &ProgramError) -> PyErr {
    let arguments = ("ProgramError", error.to_string(), None::<String>);
    let made = py.import("noccl.errors");
    match made.and_then(|module| module.call_method1("from_native", arguments)) {
        Ok(exception) => PyErr::from_value(exception),
        Err(broken_package) => broken_package,
    }
}

/// Negative numbers stand for any.
pub(crate) fn any_or<T: TryFrom<i64>>(number: i64) -> Option<T> {
    T::try_from(number).ok().filter(|_| number >= 0)
}

/// Responses with the ranks that they are for; one to a wait beside the calls of a rank is known by its number alone.
pub(crate) fn response_list(
    py: Python<'_>,
    responses: Vec<(RankId, Response)>,
) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for (rank, response) in responses {
        let who = match &response {
            Response::Task { token, .. } => -1 - i64::from(*token),
            Response::Done
            | Response::Requests(_)
            | Response::Probed { .. }
            | Response::Output(_)
            | Response::Communicator(_) => i64::from(rank.0),
        };
        list.append((who, response_object(py, response)?))?;
    }
    Ok(list)
}

pub(crate) fn call(
    py: Python<'_>,
    comm: u32,
    kind: &str,
    payload: Vec<u8>,
    root: u32,
    operator: &str,
    element: &str,
) -> PyResult<CollectiveCall> {
    let raise = |error: noccl::Error| to_python(py, &error);
    Ok(CollectiveCall {
        comm: CommId(comm),
        kind: known(kind, noccl::collective::parse_collective).map_err(raise)?,
        payload,
        root,
        operator: known(operator, noccl::collective::parse_operator).map_err(raise)?,
        element: known(element, noccl::collective::parse_element).map_err(raise)?,
    })
}

/// Our own name of something, which each call of a collective states; else a name that users write.
fn known<T: FromStr>(name: &str, read: fn(&str) -> Result<T, Error>) -> Result<T, Error> {
    name.parse().or_else(|_| read(name))
}

/// Ranks, first cycles and ends of calls, what was called and where, the last two as numbers of names: a value per call, little-endian.
pub(crate) type TimelineColumns<'py> = ([Bound<'py, PyBytes>; 5], Vec<String>);

/// The calls of ranks by column.
pub(crate) fn timeline_columns<'py>(py: Python<'py>, calls: &[Span]) -> TimelineColumns<'py> {
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut number = |name| {
        let next = numbers.len() as u32;
        *numbers.entry(name).or_insert(next)
    };
    let whats: Vec<u32> = calls.iter().map(|call| number(call.what)).collect();
    let places: Vec<u32> = calls.iter().map(|call| number(&call.call_site)).collect();
    let mut names: Vec<(u32, &str)> = numbers.into_iter().map(|(name, n)| (n, name)).collect();
    names.sort_unstable();
    let ranks = calls.iter().map(|call| call.rank.0.to_le_bytes());
    let starts = calls.iter().map(|call| call.start_cycle.to_le_bytes());
    let ends = calls.iter().map(|call| call.end_cycle.to_le_bytes());
    let bytes = |bytes: Vec<u8>| PyBytes::new(py, &bytes);
    let columns = [
        bytes(ranks.flatten().collect()),
        bytes(starts.flatten().collect()),
        bytes(ends.flatten().collect()),
        bytes(whats.iter().flat_map(|n| n.to_le_bytes()).collect()),
        bytes(places.iter().flat_map(|n| n.to_le_bytes()).collect()),
    ];
    let names = names.into_iter().map(|(_, name)| name.to_owned());
    (columns, names.collect())
}

/// Source, tag and bytes of a message that was found.
pub(crate) fn probed(response: Response) -> Option<(u32, i64, u64)> {
    match response {
        Response::Probed { source, tag, bytes } => Some((source, tag, bytes)),
        Response::Done
        | Response::Requests(_)
        | Response::Output(_)
        | Response::Task { .. }
        | Response::Communicator(_) => None,
    }
}

fn response_object(py: Python<'_>, response: Response) -> PyResult<Py<PyAny>> {
    Ok(match response {
        Response::Done => py.None(),
        Response::Requests(over) | Response::Task { over, .. } => {
            let list = PyList::empty(py);
            for received in over {
                let data = received.data.map(|data| PyBytes::new(py, &data));
                list.append((received.index, received.source, received.tag, data))?;
            }
            list.into_any().unbind()
        }
        Response::Probed { source, tag, bytes } => {
            (source, tag, bytes).into_pyobject(py)?.into_any().unbind()
        }
        Response::Output(bytes) => PyBytes::new(py, &bytes).into_any().unbind(),
        Response::Communicator(made) => {
            let made = made.map_or((-1, -1, 0), |(comm, rank, size)| {
                (i64::from(comm.0), i64::from(rank), i64::from(size))
            });
            made.into_pyobject(py)?.into_any().unbind()
        }
    })
}

// A session of ranks with the network that it runs on, in one object that belongs to the thread that has made it.

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
