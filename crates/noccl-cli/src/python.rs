// SPDX-License-Identifier: Apache-2.0
//! What the Python package does, called from the command line.

use crate::{Outcome, interrupt};
use noccl::Error;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Time between two looks whether the work has ended, or should.
const WAKE_UP: Duration = Duration::from_millis(20);

/// The interpreter beside this program, or `python3`; NOCCL_PYTHON names another one.
pub fn interpreter() -> PathBuf {
    if let Some(named) = std::env::var_os("NOCCL_PYTHON") {
        return named.into();
    }
    let own = std::env::current_exe().ok();
    let beside = own.and_then(|own| Some(own.parent()?.join("python")));
    beside
        .filter(|python| python.exists())
        .unwrap_or_else(|| "python3".into())
}

/// Runs a module of the package; its exit code is that of the verb.
///
/// The module's standard input is a pipe that this process holds open: it ends when this process does, however that
/// ends, and the module ends with it. A signal closes the pipe too.
///
/// # Errors
/// [`Error::Argument`] if there is no interpreter.
pub fn run_module(module: &str, arguments: &[OsString]) -> Result<Outcome, Error> {
    let python = interpreter();
    let unusable = |error: std::io::Error| {
        let accepted = format!(
            "{error}; accepted: a Python with the package noccl, beside this program or named by NOCCL_PYTHON"
        );
        Error::argument("python", python.display(), accepted)
    };
    let mut command = Command::new(&python);
    command.args(["-m", module]).args(arguments);
    let mut child = command.stdin(Stdio::piped()).spawn().map_err(unusable)?;
    // Not in the child: waiting for it would close the pipe.
    let mut held = child.stdin.take();
    loop {
        if let Some(status) = child.try_wait().map_err(unusable)? {
            let code = status.code().and_then(|code| u8::try_from(code).ok());
            return Ok(Outcome::Ended(code.unwrap_or(1)));
        }
        if interrupt::is_asked() {
            drop(held.take());
        }
        std::thread::sleep(WAKE_UP);
    }
}
