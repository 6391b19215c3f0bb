// SPDX-License-Identifier: Apache-2.0
//! The functions of the module that stand for whole studies: barriers, attention layers.

use crate::calls::json;
use crate::request::{AttentionFields, parse};
use crate::supervise::supervise;
use pyo3::prelude::*;

/// Simulates every barrier algorithm; the study as JSON text.
#[pyfunction]
pub(crate) fn barrier_study(
    py: Python<'_>,
    clusters: Vec<u32>,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    supervise(py, on_progress.as_ref(), move |watch| {
        json(&noccl::study::barrier_study(&clusters, watch)?)
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
        json(&noccl::study::attention(&fields.resolve()?, watch)?)
    })
}
