// SPDX-License-Identifier: Apache-2.0
//! The functions of the module about orders of a chain's destinations.

use crate::calls::json;
use crate::network::Network;
use crate::request::parse;
use crate::supervise::supervise;
use noccl::{Error, OrderDrawRequest, OrderRequest, parse_group, parse_orders, parse_root};
use pyo3::prelude::*;
use serde::Deserialize;

/// Ways to order one set of destinations.
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
pub(crate) fn order(py: Python<'_>, network: &Network, request: &str) -> PyResult<String> {
    let network = &network.loaded.network;
    supervise(py, None, |_| {
        let fields: OrderFields = parse(request)?;
        let given = fields.given.map(|stops| {
            let tiles = stops.iter().map(|stop| parse_root(network, stop));
            tiles.collect::<Result<Vec<_>, Error>>()
        });
        let request = OrderRequest {
            source: parse_root(network, &fields.source)?,
            destinations: parse_group(network, &fields.destinations)?,
            orders: if fields.orders.is_empty() {
                Vec::new()
            } else {
                parse_orders(&fields.orders.join(","))?
            },
            given: given.transpose()?,
            bytes: fields.bytes,
        };
        json(&noccl::order(network, &request)?)
    })
}

/// Orders random sets of destinations; one row per set as JSON text.
#[pyfunction]
pub(crate) fn order_draws(
    py: Python<'_>,
    network: &Network,
    request: &str,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let network = &network.loaded.network;
    supervise(py, on_progress.as_ref(), |watch| {
        let fields: DrawFields = parse(request)?;
        let request = OrderDrawRequest {
            source: parse_root(network, &fields.source)?,
            counts: fields.counts,
            draws: fields.draws,
            seed: fields.seed,
            orders: parse_orders(&fields.orders.join(","))?,
        };
        json(&noccl::order_draws(network, &request, watch)?)
    })
}

/// Hops between any two of some tiles, as JSON text of rows.
#[pyfunction]
pub(crate) fn leg_hops(py: Python<'_>, network: &Network, tiles: Vec<String>) -> PyResult<String> {
    let network = &network.loaded.network;
    supervise(py, None, |_| {
        let tiles = tiles.iter().map(|tile| parse_root(network, tile));
        let tiles = tiles.collect::<Result<Vec<_>, Error>>()?;
        json(&noccl::leg_hops(network, &tiles)?)
    })
}
