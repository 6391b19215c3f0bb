// SPDX-License-Identifier: Apache-2.0
//! The function of the module that searches schedules.

use crate::calls::Network;
use crate::calls::json;
use crate::request::parse;
use crate::supervise::supervise;
use noccl::collective::{
    ChainOrder, SynthRequest, parse_collective, parse_element, parse_objective, parse_operator,
};
use noccl::network::{parse_faulty_link, parse_group, parse_root, parse_set, parse_tile};
use noccl::study::{AttentionRequest, OrderDrawRequest, OrderRequest};
use noccl::{Error, Step, Watch, parse_time_limit};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::json as object;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

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
    fn resolve(&self, network: &noccl::network::Network) -> Result<SynthRequest, Error> {
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

/// Time between two questions to a callback.
const PACE: Duration = Duration::from_millis(50);

/// A callback whose "no" ends the search, not the call: the best schedule so far is the result.
struct Asked {
    callback: Py<PyAny>,
    last: Mutex<Option<Instant>>,
    has_ended: AtomicBool,
    raised: Mutex<Option<PyErr>>,
}

impl Asked {
    const fn new(callback: Py<PyAny>) -> Self {
        Self {
            callback,
            last: Mutex::new(None),
            has_ended: AtomicBool::new(false),
            raised: Mutex::new(None),
        }
    }

    /// May the search go on?
    fn goes_on(&self, step: Step) -> bool {
        if self.has_ended.load(Ordering::Relaxed) {
            return false;
        }
        // One thread asks at a time; the others go on meanwhile.
        let Ok(mut last) = self.last.try_lock() else {
            return true;
        };
        if last.is_some_and(|at| at.elapsed() < PACE) {
            return true;
        }
        *last = Some(Instant::now());
        let said = Python::attach(|py| {
            let result = self
                .callback
                .call1(py, (step.done, step.total, step.simulated_cycles))?;
            let result = result.bind(py);
            Ok::<bool, PyErr>(result.is_none() || result.is_truthy()?)
        });
        let goes_on = matches!(said, Ok(true));
        if let (Err(error), Ok(mut raised)) = (said, self.raised.lock()) {
            *raised = Some(error);
        }
        self.has_ended.store(!goes_on, Ordering::Relaxed);
        goes_on
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
    let asked = Arc::new(on_progress.map(Asked::new));
    let of_work = Arc::clone(&asked);
    let found = supervise(py, None, move |watch| {
        let network = &loaded.network;
        let fields: SynthFields = parse(&request)?;
        let on_step = |step: Step| {
            let goes_on = of_work.as_ref().as_ref().is_none_or(|a| a.goes_on(step));
            watch.report(step) && goes_on
        };
        let request = fields.resolve(network)?;
        let (report, schedule) = noccl::collective::synth(network, &request, Watch::new(&on_step))?;
        json(&object!({"report": report, "schedule": schedule}))
    });
    let raised = asked.as_ref().as_ref().map(|a| a.raised.lock());
    if let Some(Ok(mut raised)) = raised
        && let Some(error) = raised.take()
    {
        return Err(error);
    }
    found
}

// The functions of the module that stand for whole studies: barriers, attention layers.

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
        let request: AttentionRequest = parse(&request)?;
        json(&noccl::study::attention(&request, watch)?)
    })
}

// The functions of the module about orders of a chain's destinations.

/// Orders of one set of destinations.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OrderFields {
    source: String,
    destinations: String,
    orders: Vec<String>,
    given: Option<Vec<String>>,
    bytes: u64,
}

/// Random sets of destinations.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DrawFields {
    source: String,
    counts: Vec<u32>,
    draws: u32,
    seed: u64,
    orders: Vec<String>,
}

/// Orders a set of destinations; the report as JSON text.
#[pyfunction]
pub(crate) fn order(py: Python<'_>, network: &Network, request: String) -> PyResult<String> {
    let loaded = Arc::clone(&network.loaded);
    supervise(py, None, move |_| {
        let network = &loaded.network;
        let fields: OrderFields = parse(&request)?;
        let given = fields.given.map(|given| {
            let tiles = given.iter().map(|at| parse_tile(network, "given", at));
            tiles.collect::<Result<Vec<_>, Error>>()
        });
        let request = OrderRequest {
            source: parse_tile(network, "source", &fields.source)?,
            destinations: parse_set(network, "destinations", &fields.destinations)?,
            orders: each_order(&fields.orders)?,
            given: given.transpose()?,
            bytes: fields.bytes,
        };
        json(&noccl::study::order(network, &request)?)
    })
}

/// Orders random sets of destinations; one row per set as JSON text.
#[pyfunction]
pub(crate) fn order_draws(
    py: Python<'_>,
    network: &Network,
    request: String,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let loaded = Arc::clone(&network.loaded);
    supervise(py, on_progress.as_ref(), move |watch| {
        let network = &loaded.network;
        let fields: DrawFields = parse(&request)?;
        let request = OrderDrawRequest {
            source: parse_tile(network, "source", &fields.source)?,
            counts: fields.counts,
            draws: fields.draws,
            seed: fields.seed,
            orders: each_order(&fields.orders)?,
        };
        json(&noccl::study::order_draws(network, &request, watch)?)
    })
}

/// Hops between any two of some tiles, as JSON text of rows.
#[pyfunction]
pub(crate) fn path_hops(py: Python<'_>, network: &Network, tiles: Vec<String>) -> PyResult<String> {
    let loaded = Arc::clone(&network.loaded);
    supervise(py, None, move |_| {
        let network = &loaded.network;
        let tiles = tiles.iter().map(|tile| parse_tile(network, "tiles", tile));
        let tiles = tiles.collect::<Result<Vec<_>, Error>>()?;
        json(&noccl::network::path_hops(network, &tiles)?)
    })
}

/// One name each: unlike in a list of the command line, an empty one stands for nothing.
fn each_order(names: &[String]) -> Result<Vec<ChainOrder>, Error> {
    let orders = names.iter().map(|name| Ok(name.trim().parse()?));
    orders.collect()
}
