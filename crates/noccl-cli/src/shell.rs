// SPDX-License-Identifier: Apache-2.0
//! What a command of this house is made of besides its options: signals, exit codes, a progress bar, the only place that prints.
//!
//! For `noccl`, and for programs outside the product that end, report and print as `noccl` does.

pub use crate::output::{json, log, result};
pub use crate::progress::watched;
pub use crate::table::{Align, whole as table};

use crate::{output, progress, resume_command};
use noccl::{Error, ErrorClass};
use std::borrow::Cow;
use std::ffi::OsString;
use std::process::ExitCode;

/// How a verb that ran to its end turned out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Everything is as it should be.
    Fine,
    /// Something that was checked is wrong.
    Failed,
    /// What it handed its work to has ended with this exit code, and has said why.
    Ended(u8),
}

/// A whole process: looks for signals, calls the command with its arguments, the program's name first, and ends with its exit code.
#[must_use]
pub fn process(call: impl FnOnce(Vec<OsString>) -> u8) -> ExitCode {
    if let Err(error) = progress::install() {
        return ExitCode::from(report(&error));
    }
    ExitCode::from(call(std::env::args_os().collect()))
}

/// Says what clap has to say of a command line, help or an error; the exit code.
pub fn refused(refusal: &clap::Error) -> u8 {
    let text = refusal.to_string();
    if refusal.use_stderr() && matches!(noccl::files::visible(&text), Cow::Owned(_)) {
        output::log(&text);
    } else {
        // Help is a refusal too. Where it cannot be printed there is nowhere to report that.
        let _ = refusal.print();
    }
    refusal.exit_code() as u8
}

/// The exit code of a verb's end, after what there is to say of an error.
pub fn ended(end: Result<Outcome, Error>) -> u8 {
    match end {
        Ok(Outcome::Fine) => 0,
        Ok(Outcome::Failed) => 1,
        Ok(Outcome::Ended(code)) => code,
        Err(error) => report(&error),
    }
}

/// Says what went wrong; the exit code.
fn report(error: &Error) -> u8 {
    output::log(&format!("error: {}", noccl::files::message(error)));
    if let Error::Suspended { .. } = error {
        output::log(&format!("resume with: {}", resume_command()));
    }
    match error.class() {
        ErrorClass::Failed => 1,
        ErrorClass::BadInput => 2,
        ErrorClass::Suspended => 3,
        ErrorClass::NotWritten => 4,
        ErrorClass::Interrupted => progress::INTERRUPTED as u8,
    }
}
