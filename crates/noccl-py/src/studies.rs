// SPDX-License-Identifier: Apache-2.0
//! The functions of the module that stand for whole studies: claims, barriers, attention layers.

use crate::calls::json;
use crate::request::{AttentionFields, parse};
use crate::supervise::supervise;
use pyo3::prelude::*;
use serde_json::json as object;

/// Measures a paper's claims; rows and figures as JSON text.
#[pyfunction]
pub(crate) fn reproduce(
    py: Python<'_>,
    paper: String,
    is_quick: bool,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    supervise(py, on_progress.as_ref(), move |watch| {
        let found = noccl::reproduce(&paper, is_quick, watch)?;
        json(&object!({"rows": found.rows, "figures": found.figures}))
    })
}

/// Simulates every barrier algorithm; the study as JSON text.
#[pyfunction]
pub(crate) fn barrier_study(
    py: Python<'_>,
    clusters: Vec<u32>,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    supervise(py, on_progress.as_ref(), move |watch| {
        json(&noccl::barrier_study(&clusters, watch)?)
    })
}

/// Runs an attention layer; its row as JSON text.
#[pyfunction]
pub(crate) fn attention(
    py: Python<'_>,
    request: String,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    supervise(py, on_progress.as_ref(), move |watch| {
        let fields: AttentionFields = parse(&request)?;
        json(&noccl::attention(&fields.resolve()?, watch)?)
    })
}
