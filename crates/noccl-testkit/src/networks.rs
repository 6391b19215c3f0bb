// SPDX-License-Identifier: Apache-2.0
//! Networks of presets, as they are or with fields that differ.

use noccl_net::{NetError, Network, elaborate};
use noccl_spec::{Spec, SpecError, parse_spec, preset_text};
use std::fmt::Display;

const UNCHANGED: &[(&str, &str)] = &[];

/// A preset.
///
/// # Panics
///
/// If there is no such preset.
#[must_use]
pub fn preset(name: &str) -> Spec {
    parsed(name, UNCHANGED).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A preset with fields that differ, as a command line writes them.
///
/// # Errors
///
/// As [`parse_spec`].
///
/// # Panics
///
/// If there is no such preset.
pub fn parsed<V: Display>(name: &str, overrides: &[(&str, V)]) -> Result<Spec, SpecError> {
    let text = preset_text(name).unwrap_or_else(|error| panic!("{error}"));
    let set = |(field, value): &(&str, V)| ((*field).to_owned(), value.to_string());
    let overrides: Vec<(String, String)> = overrides.iter().map(set).collect();
    parse_spec(name, &text, &overrides)
}

/// The network of a preset.
///
/// # Panics
///
/// If there is no such preset.
#[must_use]
pub fn network(name: &str) -> Network {
    network_with(name, UNCHANGED)
}

/// The network of a preset with fields that differ.
///
/// # Panics
///
/// If there is no such preset, or a field is refused.
#[must_use]
pub fn network_with<V: Display>(name: &str, overrides: &[(&str, V)]) -> Network {
    let network = try_network_with(name, overrides);
    network.unwrap_or_else(|error| panic!("{name}, changed: {error}"))
}

/// As [`network_with`]; the error where the network refuses a field.
///
/// # Errors
///
/// As [`elaborate`].
///
/// # Panics
///
/// If there is no such preset, or its description refuses a field.
pub fn try_network_with<V: Display>(
    name: &str,
    overrides: &[(&str, V)],
) -> Result<Network, NetError> {
    let spec = parsed(name, overrides);
    elaborate(&spec.unwrap_or_else(|error| panic!("{name}, changed: {error}")))
}

/// The network of a preset with fields of `router.smart` that differ.
///
/// # Panics
///
/// As [`network_with`].
#[must_use]
pub fn smart<V: Display>(name: &str, fields: &[(&str, V)]) -> Network {
    let fields: Vec<(String, &V)> = fields
        .iter()
        .map(|(field, value)| (format!("router.smart.{field}"), value))
        .collect();
    let fields: Vec<(&str, &V)> = fields.iter().map(|(f, v)| (f.as_str(), *v)).collect();
    network_with(name, &fields)
}

/// The 4×4 mesh with stores of one burst.
///
/// # Panics
///
/// If there is no such preset.
#[must_use]
pub fn small_store() -> Network {
    let small = [
        ("router.wide_reduction.window_beats", 16),
        ("router.wide_reduction.store_beats", 64),
    ];
    network_with("collective_noc_4x4", &small)
}

/// The network of a preset that a function has changed.
///
/// # Panics
///
/// If there is no such preset, or the network refuses the change.
#[must_use]
pub fn network_of(name: &str, change: impl FnOnce(&mut Spec)) -> Network {
    let mut spec = preset(name);
    change(&mut spec);
    elaborate(&spec).unwrap_or_else(|error| panic!("{name}, changed: {error}"))
}

/// The mesh with collectives of this size.
///
/// # Panics
///
/// If there is no such preset.
#[must_use]
pub fn mesh(width: u16, height: u16) -> Network {
    network(&format!("collective_noc_{width}x{height}"))
}
