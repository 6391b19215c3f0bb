// SPDX-License-Identifier: Apache-2.0
//! What goes to a program of ranks and comes from it, between Python and the session.

use crate::error::to_python;
use noccl::program::{CollectiveCall, CommId, ProgramError, RankId, Response};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

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
            Response::Beside { token, .. } => -1 - i64::from(*token),
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
        kind: noccl::parse_collective(kind).map_err(raise)?,
        payload,
        root,
        operator: noccl::parse_operator(operator).map_err(raise)?,
        element: noccl::parse_element(element).map_err(raise)?,
    })
}

fn response_object(py: Python<'_>, response: Response) -> PyResult<Py<PyAny>> {
    Ok(match response {
        Response::Done => py.None(),
        Response::Requests(over) | Response::Beside { over, .. } => {
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
