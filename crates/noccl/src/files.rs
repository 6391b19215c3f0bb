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

/// Writes a folder of files next to its place and moves it there. What stood there before goes only if it was
/// written by an earlier call, which the file `marker` shows, or is empty.
///
/// # Errors
/// [`Error::File`] with the path and the reason; the folder is as before.
pub(crate) fn write_folder(
    folder: &Path,
    marker: &str,
    files: &[(&str, &str)],
) -> Result<(), Error> {
    let is_ours = folder.join(marker).is_file();
    let is_free =
        !folder.exists() || fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none());
    if !is_ours && !is_free {
        return Err(Error::File {
            path: folder.display().to_string(),
            reason: format!(
                "holds other files; accepted: a new or empty folder, or one that holds {marker}"
            ),
        });
    }
    let (new, old) = (
        temporary_name(folder),
        temporary_name(&folder.with_extension("old")),
    );
    let written = files
        .iter()
        .try_for_each(|(path, text)| write_file(&new.join(path), text))
        .and_then(|()| {
            let replace = || {
                if folder.exists() {
                    fs::rename(folder, &old)?;
                }
                fs::rename(&new, folder)
            };
            replace().map_err(|e| failed(folder, "cannot write", &e))
        });
    // What is left of a failed or a former folder; the first error is the one to report.
    let _ = fs::remove_dir_all(&new);
    if written.is_ok() {
        let _ = fs::remove_dir_all(&old);
    }
    written
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
    fn a_folder_is_replaced_as_a_whole_and_never_if_it_is_somebody_elses() {
        let root = std::env::temp_dir().join(format!("noccl-folder-{}", std::process::id()));
        let folder = root.join("inner/hardware");
        write_folder(
            &folder,
            "mark",
            &[("mark", ""), ("src/a", "1"), ("src/b", "2")],
        )
        .unwrap();
        write_folder(&folder, "mark", &[("mark", ""), ("src/a", "3")]).unwrap();
        assert_eq!(read_text(&folder.join("src/a")).unwrap(), "3");
        assert!(!folder.join("src/b").exists());
        fs::remove_file(folder.join("mark")).unwrap();
        let refused = write_folder(&folder, "mark", &[("mark", "")]).unwrap_err();
        assert!(
            refused.to_string().contains("holds other files"),
            "{refused}"
        );
        assert_eq!(read_text(&folder.join("src/a")).unwrap(), "3");
        assert_eq!(fs::read_dir(root.join("inner")).unwrap().count(), 1);
        fs::remove_dir_all(&root).unwrap();
    }

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
