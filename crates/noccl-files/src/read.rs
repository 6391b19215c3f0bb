// SPDX-License-Identifier: Apache-2.0
//! Text files and artefacts.

use super::failed;
use crate::{FileError, visible_line};
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
/// [`FileError::File`] with the path and what the system said, or the limit.
pub fn read_text(path: &Path) -> Result<String, FileError> {
    read_bounded(path, MAX_FILE_BYTES)
}

/// As [`read_text`], with another limit. More is not read, so what is made of the text takes less than 2 GB.
pub fn read_bounded(path: &Path, limit: u64) -> Result<String, FileError> {
    read(path, limit, |file, text: &mut String| {
        file.read_to_string(text)
    })
}

/// As [`read_bounded`], of a file that is no text.
///
/// # Errors
/// [`FileError::File`] with the path and what the system said, or the limit.
pub fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    read(path, limit, |file, bytes: &mut Vec<u8>| {
        file.read_to_end(bytes)
    })
}

fn read<T: Default>(
    path: &Path,
    limit: u64,
    read: impl FnOnce(&mut io::Take<File>, &mut T) -> io::Result<usize>,
) -> Result<T, FileError> {
    let io = |e: io::Error| failed(path, "cannot read", &e);
    let file = File::open(path).map_err(io)?;
    let too_large = || FileError::File {
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
    let mut content = T::default();
    match read(&mut file.take(limit + 1), &mut content) {
        Ok(bytes) if bytes as u64 <= limit => Ok(content),
        Ok(_) => Err(too_large()),
        Err(e) => Err(io(e)),
    }
}

/// Reads a JSON artefact; `expected` names the format in errors.
///
/// # Errors
/// [`FileError::File`], or [`FileError::Content`] with line, column and what was expected there.
pub fn read_json<T: serde::de::DeserializeOwned>(
    path: &Path,
    expected: &'static str,
) -> Result<T, FileError> {
    parse_json(&path.display().to_string(), &read_text(path)?, expected)
}

/// As [`read_json`], from text; `path` names it in errors.
///
/// # Errors
/// [`FileError::Content`].
pub fn parse_json<T: serde::de::DeserializeOwned>(
    path: &str,
    text: &str,
    expected: &'static str,
) -> Result<T, FileError> {
    begins_as_json(path, text, expected)?;
    serde_json::from_str(text).map_err(|e| {
        let cut = if e.is_eof() {
            "; is the file cut off?"
        } else {
            ""
        };
        FileError::Content {
            path: path.to_owned(),
            expected,
            reason: visible_line(&format!("{e}{cut}")).into_owned(),
        }
    })
}

/// What is no JSON at all gets told so, above all a spec, which is TOML; `path` and `expected` name file and format in errors.
///
/// # Errors
/// [`FileError::Content`].
pub fn begins_as_json(path: &str, text: &str, expected: &'static str) -> Result<(), FileError> {
    let first = text.trim_start().chars().next();
    let is_toml = Path::new(path).extension().is_some_and(|end| end == "toml");
    let begin = match first {
        Some('{' | '[') if !is_toml => return Ok(()),
        Some(first) => format!("'{first}'"),
        None => "nothing".to_owned(),
    };
    let end = Path::new(path).extension().and_then(|end| end.to_str());
    let hint = match end {
        Some("toml") => "; a spec, which is TOML, is given as --spec FILE",
        Some("py") => "; an mpi4py script runs as `noccl run program FILE --ranks N`",
        Some("elf") => "; a compiled program runs as `noccl run program FILE --ranks N`",
        Some("messages") => "; a message trace runs as `noccl run messages FILE`",
        Some(_) | None => "",
    };
    Err(FileError::Content {
        path: path.to_owned(),
        expected,
        reason: visible_line(&format!(
            "it is read as JSON, which begins with '{{' or '[', and this begins with {begin}{hint}"
        ))
        .into_owned(),
    })
}
