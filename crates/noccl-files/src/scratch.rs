// SPDX-License-Identifier: Apache-2.0
//! Folders that this process makes for itself and that others see only when they are complete.

use super::not_written;
use crate::FileError;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

/// A folder that is gone when nobody needs it any more.
pub struct Scratch(PathBuf);

impl Scratch {
    /// A folder of this path, which no other process uses; it is made with its first file.
    pub const fn new(folder: PathBuf) -> Self {
        Self(folder)
    }

    /// A folder among the system's temporary files. Those of the same name that killed processes have left are removed.
    pub fn temporary(name: &str, key: &str) -> Self {
        remove_left(name);
        let folder = format!("{name}-{}-{key}", std::process::id());
        Self(std::env::temp_dir().join(folder))
    }

    /// Full path of something in it.
    pub fn path(&self, below: impl AsRef<Path>) -> PathBuf {
        self.0.join(below)
    }

    /// Writes a file with the folders above it.
    ///
    /// # Errors
    /// [`FileError::NotWritten`].
    pub fn write(&self, below: impl AsRef<Path>, bytes: &[u8]) -> Result<(), FileError> {
        let path = self.path(below);
        let folder = path.parent().unwrap_or(&path);
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, bytes));
        written.map_err(|e| not_written(&path, &e))
    }

    /// Makes a file for another program to write into.
    ///
    /// # Errors
    /// What the system says.
    pub fn create(&self, below: impl AsRef<Path>) -> io::Result<File> {
        File::create(self.path(below))
    }

    /// Moves files from one folder below this one into another.
    ///
    /// # Errors
    /// What the system says.
    pub fn collect(&self, from: &str, to: &str, names: &[&str]) -> io::Result<()> {
        fs::create_dir_all(self.path(to))?;
        let moved = |name: &&str| fs::rename(self.path(from).join(name), self.path(to).join(name));
        names.iter().try_for_each(moved)
    }

    /// Moves a folder below this one to its place, in one step, unless somebody else has put one there.
    ///
    /// # Errors
    /// What the system says.
    pub fn publish(&self, below: &str, place: &Path) -> io::Result<()> {
        match fs::rename(self.path(below), place) {
            Err(_) if place.exists() => Ok(()),
            moved => moved,
        }
    }

    /// Removes it, also what a killed process has left of one.
    fn remove(&self) -> bool {
        fs::remove_dir_all(&self.0).is_ok() || !self.0.exists()
    }
}

/// Removes temporary folders of processes that no longer run, where the system lists its processes.
fn remove_left(name: &str) {
    let processes = Path::new("/proc");
    let Ok(entries) = fs::read_dir(std::env::temp_dir()) else {
        return;
    };
    if !processes.join("self").exists() {
        return;
    }
    for entry in entries.flatten() {
        let found = entry.file_name();
        let rest = found.to_str().and_then(|found| found.strip_prefix(name));
        let process = rest.and_then(|rest| rest.strip_prefix('-')?.split('-').next());
        let process = process.filter(|process| process.parse::<u32>().is_ok());
        if process.is_some_and(|process| !processes.join(process).exists()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Compilers that have been interrupted may write for another moment.
        for _ in 0..20 {
            if self.remove() {
                return;
            }
            sleep(Duration::from_millis(50));
        }
    }
}
