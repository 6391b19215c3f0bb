// SPDX-License-Identifier: Apache-2.0
//! The function of the module that searches schedules.

use crate::calls::json;
use crate::network::Network;
use crate::request::parse;
use crate::supervise::supervise;
use noccl::{
    Error, SynthRequest, parse_collective, parse_element, parse_faulty_link, parse_group,
    parse_objective, parse_operator, parse_root, parse_time_limit,
};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::json as object;
use std::sync::Arc;

/// What to search for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SynthFields {
    collective: String,
    groups: Vec<String>,
    root: Option<String>,
    bytes: u64,
    operator: String,
    element: String,
    objective: String,
    seed: u64,
    time_limit_seconds: f64,
    tries: Option<u64>,
    is_software: bool,
    faulty_links: Vec<String>,
    faulty_tiles: Vec<String>,
}

impl SynthFields {
    fn resolve(&self, network: &noccl::Network) -> Result<SynthRequest, Error> {
        let groups = self.groups.iter().map(|g| parse_group(network, g));
        let links = self.faulty_links.iter().map(|l| parse_faulty_link(l));
        let tiles = self.faulty_tiles.iter();
        let tiles = tiles.map(|t| Ok(network.parse_tile_ref(t)?));
        let root = self.root.as_deref();
        Ok(SynthRequest {
            root: root.map(|r| parse_root(network, r)).transpose()?,
            operator: parse_operator(&self.operator)?,
            element: parse_element(&self.element)?,
            objective: parse_objective(&self.objective)?,
            seed: self.seed,
            time_limit: parse_time_limit(&format!("{}s", self.time_limit_seconds))?,
            tries: self.tries,
            is_software: self.is_software,
            faulty_links: links.collect::<Result<_, _>>()?,
            faulty_tiles: tiles.collect::<Result<_, Error>>()?,
            ..SynthRequest::new(
                parse_collective(&self.collective)?,
                groups.collect::<Result<_, _>>()?,
                self.bytes,
            )
        })
    }
}

/// Searches a schedule; report and schedule as JSON text.
#[pyfunction]
pub(crate) fn synth(
    py: Python<'_>,
    network: &Network,
    request: String,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let loaded = Arc::clone(&network.loaded);
    supervise(py, on_progress.as_ref(), move |watch| {
        let network = &loaded.network;
        let fields: SynthFields = parse(&request)?;
        let (report, schedule) = noccl::synth(network, &fields.resolve(network)?, watch)?;
        json(&object!({"report": report, "schedule": schedule}))
    })
}
