// SPDX-License-Identifier: Apache-2.0
//! What a folder holds beside what was written there: a list of files with their SHA-256, as `sha256sum` writes it.

use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The list of a folder's files, in its text form.
pub(super) fn text(files: &[(&str, &str)]) -> String {
    let line = |(path, text): &(&str, &str)| format!("{}  {path}\n", of_bytes(text.as_bytes()));
    files.iter().map(line).collect()
}

/// Digests of the files that a list names; empty if there is none.
pub(super) fn read(list: &Path) -> io::Result<BTreeMap<PathBuf, String>> {
    let text = match fs::read(list) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(e) => return Err(e),
    };
    let lines = text.lines().filter_map(|line| line.split_once("  "));
    Ok(lines
        .map(|(digest, path)| (PathBuf::from(path), digest.to_owned()))
        .collect())
}

/// Digest of a file's contents, in hexadecimal.
pub(super) fn of_file(path: &Path) -> io::Result<String> {
    Ok(of_bytes(&fs::read(path)?))
}

fn of_bytes(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// Bytes as pairs of digits.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Everything in a folder that is no folder, and folders without anything in them: paths relative to it, in order. Links
/// are not followed.
pub(super) fn contents(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    walk(folder, Path::new(""), &mut found)?;
    found.sort();
    Ok(found)
}

fn walk(root: &Path, below: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(below))? {
        let entry = entry?;
        let path = below.join(entry.file_name());
        if !entry.file_type()?.is_dir() {
            found.push(path);
            continue;
        }
        let before = found.len();
        walk(root, &path, found)?;
        if found.len() == before {
            found.push(path);
        }
    }
    Ok(())
}
