// SPDX-License-Identifier: Apache-2.0
//! The functions of the module, one per function of the facade.

use crate::error::to_python;
use crate::request::{CompareFields, ExplainFields, RunFields, parse};
use crate::supervise::supervise;
use noccl::collective::{
    Loaded, MemoryImage, Place, RunRecording, Schedule, ViewRequest, parse_collective,
    parse_element, parse_one_algorithm, parse_operator, word,
};
use noccl::network::{describe, parse_tile, root_name};
use noccl::report::ShownRun;
use noccl::study::{Calibration, GemmRequest, StressRequest, TrafficRequest};
use noccl::{Error, Watch};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::PathBuf;
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
        overrides,
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
        move |fields: CompareFields, watch| {
            let network = &loaded.network;
            let (request, algorithm) = fields.resolve_one(network)?;
            let bytes = request.bytes.first().copied();
            let bytes =
                bytes.ok_or_else(|| Error::argument("bytes", "none", "accepted: a size"))?;
            noccl::collective::schedule(network, &request, bytes, algorithm, watch)
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

/// As `run`, with the recording of the run as JSON text.
#[pyfunction]
pub(crate) fn record(
    py: Python<'_>,
    network: &Network,
    schedule: String,
    request: String,
    on_progress: OnProgress,
) -> PyResult<(String, String)> {
    let loaded = Arc::clone(&network.loaded);
    supervise(py, on_progress.as_ref(), move |watch| {
        let fields: RunFields = parse(&request)?;
        let schedule = read_schedule(&schedule)?;
        let request = fields.resolve()?;
        let found = noccl::collective::record(&loaded.network, &schedule, &request, watch)?;
        Ok((json(&found.0)?, json(&found.1)?))
    })
}

/// The recording in the text of a file, checked, as JSON text; `name` is that of the file.
#[pyfunction]
pub(crate) fn parse_recording(py: Python<'_>, name: String, text: String) -> PyResult<String> {
    supervise(py, None, move |_| {
        json(&noccl::collective::parse_recording(&name, &text)?)
    })
}

/// The text of a recording's file, from the recording as JSON text.
#[pyfunction]
pub(crate) fn recording_file(py: Python<'_>, recording: String) -> PyResult<String> {
    supervise(py, None, move |_| {
        let read: RunRecording = noccl::files::parse_json("recording", &recording, "recording")?;
        read.file()
    })
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

/// Says where the cycles of a run go; explanation as JSON text.
#[pyfunction]
pub(crate) fn explain(
    py: Python<'_>,
    network: &Network,
    request: String,
    schedule: Option<String>,
    on_progress: OnProgress,
) -> PyResult<String> {
    let loaded = Arc::clone(&network.loaded);
    respond(
        py,
        &on_progress,
        request,
        move |fields: ExplainFields, watch| {
            let network = &loaded.network;
            let schedule = schedule.as_deref().map(read_schedule).transpose()?;
            noccl::collective::explain(network, &fields.resolve(network, schedule)?, watch)
        },
    )
}

/// Runs a request, or a schedule on its network, and records what a picture needs, as JSON text.
#[pyfunction]
pub(crate) fn view(
    py: Python<'_>,
    request: String,
    schedule: Option<String>,
    on_progress: OnProgress,
) -> PyResult<String> {
    respond(
        py,
        &on_progress,
        request,
        move |request: ViewRequest, watch| match schedule {
            Some(text) => noccl::collective::view_schedule(&request, &read_schedule(&text)?, watch),
            None => noccl::collective::view(&request, watch),
        },
    )
}

/// The page that shows recorded runs, each the JSON text of a view or of a recording.
#[pyfunction]
pub(crate) fn live_page(
    py: Python<'_>,
    views: Vec<String>,
    recordings: Vec<String>,
) -> PyResult<String> {
    supervise(py, None, move |_| {
        let mut runs = Vec::new();
        for view in &views {
            runs.push(ShownRun::View(parse(view)?));
        }
        for recording in &recordings {
            runs.push(ShownRun::Recording(parse(recording)?));
        }
        noccl::report::live_page(&runs)
    })
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
        move |request: TrafficRequest, watch| {
            noccl::study::traffic(&loaded.network, &request, watch)
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
        move |mut request: StressRequest, watch| {
            request.spec_arguments = spec_arguments;
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
        let request: GemmRequest = parse(&request)?;
        json(&noccl::study::gemm(&request, watch)?)
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
        noccl::study::gemm::gemm_values(&parse(&request)?, &a, &b, watch)
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

// An elaborated network as a Python object.

/// An elaborated network: total, immutable, made only by `load`.
#[pyclass(frozen, module = "noccl._native")]
pub(crate) struct Network {
    pub(crate) loaded: Arc<Loaded>,
    /// The spec as its user named it, for reproducers.
    pub(crate) spec_arguments: String,
    /// Fields of the spec that differ from the preset or the file, with their values.
    overrides: Vec<(String, String)>,
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

    /// Clusters on the mesh: x and y of the south-west one, columns, rows.
    #[getter]
    fn cluster_region(&self) -> (u16, u16, u16, u16) {
        let network = &self.loaded.network;
        let origin = network.cluster_origin();
        let (columns, rows) = (network.cluster_width(), network.cluster_height());
        (origin.x, origin.y, columns, rows)
    }

    /// Columns and rows of the memory tiles on the mesh; `mem:N` is the N-th.
    #[getter]
    fn memory_tiles(&self) -> Vec<(u16, u16)> {
        let network = &self.loaded.network;
        let at = network.memories().map(|tile| network.coord(tile));
        at.map(|coord| (coord.x, coord.y)).collect()
    }

    /// Fields of the spec that `load` was asked to change, as dotted paths, with their values.
    #[getter]
    fn overrides(&self) -> Vec<(String, String)> {
        self.overrides.clone()
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
        let settings = self.overrides.iter();
        let settings: String = settings
            .map(|(key, value)| format!(", {key}={value}"))
            .collect();
        let (columns, rows) = (self.width(), self.height());
        let (name, memories) = (self.name(), self.num_memories());
        format!(
            "<noccl.Network {name}: {columns}x{rows} clusters, {memories} memory tiles{settings}>"
        )
    }

    /// The drawing of the mesh, as notebooks ask for it.
    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
        let pictures = slf.py().import("noccl.mesh_drawing")?;
        pictures.call_method1("network_html", (slf,))?.extract()
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

// Files, by the rules of the command: complete or as before, and of bounded size.

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

// What sweeps need beside `compare`: the words of a point, and its row by the model.

/// The word of a collective, an operator or an element, also by another name of it; of an algorithm its text, if one is meant.
#[pyfunction]
pub(crate) fn point_word(py: Python<'_>, kind: &str, text: &str) -> PyResult<String> {
    let found = match kind {
        "collective" => parse_collective(text).map(|found| word(&found)),
        "operator" => parse_operator(text).map(|found| word(&found)),
        "element" => parse_element(text).map(|found| word(&found)),
        "algorithm" => one_algorithm(text),
        other => {
            let accepted = "accepted: collective, operator, element, algorithm";
            Err(Error::argument("kind", other, accepted))
        }
    };
    found.map_err(|error| to_python(py, &error))
}

fn one_algorithm(text: &str) -> Result<String, Error> {
    parse_one_algorithm("algorithm", text)?;
    Ok(text.trim().to_owned())
}

/// The tile of a network that a text names, as messages and tables name it.
#[pyfunction]
pub(crate) fn tile_name(py: Python<'_>, network: &Network, text: &str) -> PyResult<String> {
    let tile = parse_tile(&network.loaded.network, "root", text);
    tile.map(root_name).map_err(|error| to_python(py, &error))
}

/// Compares algorithms by the model with the constants that ship with it; rows as JSON text.
#[pyfunction]
pub(crate) fn compare_by_model(
    py: Python<'_>,
    network: &Network,
    request: String,
) -> PyResult<String> {
    let loaded = Arc::clone(&network.loaded);
    supervise(py, None, move |_| {
        let fields: CompareFields = parse(&request)?;
        let network = &loaded.network;
        let request = fields.resolve(network)?;
        json(
            &noccl::collective::compare_by_model(network, &request, &Calibration::shipped()?)?.rows,
        )
    })
}
