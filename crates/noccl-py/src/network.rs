// SPDX-License-Identifier: Apache-2.0
//! An elaborated network as a Python object.

use crate::error::to_python;
use noccl::collective::Loaded;
use noccl::network::describe;
use pyo3::prelude::*;
use std::sync::Arc;

/// An elaborated network: total, immutable, made only by `load`.
#[pyclass(frozen, module = "noccl._native")]
pub(crate) struct Network {
    pub(crate) loaded: Arc<Loaded>,
    /// The spec as its user named it, for reproducers.
    pub(crate) spec_arguments: String,
}

#[pymethods]
impl Network {
    /// Name of the network.
    #[getter]
    fn name(&self) -> &str {
        &self.loaded.network.spec().name
    }

    /// Columns of clusters.
    #[getter]
    fn width(&self) -> u16 {
        self.loaded.network.cluster_width()
    }

    /// Rows of clusters.
    #[getter]
    fn height(&self) -> u16 {
        self.loaded.network.cluster_height()
    }

    /// Columns of the mesh, memory tiles included.
    #[getter]
    fn mesh_width(&self) -> u16 {
        self.loaded.network.width()
    }

    /// Rows of the mesh, memory tiles included.
    #[getter]
    fn mesh_height(&self) -> u16 {
        self.loaded.network.height()
    }

    /// Number of clusters.
    #[getter]
    fn num_clusters(&self) -> usize {
        self.loaded.network.clusters().count()
    }

    /// Number of memory tiles.
    #[getter]
    fn num_memories(&self) -> usize {
        self.loaded.network.memories().count()
    }

    /// Settings of the spec that have no effect.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.loaded.warnings.clone()
    }

    /// Names of before that the spec is written with, and what they are now.
    #[getter]
    fn old_names(&self) -> Vec<String> {
        self.loaded.old_names.clone()
    }

    /// Tiles, links and address map as JSON text (`formats/network.schema.json`).
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        let description = describe(&self.loaded.network, &self.loaded.warnings);
        serde_json::to_string(&description).map_err(|e| to_python(py, &unwritable(&e)))
    }

    /// The whole spec as TOML text, overrides applied.
    fn to_toml(&self) -> String {
        noccl::network::to_toml(self.loaded.network.spec())
    }

    fn __repr__(&self) -> String {
        format!("<noccl.Network {}>", self.name())
    }
}

/// A result without a JSON form; no result type has such values.
pub(crate) fn unwritable(error: &serde_json::Error) -> noccl::Error {
    noccl::Error::File(noccl::files::FileError::Content {
        path: "result".to_owned(),
        expected: "value with a JSON form",
        reason: error.to_string(),
    })
}
