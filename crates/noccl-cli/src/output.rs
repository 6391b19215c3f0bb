// SPDX-License-Identifier: Apache-2.0
//! The only place that prints: results on stdout, everything else on stderr.
//!
//! What is printed may come from files: names, keys, values. A terminal would obey control characters in them, so
//! texts for readers show them (`\u{1b}`), and JSON and TOML hold them in the escaped form of both.

use noccl::Error;
use noccl::files::FileError;
use serde::Serialize;
use std::io::{ErrorKind, Write};

/// Writes a result for readers.
///
/// # Errors
/// [`Error::File`] if stdout does not take it; a reader that has gone away is no error.
pub fn result(text: &str) -> Result<(), Error> {
    print(&noccl::files::visible(text))
}

/// Writes a result that programs read: JSON or TOML.
///
/// # Errors
/// As [`result`].
pub fn data(text: &str) -> Result<(), Error> {
    // Their writers escape the other control characters; these stand in strings only.
    let is_left = |c: char| matches!(c, '\u{7f}'..='\u{9f}');
    if !text.contains(is_left) {
        return print(text);
    }
    let escaped = text.chars().map(|c| match c {
        c if is_left(c) => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    });
    print(&escaped.collect::<String>())
}

fn print(text: &str) -> Result<(), Error> {
    let mut out = std::io::stdout().lock();
    let written = out
        .write_all(text.as_bytes())
        .and_then(|()| out.write_all(if text.ends_with('\n') { b"" } else { b"\n" }))
        .and_then(|()| out.flush());
    match written {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(Error::File(FileError::NotWritten {
            path: "stdout".to_owned(),
            reason: e.to_string(),
        })),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Writes a result as JSON.
///
/// # Errors
/// As [`result`].
pub fn json<T: Serialize>(value: &T) -> Result<(), Error> {
    data(&to_json(value)?)
}

/// JSON text of an artefact.
///
/// # Errors
/// [`Error::File`] if the value has no JSON form.
pub fn to_json<T: Serialize>(value: &T) -> Result<String, Error> {
    serde_json::to_string_pretty(value)
        .map(|text| text + "\n")
        .map_err(|e| {
            Error::File(FileError::Content {
                path: "stdout".to_owned(),
                expected: "JSON value",
                reason: e.to_string(),
            })
        })
}

/// Writes a remark. A closed stderr is ignored: there is nowhere left to report it.
pub fn log(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = writeln!(err, "{}", noccl::files::visible(text.trim_end()));
}
