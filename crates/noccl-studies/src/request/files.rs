// SPDX-License-Identifier: Apache-2.0
//! Files as callers name them: [`noccl_files`] with this library's error, and the artefacts that have readers of their own.

use crate::{Error, parse_bytes};
use noccl_files::{FileError, begins_as_json, read_bounded, visible_line};
use noccl_net::{Network, elaborate};
use noccl_spec::{PRESET_NAMES, Spec, parse_spec, preset_text};
use noccl_workload::{Definition, Lengths, Schedule, Trace, WorkloadError};
use serde::de::DeserializeOwned;
use std::path::Path;

pub use noccl_files::{MAX_FILE_BYTES, MAX_TOML_BYTES, MAX_TRACE_BYTES};

/// Reads a text file of at most [`MAX_FILE_BYTES`].
///
/// # Errors
/// [`Error::File`] with the path and what the system said, or the limit.
pub fn read_text(path: &Path) -> Result<String, Error> {
    Ok(noccl_files::read_text(path)?)
}

/// Reads a JSON artefact; `expected` names the format in errors.
///
/// # Errors
/// [`Error::File`] with line, column and what was expected there.
pub fn read_json<T: DeserializeOwned>(path: &Path, expected: &'static str) -> Result<T, Error> {
    Ok(noccl_files::read_json(path, expected)?)
}

/// As [`read_json`], from text; `path` names it in errors.
///
/// # Errors
/// [`Error::File`].
pub fn parse_json<T: DeserializeOwned>(
    path: &str,
    text: &str,
    expected: &'static str,
) -> Result<T, Error> {
    Ok(noccl_files::parse_json(path, text, expected)?)
}

/// Writes a file as a whole: nobody ever sees half of it. Missing folders are made. A link is written through, a device,
/// a FIFO or a descriptor is written into.
///
/// # Errors
/// [`Error::File`] with the path and what the system said; what was there before is still there.
pub fn write_file(path: &Path, text: &str) -> Result<(), Error> {
    Ok(noccl_files::write_file(path, text)?)
}

/// As [`write_file`], bytes.
///
/// # Errors
/// As [`write_file`].
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    Ok(noccl_files::write_bytes(path, bytes)?)
}

/// Can a file be written here? To be asked before long work; nothing is changed, no folder is made.
///
/// # Errors
/// [`Error::File`] with the path and what the system said.
pub fn check_output(path: &Path) -> Result<(), Error> {
    Ok(noccl_files::check_output(path)?)
}

/// Reads a schedule file.
///
/// # Errors
/// [`Error::File`], also if it is no JSON at all, or [`Error::Workload`] with line, column and field.
pub fn read_schedule(path: &Path) -> Result<Schedule, Error> {
    parse_schedule(&path.display().to_string(), &read_text(path)?)
}

/// As [`read_schedule`], from text; `path` names it in errors.
///
/// # Errors
/// [`Error::File`] if it is no JSON at all, [`Error::Workload`].
pub fn parse_schedule(path: &str, text: &str) -> Result<Schedule, Error> {
    begins_as_json(path, text, "schedule")?;
    noccl_workload::read_schedule(path, text).map_err(|e| on_one_line(e).into())
}

/// Reads lengths of an all-to-all's blocks: a list of each rank, `0,1KiB;8,0`, or a JSON file with them.
///
/// # Errors
/// [`Error::File`]; [`Error::Argument`] for what is no size.
pub fn parse_lengths(text: &str) -> Result<Lengths, Error> {
    let is_list = |text: &str| text.split(',').all(|size| parse_bytes(size.trim()).is_ok());
    if !text.contains(';') && is_list(text) {
        let accepted = "one list; accepted: a list for each rank, e.g. 0,1KiB;8,0, or a file";
        return Err(Error::argument("--lengths", text, accepted));
    }
    if !text.contains(';') {
        return read_json(Path::new(text), "lengths: {\"sends\": [[0, 8], [16, 0]]}");
    }
    let of_rank = |(rank, row): (usize, &str)| {
        let sizes = row.split(',').map(|size| {
            parse_bytes(size.trim()).map_err(|_| {
                let found = format!("{} of rank {rank}", size.trim());
                let accepted = "accepted: a size for each rank, e.g. 0,1KiB;8,0, or a file";
                Error::argument("--lengths", found, accepted)
            })
        });
        sizes.collect::<Result<Vec<u64>, Error>>()
    };
    Ok(Lengths {
        sends: text
            .split(';')
            .enumerate()
            .map(of_rank)
            .collect::<Result<_, _>>()?,
        receives: Vec::new(),
    })
}

/// Reads what a custom collective asks for: a JSON file.
///
/// # Errors
/// [`Error::File`] with the line and what is accepted there.
pub fn read_definition(path: &Path) -> Result<Definition, Error> {
    const SHAPE: &str =
        "definition: {\"name\": \"swap\", \"inputs\": 1, \"outputs\": [[[1, 0]], [[0, 0]]]}";
    read_json(path, SHAPE)
}

/// Reads a trace file.
///
/// # Errors
/// [`Error::File`], also if it is no JSON at all, or [`Error::Workload`] with line, column and field.
pub fn read_trace(path: &Path) -> Result<Trace, Error> {
    let text = read_bounded(path, MAX_TRACE_BYTES)?;
    let name = path.display().to_string();
    begins_as_json(&name, &text, "trace")?;
    noccl_workload::read_trace(&name, &text).map_err(|e| on_one_line(e).into())
}

/// Keys and values may hold line ends, which would make lines that look like ours.
fn on_one_line(error: WorkloadError) -> WorkloadError {
    let shown = |text: String| visible_line(&text).into_owned();
    match error {
        WorkloadError::Content {
            file,
            line,
            column,
            field,
            message,
        } => WorkloadError::Content {
            file,
            line,
            column,
            field: shown(field),
            message: shown(message),
        },
        other @ (WorkloadError::Format { .. } | WorkloadError::Field { .. }) => other,
    }
}

// From a preset name or a file to a network.

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

/// The spec of a text that is no file: what a browser sends.
///
/// # Errors
/// [`Error::Spec`].
pub fn spec_of_text(text: &str, overrides: &[(String, String)]) -> Result<Spec, Error> {
    let mut spec = parse_spec("spec", text, overrides)?;
    spec.overrides = overrides.to_vec();
    Ok(spec)
}

fn spec_text(preset_or_file: &str) -> Result<String, Error> {
    if !is_path(preset_or_file) {
        return Ok(preset_text(preset_or_file)?);
    }
    let path = Path::new(preset_or_file);
    read_bounded(path, MAX_TOML_BYTES).map_err(|error| {
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let preset = stem.filter(|stem| !path.exists() && preset_text(stem).is_ok());
        match (preset, error) {
            (Some(name), FileError::File { path, reason }) => {
                let reason = format!("{reason} (did you mean the preset `{name}`?)");
                FileError::File { path, reason }.into()
            }
            (_, error) => error.into(),
        }
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
