// SPDX-License-Identifier: Apache-2.0
//! Where an output really goes: links followed, folders without `..`, devices told apart from files.

use super::refusal;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Component, Path, PathBuf};

/// As many links as Linux follows.
const MAX_LINKS: usize = 40;

/// The place of an output.
#[derive(Debug)]
pub(super) enum Goal {
    /// A file to be made or replaced.
    File {
        /// Without links and `..`. Its folder may be missing.
        path: PathBuf,
        /// Permissions of the file that is there.
        permissions: Option<fs::Permissions>,
    },
    /// What takes bytes as they come.
    Stream(Stream),
}

/// A device, a FIFO or a descriptor.
#[derive(Debug)]
pub(super) enum Stream {
    Stdout,
    Stderr,
    At(PathBuf),
}

impl Stream {
    /// Opens it. That of a FIFO waits for a reader.
    pub(super) fn open(&self) -> io::Result<Box<dyn Write>> {
        Ok(match self {
            Stream::Stdout => Box::new(io::stdout().lock()),
            Stream::Stderr => Box::new(io::stderr().lock()),
            // A descriptor of a file that a shell has opened goes on at its end.
            Stream::At(path) => Box::new(OpenOptions::new().append(true).open(path)?),
        })
    }
}

/// Follows the links of a path to the place of a file.
pub(super) fn of_file(path: &Path) -> io::Result<Goal> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let (folder, place) = place(&path)?;
        let found = match fs::symlink_metadata(&place) {
            Ok(found) => found,
            Err(e) if e.kind() == ErrorKind::NotFound => {
                return Ok(Goal::File {
                    path: place,
                    permissions: None,
                });
            }
            Err(e) => return Err(e),
        };
        if found.is_symlink() {
            if let Some(stream) = descriptor(&folder, &place) {
                return Ok(Goal::Stream(stream));
            }
            path = folder.join(fs::read_link(&place)?);
        } else if found.is_dir() {
            return Err(refusal(ErrorKind::IsADirectory, "is a folder"));
        } else if found.is_file() {
            // A file that is protected is not to be replaced either, which renaming would do.
            OpenOptions::new().append(true).open(&place)?;
            return Ok(Goal::File {
                path: place,
                permissions: Some(found.permissions()),
            });
        } else {
            return Ok(Goal::Stream(Stream::At(place)));
        }
    }
    Err(refusal(ErrorKind::InvalidInput, "too many links"))
}

/// Follows the links of a path to the place of a folder, which may be missing.
pub(super) fn of_folder(path: &Path) -> io::Result<PathBuf> {
    match path.canonicalize() {
        Ok(found) if found.is_dir() => Ok(found),
        Ok(_) => Err(refusal(ErrorKind::NotADirectory, "is no folder")),
        Err(e) if e.kind() == ErrorKind::NotFound => {
            if fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
                return Err(refusal(ErrorKind::NotFound, "is a link to nothing"));
            }
            real_folder(path)
        }
        Err(e) => Err(e),
    }
}

/// Folder and full path of a file.
fn place(path: &Path) -> io::Result<(PathBuf, PathBuf)> {
    let bytes = path.as_os_str().as_encoded_bytes();
    let is_folder = bytes.ends_with(b"/") || bytes.ends_with(b"/.");
    let Some(name) = path.file_name().filter(|_| !is_folder) else {
        return Err(refusal(ErrorKind::IsADirectory, "names no file"));
    };
    let folder = real_folder(path.parent().unwrap_or(Path::new("")))?;
    let place = folder.join(name);
    Ok((folder, place))
}

/// A folder without links and `..`; the end of the path may be missing.
fn real_folder(path: &Path) -> io::Result<PathBuf> {
    for ancestor in path.ancestors() {
        let here = if ancestor.as_os_str().is_empty() {
            Path::new(".")
        } else {
            ancestor
        };
        let real = match here.canonicalize() {
            Ok(real) => real,
            Err(e) if e.kind() == ErrorKind::NotFound => continue,
            Err(e) => return Err(e),
        };
        let missing = path.strip_prefix(ancestor).unwrap_or(Path::new(""));
        // Above a folder that is missing there is nothing.
        if missing.components().any(|c| c == Component::ParentDir) {
            break;
        }
        return Ok(real.join(missing));
    }
    let reason = format!("there is no folder {}", path.display());
    Err(refusal(ErrorKind::NotFound, reason))
}

/// The descriptor of a process that a link in `/proc/PID/fd` stands for.
fn descriptor(folder: &Path, place: &Path) -> Option<Stream> {
    if !folder.starts_with("/proc") || !folder.ends_with("fd") {
        return None;
    }
    let own = Path::new("/proc/self/fd").canonicalize().ok();
    let number = place.file_name().filter(|_| own.as_deref() == Some(folder));
    Some(match number.and_then(|n| n.to_str()) {
        Some("1") => Stream::Stdout,
        Some("2") => Stream::Stderr,
        Some(_) | None => Stream::At(place.to_owned()),
    })
}
