// SPDX-License-Identifier: Apache-2.0
//! The functions of the module about orders of a chain's destinations.

use crate::calls::json;
use crate::network::Network;
use crate::request::parse;
use crate::supervise::supervise;
use noccl::Error;
use noccl::collective::ChainOrder;
use noccl::network::{parse_set, parse_tile};
use noccl::study::{OrderDrawRequest, OrderRequest};
use pyo3::prelude::*;
use serde::Deserialize;
use std::sync::Arc;

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
