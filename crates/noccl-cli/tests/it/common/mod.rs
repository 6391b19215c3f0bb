// SPDX-License-Identifier: Apache-2.0
//! Runs the built command in a folder of its own.

pub mod program;

pub use noccl_testkit::Folder;
use noccl_testkit::assert_says;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

/// What a command said.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Said {
    /// What a process that has ended said.
    pub fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// How a process ends within a time; after it the process is killed.
pub fn ended_within(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        if start.elapsed() > limit {
            child.kill().unwrap();
            child.wait().unwrap();
            return None;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// `noccl` with arguments separated by spaces, in a folder.
pub fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_noccl"));
    command
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .env_remove("COLUMNS")
        .stdin(Stdio::null());
    command
}

/// Runs `noccl` with arguments separated by spaces, in a folder.
pub fn noccl_in(folder: &Path, arguments: &str) -> Said {
    said(&mut command(folder, arguments))
}

/// Runs a command to its end.
pub fn said(command: &mut Command) -> Said {
    Said::of(command.output().unwrap())
}

/// As [`noccl_in`]; the command ends as it should.
pub fn done(folder: &Folder, arguments: &str) -> Said {
    fails(folder, 0, arguments)
}

/// As [`noccl_in`]; the command ends with this code.
pub fn fails(folder: &Folder, code: i32, arguments: &str) -> Said {
    let said = noccl_in(&folder.0, arguments);
    assert_eq!(said.code, Some(code), "{arguments}: {said:?}");
    said
}

/// The command is refused with all these words, without a panic.
pub fn refused(folder: &Folder, arguments: &str, words: &[&str]) -> Said {
    let said = fails(folder, 2, arguments);
    assert_says(&said.stderr, words);
    assert!(!said.stderr.contains("panicked"), "{arguments}: {said:?}");
    said
}

/// As [`noccl_in`], in an empty folder.
pub fn noccl(arguments: &str) -> Said {
    noccl_in(&Folder::new().0, arguments)
}

/// Runs a command that must succeed and reads its stdout as JSON.
pub fn json(arguments: &str) -> serde_json::Value {
    json_in(&Folder::new(), arguments)
}

/// The same in a folder.
pub fn json_in(folder: &Folder, arguments: &str) -> serde_json::Value {
    serde_json::from_str(&done(folder, arguments).stdout).unwrap()
}
