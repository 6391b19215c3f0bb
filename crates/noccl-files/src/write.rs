// SPDX-License-Identifier: Apache-2.0
//! Single files.

use super::claim::{Claim, beside, mode};
use super::goal::{Goal, of_file};
use super::{failed, not_written};
use crate::FileError;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// End of the name of a file that is not complete yet.
const PARTIAL: &str = "partial";

/// Writes a file as a whole: nobody ever sees half of it. Missing folders are made. A link is written through, a device,
/// a FIFO or a descriptor is written into.
///
/// # Errors
/// [`FileError::NotWritten`] with the path and what the system said; what was there before is still there.
pub fn write_file(path: &Path, text: &str) -> Result<(), FileError> {
    write_bytes(path, text.as_bytes())
}

/// As [`write_file`], bytes.
///
/// # Errors
/// As [`write_file`].
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    replace_file(path, |file| {
        let written = file.write_all(bytes);
        written.map_err(|e| not_written(path, &e))
    })
}

/// Can a file be written here? To be asked before long work; nothing is changed, no folder is made.
///
/// # Errors
/// [`FileError::File`] with the path and what the system said.
pub fn check_output(path: &Path) -> Result<(), FileError> {
    check(path).map_err(|e| failed(path, "cannot be written", &e))
}

fn check(path: &Path) -> io::Result<()> {
    match of_file(path)? {
        // To open a FIFO waits for a reader.
        Goal::Stream(_) => Ok(()),
        Goal::File { path, .. } => check_place(&path, PARTIAL),
    }
}

/// Can something be made here? Folders that are missing will be made, so the first one above them counts.
pub(super) fn check_place(place: &Path, suffix: &str) -> io::Result<()> {
    let mut here = place;
    while let Some(folder) = here.parent() {
        if folder.exists() {
            return Claim::take(&beside(here, suffix), 0o600).map(drop);
        }
        here = folder;
    }
    Ok(())
}

/// As [`write_file`], what `write` writes.
///
/// # Errors
/// As [`write_file`], and those of `write`.
pub fn replace_file<E: From<FileError>>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    let io = |e: io::Error| E::from(not_written(path, &e));
    match of_file(path).map_err(io)? {
        Goal::Stream(stream) => {
            let mut stream = stream.open().map_err(io)?;
            write(&mut Tolerant(&mut stream))?;
            Tolerant(&mut stream).flush().map_err(io)
        }
        Goal::File {
            path: place,
            permissions,
        } => {
            if let Some(folder) = place.parent() {
                fs::create_dir_all(folder).map_err(io)?;
            }
            let mode = mode(permissions.as_ref());
            let mut claim = Claim::take(&beside(&place, PARTIAL), mode).map_err(io)?;
            write(claim.file())?;
            claim.publish(&place, permissions).map_err(io)
        }
    }
}

/// A stream whose reader may go away, which is no error (`noccl … -o /dev/stdout | head`).
struct Tolerant<'a>(&'a mut dyn Write);

impl Write for Tolerant<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.write(bytes) {
            Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(bytes.len()),
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0.flush() {
            Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(()),
            flushed => flushed,
        }
    }
}
