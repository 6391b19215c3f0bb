// SPDX-License-Identifier: Apache-2.0
//! Committed files that the code generates.

use std::path::Path;

/// Compares a committed file with its text of today; `NOCCL_WRITE_GOLDEN=1` writes it again first.
///
/// # Panics
///
/// If the two differ, or the file cannot be read or written.
pub fn assert_fresh(path: &Path, text: &str) {
    if std::env::var_os("NOCCL_WRITE_GOLDEN").is_some() {
        std::fs::write(path, text).expect("the file can be written");
    }
    let committed = std::fs::read_to_string(path).expect("the file is committed");
    assert!(
        committed == text,
        "{} is not what the code gives; NOCCL_WRITE_GOLDEN=1 writes it again",
        path.display()
    );
}
