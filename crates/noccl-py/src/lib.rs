// SPDX-License-Identifier: Apache-2.0
//! Python binding: convert in, call the facade, convert out.
//!
//! No rule of the domain lives here. Structured arguments and results cross the border as JSON text
//! of the types that the facade publishes a schema for, so there is one definition of every format;
//! payload bytes cross as buffers.

use pyo3::prelude::*;

/// The extension module behind the package `noccl`; its functions are typed in `python/noccl/_native.pyi`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
