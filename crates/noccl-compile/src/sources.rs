// SPDX-License-Identifier: Apache-2.0
//! Sources that are part of this program, on disk for the compiler.

use crate::CompileError;
use noccl_files::not_written;
use std::fs;
use std::path::{Path, PathBuf};

/// Files' names and texts.
pub(crate) type Sources = &'static [(&'static str, &'static str)];

/// Is it a file in C or assembler, not a header?
pub(crate) fn is_code(path: &str) -> bool {
    path.ends_with(".c") || path.ends_with(".S")
}

/// Writes a file; missing folders are made.
pub(crate) fn write(place: &Path, text: &str) -> Result<(), CompileError> {
    let above = place.parent().unwrap_or(place);
    let written = fs::create_dir_all(above).and_then(|()| fs::write(place, text));
    Ok(written.map_err(|error| not_written(place, &error))?)
}

/// Writes files below a folder; those that are compiled.
pub(crate) fn write_all<'s>(
    folder: &Path,
    files: impl Iterator<Item = (&'s str, &'s str)>,
    is_compiled: fn(&str) -> bool,
) -> Result<Vec<PathBuf>, CompileError> {
    let mut compiled = Vec::new();
    for (path, text) in files {
        let place = folder.join(path);
        write(&place, text)?;
        if is_compiled(path) {
            compiled.push(place);
        }
    }
    Ok(compiled)
}
