// SPDX-License-Identifier: Apache-2.0
//! Files, by the rules of the command: complete or as before, and of bounded size.

use crate::supervise::supervise;
use pyo3::prelude::*;
use std::path::PathBuf;

/// Reads a text file.
#[pyfunction]
pub(crate) fn read_text(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    supervise(py, None, move |_| noccl::files::read_text(&path))
}

/// Writes a file as a whole.
#[pyfunction]
pub(crate) fn write_file(py: Python<'_>, path: PathBuf, content: Vec<u8>) -> PyResult<()> {
    supervise(py, None, move |_| {
        noccl::files::write_bytes(&path, &content)
    })
}
