// SPDX-License-Identifier: Apache-2.0
//! Runs the built command.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The checkout.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What a command said.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// `noccl-papers` with arguments separated by spaces, in a folder.
pub fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_noccl-papers"));
    command
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .stdin(Stdio::null());
    command
}

/// Runs it to its end.
pub fn papers(folder: &Path, arguments: &str) -> Said {
    let output = command(folder, arguments).output().unwrap();
    Said {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
