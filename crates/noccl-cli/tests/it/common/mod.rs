// SPDX-License-Identifier: Apache-2.0
//! Runs the built command in a folder of its own.

pub mod program;

pub use noccl_testkit::Folder;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// What a command said.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// `noccl` with arguments separated by spaces, in a folder.
pub fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_noccl"));
    command
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .stdin(Stdio::null());
    command
}

/// Runs `noccl` with arguments separated by spaces, in a folder.
pub fn noccl_in(folder: &Path, arguments: &str) -> Said {
    said(&mut command(folder, arguments))
}

/// Runs a command to its end.
pub fn said(command: &mut Command) -> Said {
    let output: Output = command.output().unwrap();
    Said {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// As [`noccl_in`], in an empty folder.
pub fn noccl(arguments: &str) -> Said {
    noccl_in(&Folder::new().0, arguments)
}

/// Runs a command that must succeed and reads its stdout as JSON.
pub fn json(arguments: &str) -> serde_json::Value {
    let said = noccl(arguments);
    assert_eq!(said.code, Some(0), "{arguments}: {said:?}");
    serde_json::from_str(&said.stdout).unwrap()
}
