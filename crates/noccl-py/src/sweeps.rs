// SPDX-License-Identifier: Apache-2.0
//! What sweeps need beside `compare`: the words of a point, and its row by the model.

use crate::calls::json;
use crate::error::to_python;
use crate::network::Network;
use crate::request::{CompareFields, parse};
use crate::supervise::supervise;
use noccl::Error;
use noccl::collective::{parse_algorithms, parse_collective, parse_element, parse_operator, word};
use noccl::network::{parse_tile, root_name};
use noccl::study::Calibration;
use pyo3::prelude::*;
use std::sync::Arc;

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
    match parse_algorithms(text)?.as_slice() {
        [_] => Ok(text.trim().to_owned()),
        _ => Err(Error::argument(
            "algorithm",
            text,
            "accepted: the name of one algorithm, or auto",
        )),
    }
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
