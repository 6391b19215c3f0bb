// SPDX-License-Identifier: Apache-2.0
//! Sources of the hardware from a folder, in place of those that this program holds itself.

use crate::CosimError;
use noccl_files::read_text;
use noccl_rtl::{Part, RtlError, SourceFile};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Files of a folder `rtl` that are parts of the hardware, of [`noccl_rtl::PARTS`], in a stable order.
///
/// # Errors
/// [`CosimError::Rtl`] if a part is missing, [`CosimError::File`].
pub fn read_sources(root: &Path, parts: &[Part]) -> Result<Vec<SourceFile>, CosimError> {
    let mut found = Vec::new();
    for (part, ends) in parts {
        collect(root, &root.join(part), ends, &mut found)?;
    }
    Ok(found)
}

/// Files below `folder`, paths relative to `root`.
fn collect(
    root: &Path,
    folder: &Path,
    ends: &[&str],
    found: &mut Vec<SourceFile>,
) -> Result<(), CosimError> {
    let missing = |_| RtlError::Sources {
        folder: root.display().to_string(),
        missing: folder.display().to_string(),
    };
    let entries = fs::read_dir(folder).map_err(missing)?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let suffix = path.extension();
        if path.is_dir() {
            collect(root, &path, ends, found)?;
        } else if ends.iter().any(|end| suffix == Some(OsStr::new(end))) {
            let relative = path.strip_prefix(root).unwrap_or(&path);
            let parts: Vec<_> = relative.iter().map(|p| p.to_string_lossy()).collect();
            found.push(SourceFile {
                path: parts.join("/"),
                text: read_text(&path)?,
            });
        }
    }
    Ok(())
}
