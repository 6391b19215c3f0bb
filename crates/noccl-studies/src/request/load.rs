// SPDX-License-Identifier: Apache-2.0
//! From a preset name or a file to a network.

use crate::Error;
use noccl_files::{MAX_TOML_BYTES, read_bounded};
use noccl_net::{Network, elaborate};
use noccl_spec::{PRESET_NAMES, Spec, parse_spec, preset_text};
use std::path::Path;

/// A network with what its user should know about the spec.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The network.
    pub network: Network,
    /// Settings of the spec that have no effect.
    pub warnings: Vec<String>,
    /// Names of before that it is written with, and what they are now.
    pub old_names: Vec<String>,
}

/// Loads a spec by preset name or by path and elaborates it; `overrides` are dotted paths with values.
///
/// A name that ends in `.toml` or contains a slash is a path; any other is a preset.
///
/// # Errors
/// [`Error::Spec`], [`Error::Net`] or [`Error::File`], naming the field and what would be accepted.
///
/// ```
/// let loaded = noccl_studies::load("collective_noc_4x4", &[])?;
/// assert_eq!(loaded.network.clusters().count(), 16);
/// # Ok::<(), noccl_studies::Error>(())
/// ```
pub fn load(preset_or_file: &str, overrides: &[(String, String)]) -> Result<Loaded, Error> {
    let text = spec_text(preset_or_file)?;
    let mut spec = parse_spec(preset_or_file, &text, overrides)?;
    spec.overrides = overrides.to_vec();
    let network = elaborate(&spec)?;
    Ok(Loaded {
        network,
        warnings: noccl_spec::warnings(&spec),
        old_names: noccl_spec::old_names(preset_or_file, &text, overrides),
    })
}

/// Loads a spec without elaborating it.
///
/// # Errors
/// [`Error::Spec`] or [`Error::File`].
pub fn load_spec(preset_or_file: &str, overrides: &[(String, String)]) -> Result<Spec, Error> {
    let mut spec = parse_spec(preset_or_file, &spec_text(preset_or_file)?, overrides)?;
    spec.overrides = overrides.to_vec();
    Ok(spec)
}

fn spec_text(preset_or_file: &str) -> Result<String, Error> {
    Ok(if is_path(preset_or_file) {
        read_bounded(Path::new(preset_or_file), MAX_TOML_BYTES)?
    } else {
        preset_text(preset_or_file)?
    })
}

/// Names of the presets listed to users.
#[must_use]
pub const fn preset_names() -> &'static [&'static str] {
    &PRESET_NAMES
}

fn is_path(name: &str) -> bool {
    name.contains('/') || Path::new(name).extension().is_some_and(|e| e == "toml")
}
