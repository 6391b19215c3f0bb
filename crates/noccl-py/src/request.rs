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
use noccl::{Error, parse_mode};
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

/// What is explained: a collective, or a schedule that crosses the border beside this.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExplainFields {
    collective: Option<CompareFields>,
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
                let (request, algorithm) = fields.resolve_one(network)?;
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

/// A comparison, or one algorithm at one size.
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
    seed: Option<u64>,
    #[serde(default)]
    has_links: bool,
    lengths: Option<Lengths>,
    definition: Option<Definition>,
    #[serde(default)]
    is_lock_step: bool,
    noise: Option<NoiseRequest>,
}

impl CompareFields {
    pub(crate) fn resolve(self, network: &Network) -> Result<CompareRequest, Error> {
        let group = parse_group(network, &self.group)?;
        let mut request =
            CompareRequest::new(parse_collective(&self.collective)?, group, self.bytes);
        let root = self.root.as_deref();
        request.root = root.map(|root| parse_root(network, root)).transpose()?;
        if !self.algorithms.is_empty() {
            request.algorithms = parse_algorithms(&self.algorithms.join(","))?;
        }
        request.operator = parse_operator(&self.operator)?;
        request.element = parse_element(&self.element)?;
        request.seed = self.seed.unwrap_or(request.seed);
        request.has_links = self.has_links;
        request.lengths = self.lengths;
        request.definition = self.definition.map(Box::new);
        request.is_lock_step = self.is_lock_step;
        request.noise = self.noise;
        Ok(request)
    }

    /// With the only algorithm.
    pub(crate) fn resolve_one(
        mut self,
        network: &Network,
    ) -> Result<(CompareRequest, AlgorithmRequest), Error> {
        let algorithm = std::mem::take(&mut self.algorithms).join(",");
        let algorithm = parse_one_algorithm("algorithm", &algorithm)?;
        Ok((self.resolve(network)?, algorithm))
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
    noise: Option<NoiseRequest>,
}

impl RunFields {
    pub(crate) fn resolve(self) -> Result<RunRequest, Error> {
        let mut request = RunRequest::new(parse_mode(&self.mode)?);
        request.seed = self.seed;
        let boundary = self.boundary.as_deref().map(parse_boundary).transpose()?;
        request.hardware = HardwareRequest::parse(&self.backend, boundary, None)?;
        request.config.threads = self.threads;
        request.config.is_lock_step = self.is_lock_step;
        request.noise = self.noise;
        if let Some(max_cycles) = self.max_cycles {
            request.config.max_cycles = max_cycles;
        }
        Ok(request)
    }
}
