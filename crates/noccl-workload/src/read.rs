// SPDX-License-Identifier: Apache-2.0
//! Workloads as JSON files: schedules, traffic, traces.
//!
//! A reader returns for any text a workload or with an error that names file, line, column and
//! field. Unknown fields are errors: a misspelt option must not be ignored. What the fields mean on a
//! network is the business of [`crate::check()`] and [`crate::check_traffic`].

use crate::{SCHEDULE_FORMAT, Schedule, TRACE_FORMAT, TRAFFIC_FORMAT, Trace, Traffic};
use schemars::{JsonSchema, Schema, schema_for};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A workload that cannot be read, or makes no sense on its network.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WorkloadError {
    /// The text is not JSON of this shape.
    #[error("{file}:{line}:{column}: {field}: {message}")]
    Content {
        /// File name.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column, from 1; 0 for an empty line.
        column: usize,
        /// Path of the field, e.g. `actions[3].kind.transfer.bytes`.
        field: String,
        /// What is wrong there and what would be accepted.
        message: String,
    },
    /// The format version is not ours.
    #[error("{file}: format = {found}, but this version reads format {accepted}")]
    Format {
        /// File name.
        file: String,
        /// Version in the file.
        found: u64,
        /// Version that is read.
        accepted: u32,
    },
    /// A field holds something impossible.
    #[error("{field} = {found}: {accepted}")]
    Field {
        /// Path of the field.
        field: String,
        /// Value found.
        found: String,
        /// What would be accepted.
        accepted: String,
    },
}

/// A traffic description as a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrafficFile {
    /// Format version; this library reads version 1.
    pub format: u32,
    /// The traffic.
    pub traffic: Traffic,
}

/// A trace as a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceFile {
    /// Format version; this library reads version 1.
    pub format: u32,
    /// The trace.
    pub trace: Trace,
}

/// Reads a schedule; `file` names it in errors.
///
/// # Errors
/// [`WorkloadError::Content`] with line, column and field; [`WorkloadError::Format`].
pub fn read_schedule(file: &str, text: &str) -> Result<Schedule, WorkloadError> {
    read(file, text, SCHEDULE_FORMAT)
}

/// Reads a traffic description; `file` names it in errors.
///
/// # Errors
/// As [`read_schedule`].
pub fn read_traffic(file: &str, text: &str) -> Result<Traffic, WorkloadError> {
    read(file, text, TRAFFIC_FORMAT).map(|f: TrafficFile| f.traffic)
}

/// Reads a trace; `file` names it in errors.
///
/// # Errors
/// As [`read_schedule`].
pub fn read_trace(file: &str, text: &str) -> Result<Trace, WorkloadError> {
    read(file, text, TRACE_FORMAT).map(|f: TraceFile| f.trace)
}

/// A schedule, [`TrafficFile`] or [`TraceFile`] as JSON text that its reader accepts.
///
/// # Panics
/// Never: these types hold only what JSON can.
#[must_use]
pub fn to_json<T: Serialize>(workload: &T) -> String {
    serde_json::to_string_pretty(workload).expect("string keys, no other types than JSON's")
}

/// JSON Schema of a schedule file.
#[must_use]
pub fn schedule_schema() -> Schema {
    schema_for!(Schedule)
}

/// JSON Schema of a traffic file.
#[must_use]
pub fn traffic_schema() -> Schema {
    schema_for!(TrafficFile)
}

/// JSON Schema of a trace file.
#[must_use]
pub fn trace_schema() -> Schema {
    schema_for!(TraceFile)
}

fn read<T: DeserializeOwned>(file: &str, text: &str, format: u32) -> Result<T, WorkloadError> {
    // The version first: a file of another version may have any other field.
    #[derive(Deserialize)]
    struct Version {
        format: u64,
    }
    if let Ok(version) = serde_json::from_str::<Version>(text)
        && version.format != u64::from(format)
    {
        return Err(WorkloadError::Format {
            file: file.to_owned(),
            found: version.format,
            accepted: format,
        });
    }
    let content = |error: &serde_json::Error, path: &str| {
        let message = match error.is_eof() {
            true => "the file ends here, before the JSON does: is it cut off?".to_owned(),
            false => error.to_string(),
        };
        let (line, column) = (error.line(), error.column());
        let place = format!(" at line {line} column {column}");
        WorkloadError::Content {
            file: file.to_owned(),
            line,
            column,
            field: match path.trim_end_matches('?').trim_end_matches('.') {
                "" => "top level".to_owned(),
                path => path.to_owned(),
            },
            message: message.strip_suffix(&place).unwrap_or(&message).to_owned(),
        }
    };
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut reader)
        .map_err(|e| content(e.inner(), &e.path().to_string()))?;
    reader.end().map_err(|e| content(&e, "."))?;
    Ok(value)
}
