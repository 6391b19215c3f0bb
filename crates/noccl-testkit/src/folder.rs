// SPDX-License-Identifier: Apache-2.0
//! Folders for files of tests.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

static NEXT: AtomicU32 = AtomicU32::new(0);

/// An empty folder that is removed with the value. No other test has it, in this process or another one.
pub struct Folder(pub PathBuf);

impl Folder {
    /// Creates the folder.
    ///
    /// # Panics
    ///
    /// If the system's folder of temporary files cannot be written.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "it creates a folder")]
    pub fn new() -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("noccl-test-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("temporary files can be written");
        Self(path)
    }

    /// Writes a file and returns its path.
    ///
    /// # Panics
    ///
    /// If the file cannot be written.
    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("temporary files can be written");
        path
    }

    /// Names of all entries, sorted.
    ///
    /// # Panics
    ///
    /// If the folder is gone, or a name is not UTF-8.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("the folder is there");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("the folder can be read").file_name())
            .map(|name| name.into_string().expect("names are UTF-8"))
            .collect();
        names.sort();
        names
    }
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
