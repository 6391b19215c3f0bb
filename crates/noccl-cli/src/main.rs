// SPDX-License-Identifier: Apache-2.0
//! The `noccl` command: reads arguments, calls the facade, prints rows.
//!
//! Exit codes: 0 everything is fine; 1 a check failed, a run hung or delivered wrong bytes; 2 the
//! input is wrong and nothing ran; 130 interrupted.

mod args;
mod output;
mod progress;
mod table;
mod verbs;

use clap::Parser;
use noccl::ErrorClass;
use std::process::ExitCode;

/// How a verb that ran to its end turned out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// Everything is as it should be.
    Fine,
    /// Something that was checked is wrong.
    Failed,
}

fn main() -> ExitCode {
    let cli = verbs::Cli::parse();
    match cli.run() {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Failed) => ExitCode::from(1),
        Err(error) => {
            output::log(&format!("error: {error}"));
            ExitCode::from(match error.class() {
                ErrorClass::Failed => 1,
                ErrorClass::BadInput => 2,
                ErrorClass::Interrupted => 130,
            })
        }
    }
}
