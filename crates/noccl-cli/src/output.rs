// SPDX-License-Identifier: Apache-2.0
//! The only place that prints: results on stdout, everything else on stderr.

use noccl::Error;
use serde::Serialize;
use std::io::{ErrorKind, Write};

/// Writes a result.
///
/// # Errors
/// [`Error::File`] if stdout does not take it; a reader that has gone away is no error.
pub fn result(text: &str) -> Result<(), Error> {
    let mut out = std::io::stdout().lock();
    let written = out
        .write_all(text.as_bytes())
        .and_then(|()| out.write_all(if text.ends_with('\n') { b"" } else { b"\n" }))
        .and_then(|()| out.flush());
    match written {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(Error::File {
            path: "stdout".to_owned(),
            reason: e.to_string(),
        }),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Writes a result as JSON.
///
/// # Errors
/// As [`result`].
pub fn json<T: Serialize>(value: &T) -> Result<(), Error> {
    result(&to_json(value)?)
}

/// JSON text of an artefact.
///
/// # Errors
/// [`Error::Content`] if the value has no JSON form.
pub fn to_json<T: Serialize>(value: &T) -> Result<String, Error> {
    serde_json::to_string_pretty(value)
        .map(|text| text + "\n")
        .map_err(|e| Error::Content {
            path: "stdout".to_owned(),
            expected: "JSON value",
            reason: e.to_string(),
        })
}

/// Writes a remark. A closed stderr is ignored: there is nowhere left to report it.
pub fn log(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = writeln!(err, "{}", text.trim_end());
}
