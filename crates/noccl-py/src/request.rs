// SPDX-License-Identifier: Apache-2.0
//! Requests as the Python package writes them, in the text forms that the command line reads too.

use noccl::collective::{
    AlgorithmRequest, CompareRequest, Definition, ExplainRequest, ExplainSubject, Lengths,
    RunRequest, Schedule, parse_algorithms, parse_collective, parse_element, parse_one_algorithm,
    parse_operator,
};
use noccl::hardware::{HardwareRequest, parse_boundary};
use noccl::network::{Network, parse_group, parse_root};
use noccl::program::NoiseRequest;
use noccl::study::{
    AttentionRequest, GemmRequest, StressRequest, TrafficRequest, gemm, loads_of_capacity,
    parse_pattern, parse_stress_kinds,
};
use noccl::{Error, Mode};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Reads a request; its fields are the caller's arguments.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    let mut reader = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let argument = error.path().to_string();
        let message = error.inner().to_string();
        // Where in the text means nothing to the caller.
        let reason = message.split(" at line ").next().unwrap_or(&message);
        let (found, accepted) = reason
            .split_once(", expected ")
            .unwrap_or((reason, "another value"));
        Error::argument(&argument, found, format!("accepted: {accepted}"))
    })
}

/// A collective at one size by one algorithm.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScheduleFields {
    collective: String,
    pub(crate) bytes: u64,
    group: String,
    root: Option<String>,
    algorithm: String,
    operator: String,
    element: String,
    lengths: Option<Lengths>,
    definition: Option<Definition>,
}

impl ScheduleFields {
    pub(crate) fn resolve(
        &self,
        network: &Network,
    ) -> Result<(CompareRequest, AlgorithmRequest), Error> {
        let mut request = CompareRequest::new(
            parse_collective(&self.collective)?,
            parse_group(network, &self.group)?,
            vec![self.bytes],
        );
        request.root = root(network, self.root.as_deref())?;
        request.operator = parse_operator(&self.operator)?;
        request.element = parse_element(&self.element)?;
        request.lengths.clone_from(&self.lengths);
        request.definition = self.definition.clone().map(Box::new);
        let algorithm = parse_one_algorithm("algorithm", &self.algorithm)?;
        Ok((request, algorithm))
    }
}

/// What is explained: a collective, or a schedule that crosses the border beside this.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExplainFields {
    collective: Option<ScheduleFields>,
    has_reruns: bool,
    is_lock_step: bool,
}

impl ExplainFields {
    pub(crate) fn resolve(
        self,
        network: &Network,
        schedule: Option<Schedule>,
    ) -> Result<ExplainRequest, Error> {
        let subject = match (self.collective, schedule) {
            (Some(fields), _) => {
                let (request, algorithm) = fields.resolve(network)?;
                ExplainSubject::Collective(Box::new(request), algorithm)
            }
            (None, Some(schedule)) => ExplainSubject::Schedule(Box::new(schedule)),
            (None, None) => {
                let accepted = "accepted: a collective or a schedule";
                return Err(Error::argument("what", "nothing", accepted));
            }
        };
        Ok(ExplainRequest {
            subject,
            has_relaxed: self.has_reruns,
            is_lock_step: self.is_lock_step,
        })
    }
}

/// A comparison.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CompareFields {
    collective: String,
    bytes: Vec<u64>,
    group: String,
    root: Option<String>,
    algorithms: Vec<String>,
    operator: String,
    element: String,
    seed: u64,
    has_links: bool,
    lengths: Option<Lengths>,
    definition: Option<Definition>,
    is_lock_step: bool,
    noise: Option<NoiseFields>,
}

/// Runs under noise.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoiseFields {
    seed: u64,
    runs: u32,
    start_skew_cycles: u64,
}

impl NoiseFields {
    const fn resolve(self) -> NoiseRequest {
        NoiseRequest {
            seed: self.seed,
            runs: self.runs,
            start_skew_cycles: self.start_skew_cycles,
        }
    }
}

impl CompareFields {
    pub(crate) fn resolve(self, network: &Network) -> Result<CompareRequest, Error> {
        let group = parse_group(network, &self.group)?;
        let mut request =
            CompareRequest::new(parse_collective(&self.collective)?, group, self.bytes);
        request.root = root(network, self.root.as_deref())?;
        if !self.algorithms.is_empty() {
            request.algorithms = parse_algorithms(&self.algorithms.join(","))?;
        }
        request.operator = parse_operator(&self.operator)?;
        request.element = parse_element(&self.element)?;
        request.seed = self.seed;
        request.has_links = self.has_links;
        request.lengths = self.lengths;
        request.definition = self.definition.map(Box::new);
        request.is_lock_step = self.is_lock_step;
        request.noise = self.noise.map(NoiseFields::resolve);
        Ok(request)
    }
}

/// Options of a run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunFields {
    mode: String,
    seed: u64,
    threads: usize,
    max_cycles: Option<u64>,
    backend: String,
    boundary: Option<String>,
    is_lock_step: bool,
    noise: Option<NoiseFields>,
}

impl RunFields {
    pub(crate) fn resolve(self) -> Result<RunRequest, Error> {
        let mut request = RunRequest::new(mode(&self.mode)?);
        request.seed = self.seed;
        let boundary = self.boundary.as_deref().map(parse_boundary).transpose()?;
        request.hardware = HardwareRequest::parse(&self.backend, boundary, None)?;
        request.config.threads = self.threads;
        request.config.is_lock_step = self.is_lock_step;
        request.noise = self.noise.map(NoiseFields::resolve);
        if let Some(max_cycles) = self.max_cycles {
            request.config.max_cycles = max_cycles;
        }
        Ok(request)
    }
}

/// A traffic sweep.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrafficFields {
    pattern: String,
    loads: Option<Vec<f64>>,
    beats: Option<u32>,
    seeds: u32,
    latency_limit_cycles: Option<f64>,
    warmup_cycles: u64,
    measure_cycles: u64,
    seed: u64,
    threads: usize,
    has_saturation: bool,
}

impl TrafficFields {
    pub(crate) fn resolve(self, network: &Network) -> Result<TrafficRequest, Error> {
        let pattern = parse_pattern(&self.pattern)?;
        let mut request = TrafficRequest::on(network, pattern);
        if let Some(beats) = self.beats {
            request.beats = beats;
            if pattern.is_collective() {
                request.loads = loads_of_capacity(network, pattern, beats.max(1));
            }
        }
        if let Some(loads) = self.loads {
            request.loads = loads;
        }
        request.seeds = self.seeds;
        request.latency_limit_cycles = self.latency_limit_cycles;
        request.warmup_cycles = self.warmup_cycles;
        request.measure_cycles = self.measure_cycles;
        request.seed = self.seed;
        request.threads = self.threads;
        request.has_saturation = self.has_saturation;
        Ok(request)
    }
}

/// A stress run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StressFields {
    seeds: u64,
    first_seed: u64,
    kinds: Vec<String>,
    transactions: u32,
    has_variants: bool,
}

impl StressFields {
    pub(crate) fn resolve(self, spec_arguments: &str) -> Result<StressRequest, Error> {
        let kinds = if self.kinds.is_empty() {
            "all".to_owned()
        } else {
            self.kinds.join(",")
        };
        Ok(StressRequest {
            spec_arguments: spec_arguments.to_owned(),
            seeds: self.seeds,
            first_seed: self.first_seed,
            kinds: parse_stress_kinds(&kinds)?,
            transactions: self.transactions,
            has_variants: self.has_variants,
        })
    }
}

/// Matrix products.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GemmFields {
    kernel: String,
    meshes: Vec<String>,
    collectives: String,
    prefetch: u32,
    sync: String,
    submatrix: Option<String>,
    element: String,
    overrides: Vec<(String, String)>,
    backend: Option<String>,
    shape: Option<String>,
    iterations: Option<u32>,
    mode: Option<String>,
    seed: Option<u64>,
    root: Option<String>,
    has_line_energy: Option<bool>,
}

impl GemmFields {
    pub(crate) fn resolve(self) -> Result<GemmRequest, Error> {
        let meshes: Result<_, Error> = self.meshes.iter().map(|m| gemm::parse_mesh(m)).collect();
        let base = GemmRequest::new(
            gemm::parse_gemm_kernel(&self.kernel)?,
            meshes?,
            gemm::parse_collectives(&self.collectives)?,
        );
        let element = parse_element(&self.element)?;
        let submatrix = self.submatrix.as_deref();
        let submatrix = submatrix.map(|text| gemm::parse_submatrix(text, element));
        let problem = self.shape.as_deref().map(gemm::parse_problem);
        let backend = self.backend.as_deref().map(gemm::parse_backends);
        let mode = self.mode.as_deref().map(mode);
        let root = self.root.as_deref().map(gemm::parse_fused_root);
        Ok(GemmRequest {
            root: root.transpose()?.unwrap_or(base.root),
            has_line_energy: self.has_line_energy.unwrap_or(base.has_line_energy),
            prefetch: self.prefetch,
            sync: gemm::parse_sync(&self.sync)?,
            submatrix: submatrix.transpose()?.unwrap_or(base.submatrix),
            problem: problem.transpose()?.flatten(),
            backends: backend
                .transpose()?
                .unwrap_or_else(|| base.backends.clone()),
            iterations: self.iterations.unwrap_or(base.iterations),
            mode: mode.transpose()?.unwrap_or(base.mode),
            seed: self.seed.unwrap_or(base.seed),
            overrides: self.overrides,
            ..base
        })
    }
}

/// An attention layer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AttentionFields {
    mesh: String,
    tokens: u32,
    head_columns: u32,
    heads: u32,
    element: String,
    utilisation: Option<f64>,
    exponential_operations: u32,
    mode: String,
    seed: u64,
    threads: usize,
    overrides: Vec<(String, String)>,
}

impl AttentionFields {
    pub(crate) fn resolve(self) -> Result<AttentionRequest, Error> {
        let mut request = AttentionRequest::new(gemm::parse_mesh(&self.mesh)?);
        let layer = &mut request.attention;
        layer.tokens = self.tokens;
        layer.head_columns = self.head_columns;
        layer.heads = self.heads;
        layer.element = parse_element(&self.element)?;
        layer.utilisation = self.utilisation.unwrap_or(layer.utilisation);
        layer.exponential_operations = self.exponential_operations;
        request.mode = mode(&self.mode)?;
        request.seed = self.seed;
        request.threads = self.threads;
        request.overrides = self.overrides;
        Ok(request)
    }
}

fn mode(text: &str) -> Result<Mode, Error> {
    match text {
        "value" => Ok(Mode::Value),
        "timing" => Ok(Mode::Timing),
        other => Err(Error::argument("mode", other, "accepted: value, timing")),
    }
}

fn root(network: &Network, text: Option<&str>) -> Result<Option<noccl::network::TileRef>, Error> {
    text.map(|text| parse_root(network, text)).transpose()
}
