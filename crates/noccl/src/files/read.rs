// SPDX-License-Identifier: Apache-2.0
//! Text files and artefacts.

use super::failed;
use crate::{Error, visible_line};
use noccl_workload::{Schedule, Trace, WorkloadError};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Bytes of a schedule, of rows or of a page. What is made of a file takes up to 12 times its size.
pub const MAX_FILE_BYTES: u64 = 128 << 20;
/// Bytes of a trace, of which 40 times as much is made.
pub const MAX_TRACE_BYTES: u64 = 32 << 20;
/// Bytes of a spec or a calibration, of which 80 times as much is made.
pub const MAX_TOML_BYTES: u64 = 4 << 20;

/// Reads a text file of at most [`MAX_FILE_BYTES`].
///
/// # Errors
/// [`Error::File`] with the path and what the system said, or the limit.
pub fn read_text(path: &Path) -> Result<String, Error> {
    read_bounded(path, MAX_FILE_BYTES)
}

/// As [`read_text`], with another limit. More is not read, so what is made of the text takes less than 2 GB.
pub(crate) fn read_bounded(path: &Path, limit: u64) -> Result<String, Error> {
    let io = |e: io::Error| failed(path, "cannot read", &e);
    let file = File::open(path).map_err(io)?;
    let too_large = || Error::File {
        path: path.display().to_string(),
        reason: format!(
            "larger than {} MiB; accepted: at most {limit} bytes",
            limit >> 20
        ),
    };
    // Devices and FIFOs have no size, and a file may grow.
    if file.metadata().map_err(io)?.len() > limit {
        return Err(too_large());
    }
    let mut text = String::new();
    let read = file.take(limit + 1).read_to_string(&mut text);
    match read {
        Ok(bytes) if bytes as u64 <= limit => Ok(text),
        Ok(_) => Err(too_large()),
        Err(e) => Err(io(e)),
    }
}

/// Reads a JSON artefact; `expected` names the format in errors.
///
/// # Errors
/// [`Error::File`], or [`Error::Content`] with line, column and what was expected there.
pub fn read_json<T: serde::de::DeserializeOwned>(
    path: &Path,
    expected: &'static str,
) -> Result<T, Error> {
    parse_json(&path.display().to_string(), &read_text(path)?, expected)
}

/// As [`read_json`], from text; `path` names it in errors.
///
/// # Errors
/// [`Error::Content`].
pub fn parse_json<T: serde::de::DeserializeOwned>(
    path: &str,
    text: &str,
    expected: &'static str,
) -> Result<T, Error> {
    begins_as_json(path, text, expected)?;
    serde_json::from_str(text).map_err(|e| Error::Content {
        path: path.to_owned(),
        expected,
        reason: visible_line(&e.to_string()).into_owned(),
    })
}

/// Reads a schedule file.
///
/// # Errors
/// [`Error::File`], [`Error::Content`] if it is no JSON at all, or [`Error::Workload`] with line, column and field.
pub fn read_schedule(path: &Path) -> Result<Schedule, Error> {
    parse_schedule(&path.display().to_string(), &read_text(path)?)
}

/// As [`read_schedule`], from text; `path` names it in errors.
///
/// # Errors
/// [`Error::Content`] if it is no JSON at all, [`Error::Workload`].
pub fn parse_schedule(path: &str, text: &str) -> Result<Schedule, Error> {
    begins_as_json(path, text, "schedule")?;
    noccl_workload::read_schedule(path, text).map_err(|e| on_one_line(e).into())
}

/// Reads a trace file.
///
/// # Errors
/// [`Error::File`], [`Error::Content`] if it is no JSON at all, or [`Error::Workload`] with line, column and field.
pub fn read_trace(path: &Path) -> Result<Trace, Error> {
    let text = read_bounded(path, MAX_TRACE_BYTES)?;
    let name = path.display().to_string();
    begins_as_json(&name, &text, "trace")?;
    noccl_workload::read_trace(&name, &text).map_err(|e| on_one_line(e).into())
}

/// What is no JSON at all gets told so, above all a spec, which is TOML.
fn begins_as_json(path: &str, text: &str, expected: &'static str) -> Result<(), Error> {
    let first = text.trim_start().chars().next();
    let is_toml = Path::new(path).extension().is_some_and(|end| end == "toml");
    let begin = match first {
        Some('{' | '[') if !is_toml => return Ok(()),
        Some(first) => format!("'{first}'"),
        None => "nothing".to_owned(),
    };
    let hint = if is_toml {
        "; a spec, which is TOML, is given as --spec FILE"
    } else {
        ""
    };
    Err(Error::Content {
        path: path.to_owned(),
        expected,
        reason: visible_line(&format!(
            "it is read as JSON, which begins with '{{' or '[', and this begins with {begin}{hint}"
        ))
        .into_owned(),
    })
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
