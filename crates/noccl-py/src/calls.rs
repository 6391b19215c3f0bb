// SPDX-License-Identifier: Apache-2.0
//! The functions of the module, one per function of the facade.

use crate::error::to_python;
use crate::network::{Network, unwritable};
use crate::request::{
    CompareFields, GemmFields, RunFields, ScheduleFields, StressFields, TrafficFields, parse,
};
use crate::supervise::supervise;
use noccl::collective::{MemoryImage, Place, Schedule};
use noccl::network::parse_tile;
use noccl::{Error, Watch};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

type OnProgress = Option<Py<PyAny>>;

/// Names of the specs that ship with the library.
#[pyfunction]
pub(crate) fn presets() -> Vec<&'static str> {
    noccl::network::preset_names().to_vec()
}

/// Bytes of a size as users write it, and what they should know about its unit.
#[pyfunction]
pub(crate) fn parse_size(py: Python<'_>, text: &str) -> PyResult<(u64, Option<String>)> {
    let bytes = noccl::collective::parse_bytes(text).map_err(|e| to_python(py, &e))?;
    Ok((bytes, noccl::collective::size_note(text)))
}

/// Loads and elaborates a spec.
#[pyfunction]
pub(crate) fn load(
    py: Python<'_>,
    preset_or_file: &str,
    overrides: Vec<(String, String)>,
) -> PyResult<Network> {
    let loaded = noccl::network::load(preset_or_file, &overrides).map_err(|e| to_python(py, &e))?;
    let settings = overrides
        .iter()
        .map(|(key, value)| format!(" -P '{key}={value}'"));
    Ok(Network {
        loaded: Arc::new(loaded),
        spec_arguments: std::iter::once(preset_or_file.to_owned())
            .chain(settings)
            .collect(),
    })
}

/// Coordinates of a group's members in rank order.
#[pyfunction]
pub(crate) fn members(py: Python<'_>, network: &Network, group: &str) -> PyResult<Vec<(u16, u16)>> {
    let network = &network.loaded.network;
    let set = noccl::network::parse_group(network, group).map_err(|e| to_python(py, &e))?;
    let coords = noccl::network::members(network, &set).map_err(|e| to_python(py, &e))?;
    Ok(coords.iter().map(|c| (c.x, c.y)).collect())
}

/// The schedule of a collective by one algorithm, as JSON text.
#[pyfunction]
pub(crate) fn schedule(
    py: Python<'_>,
    network: &Network,
    request: String,
    on_progress: OnProgress,
) -> PyResult<String> {
    let loaded = Arc::clone(&network.loaded);
    respond(
        py,
        &on_progress,
        request,
        move |fields: ScheduleFields, watch| {
            let network = &loaded.network;
            let (request, algorithm) = fields.resolve(network)?;
            noccl::collective::schedule(network, &request, fields.bytes, algorithm, watch)
        },
    )
}

/// What the checker proves about a schedule, as JSON text.
#[pyfunction]
pub(crate) fn check(py: Python<'_>, network: &Network, schedule: String) -> PyResult<String> {
    let loaded = Arc::clone(&network.loaded);
    supervise(py, None, move |_| {
        json(&noccl::collective::check(
            &loaded.network,
            &read_schedule(&schedule)?,
        )?)
    })
}

/// Runs a schedule on random inputs.
#[pyfunction]
pub(crate) fn run(
    py: Python<'_>,
    network: &Network,
    schedule: String,
    request: String,
    on_progress: OnProgress,
) -> PyResult<String> {
    let loaded = Arc::clone(&network.loaded);
    respond(
        py,
        &on_progress,
        request,
        move |fields: RunFields, watch| {
            let schedule = read_schedule(&schedule)?;
            noccl::collective::run(&loaded.network, &schedule, &fields.resolve()?, watch)
        },
    )
}

/// Runs a schedule on the caller's inputs: (tile, offset, bytes) in, (tile, offset, length) out.
#[pyfunction]
pub(crate) fn run_values<'py>(
    py: Python<'py>,
    network: &Network,
    schedule: String,
    inputs: Vec<(String, u64, Vec<u8>)>,
    outputs: Vec<(String, u64, u64)>,
    request: String,
    on_progress: OnProgress,
) -> PyResult<(String, Vec<Bound<'py, PyBytes>>)> {
    let loaded = Arc::clone(&network.loaded);
    let (report, memory) = supervise(py, on_progress.as_ref(), move |watch| {
        let network = &loaded.network;
        let fields: RunFields = parse(&request)?;
        let inputs: Vec<MemoryImage> = inputs
            .into_iter()
            .map(|(tile, offset, bytes)| {
                let tile = parse_tile(network, "inputs", &tile)?;
                Ok(MemoryImage {
                    tile,
                    offset,
                    bytes,
                })
            })
            .collect::<Result<_, Error>>()?;
        let outputs: Vec<(Place, u64)> = outputs
            .into_iter()
            .map(|(tile, offset, length)| {
                let tile = parse_tile(network, "outputs", &tile)?;
                Ok((Place { tile, offset }, length))
            })
            .collect::<Result<_, Error>>()?;
        let schedule = read_schedule(&schedule)?;
        let config = fields.resolve()?.config;
        let result =
            noccl::collective::run_values(network, &schedule, &inputs, &outputs, &config, watch)?;
        let mut report = noccl::collective::report_run(network, Some(&schedule), &result, false);
        report.verified =
            noccl::collective::verify_values(network, &schedule, &inputs, (&result, config.mode))?;
        Ok((json(&report)?, result.memory))
    })?;
    let memory = memory.iter().map(|image| PyBytes::new(py, &image.bytes));
    Ok((report, memory.collect()))
}

/// Compares algorithms; rows as JSON text.
#[pyfunction]
pub(crate) fn compare(
    py: Python<'_>,
    network: &Network,
    request: String,
    on_progress: OnProgress,
) -> PyResult<String> {
    let loaded = Arc::clone(&network.loaded);
    respond(
        py,
        &on_progress,
        request,
        move |fields: CompareFields, watch| {
            let network = &loaded.network;
            Ok(noccl::collective::compare(network, &fields.resolve(network)?, watch)?.rows)
        },
    )
}

/// Sweeps the offered load; report as JSON text.
#[pyfunction]
pub(crate) fn traffic(
    py: Python<'_>,
    network: &Network,
    request: String,
    on_progress: OnProgress,
) -> PyResult<String> {
    let loaded = Arc::clone(&network.loaded);
    respond(
        py,
        &on_progress,
        request,
        move |fields: TrafficFields, watch| {
            noccl::study::traffic(&loaded.network, &fields.resolve(&loaded.network)?, watch)
        },
    )
}

/// Runs stress seeds; report as JSON text.
#[pyfunction]
pub(crate) fn stress(
    py: Python<'_>,
    network: &Network,
    request: String,
    on_progress: OnProgress,
) -> PyResult<String> {
    let (loaded, spec_arguments) = (Arc::clone(&network.loaded), network.spec_arguments.clone());
    respond(
        py,
        &on_progress,
        request,
        move |fields: StressFields, watch| {
            let request = fields.resolve(&spec_arguments)?;
            noccl::study::stress::stress(&loaded.network, &request, watch)
        },
    )
}

/// Reads a request of type `Q`, lets `call` work on it, and writes the result as JSON text.
fn respond<Q: DeserializeOwned, A: Serialize>(
    py: Python<'_>,
    on_progress: &OnProgress,
    request: String,
    call: impl FnOnce(Q, Watch<'_>) -> Result<A, Error> + Send + 'static,
) -> PyResult<String> {
    supervise(py, on_progress.as_ref(), move |watch| {
        json(&call(parse(&request)?, watch)?)
    })
}

/// Measures matrix products; rows as JSON text.
#[pyfunction]
pub(crate) fn gemm(py: Python<'_>, request: String, on_progress: OnProgress) -> PyResult<String> {
    supervise(py, on_progress.as_ref(), move |watch| {
        let fields: GemmFields = parse(&request)?;
        json(&noccl::study::gemm(&fields.resolve()?, watch)?)
    })
}

/// Multiplies the caller's matrices: rows, columns, cycles of the run, C.
#[pyfunction]
pub(crate) fn multiply<'py>(
    py: Python<'py>,
    request: String,
    a: Vec<u8>,
    b: Vec<u8>,
    on_progress: OnProgress,
) -> PyResult<(usize, usize, u64, Bound<'py, PyBytes>)> {
    let values = supervise(py, on_progress.as_ref(), move |watch| {
        let fields: GemmFields = parse(&request)?;
        noccl::study::gemm::gemm_values(&fields.resolve()?, &a, &b, watch)
    })?;
    let (rows, columns) = values.shape;
    Ok((rows, columns, values.cycles, PyBytes::new(py, &values.c)))
}

fn read_schedule(text: &str) -> Result<Schedule, Error> {
    noccl::collective::parse_schedule("schedule", text)
}

pub(crate) fn json(value: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|e| unwritable(&e))
}
