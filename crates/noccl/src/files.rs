// SPDX-License-Identifier: Apache-2.0
//! Files in and out. A written file is complete or absent.

use crate::Error;
use noccl_workload::{Schedule, Trace};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Reads a text file.
///
/// # Errors
/// [`Error::File`] with the path and what the system said.
pub fn read_text(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|e| failed(path, "cannot read", &e))
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
    serde_json::from_str(text).map_err(|e| Error::Content {
        path: path.to_owned(),
        expected,
        reason: e.to_string(),
    })
}

/// Reads a schedule file.
///
/// # Errors
/// [`Error::File`], or [`Error::Workload`] with line, column and field.
pub fn read_schedule(path: &Path) -> Result<Schedule, Error> {
    parse_schedule(&path.display().to_string(), &read_text(path)?)
}

/// As [`read_schedule`], from text; `path` names it in errors.
///
/// # Errors
/// [`Error::Workload`].
pub fn parse_schedule(path: &str, text: &str) -> Result<Schedule, Error> {
    Ok(noccl_workload::read_schedule(path, text)?)
}

/// Reads a trace file.
///
/// # Errors
/// [`Error::File`], or [`Error::Workload`] with line, column and field.
pub fn read_trace(path: &Path) -> Result<Trace, Error> {
    let text = read_text(path)?;
    Ok(noccl_workload::read_trace(
        &path.display().to_string(),
        &text,
    )?)
}

/// Writes a file as a whole: nobody ever sees half of it. Missing folders are made.
///
/// # Errors
/// [`Error::File`] with the path and what the system said; no partial file is left.
pub fn write_file(path: &Path, text: &str) -> Result<(), Error> {
    replace_file(path, |file| {
        let written = file.write_all(text.as_bytes());
        written.map_err(|e| failed(path, "cannot write", &e))
    })
}

/// Writes a file next to its place and moves it there. What was there before stays until then.
pub(crate) fn replace_file(
    path: &Path,
    write: impl FnOnce(&mut fs::File) -> Result<(), Error>,
) -> Result<(), Error> {
    if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|e| failed(folder, "cannot make the folder", &e))?;
    }
    let temporary = temporary_name(path);
    let io = |e: std::io::Error| failed(path, "cannot write", &e);
    let replace = || {
        let mut file = fs::File::create(&temporary).map_err(io)?;
        write(&mut file)?;
        file.sync_all().map_err(io)?;
        fs::rename(&temporary, path).map_err(io)
    };
    replace().inspect_err(|_| {
        // The temporary file may not exist; the first error is the one to report.
        let _ = fs::remove_file(&temporary);
    })
}

fn temporary_name(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.partial", std::process::id()))
}

pub(crate) fn failed(path: &Path, what: &str, error: &std::io::Error) -> Error {
    Error::File {
        path: path.display().to_string(),
        reason: format!("{what}: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_file_reads_back_and_a_failed_write_leaves_nothing() {
        let folder = std::env::temp_dir().join(format!("noccl-files-{}", std::process::id()));
        let path = folder.join("inner/result.json");
        write_file(&path, "[1]").unwrap();
        assert_eq!(read_json::<Vec<u32>>(&path, "list").unwrap(), [1]);
        // A folder stands where the file should go.
        fs::create_dir_all(folder.join("taken/inside")).unwrap();
        assert!(write_file(&folder.join("taken"), "text").is_err());
        let mut left: Vec<_> = fs::read_dir(&folder)
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect();
        left.sort();
        assert_eq!(left, ["inner", "taken"]);
        fs::remove_dir_all(&folder).unwrap();
    }
}
