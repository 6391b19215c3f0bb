// SPDX-License-Identifier: Apache-2.0
//! The `noccl` command: reads arguments, calls the facade, prints rows.
//!
//! Exit codes: 0 everything is fine; 1 a check failed, a run hung or delivered wrong bytes; 2 the
//! input is wrong and nothing ran; 3 interrupted with everything in a checkpoint; 130 interrupted.

mod args;
mod output;
mod progress;
mod table;
mod verbs;

use clap::Parser;
use noccl::{Error, ErrorClass};
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
            if let Error::Suspended { path, .. } = &error {
                output::log(&format!("go on with: {}", resume_command(path)));
            }
            ExitCode::from(match error.class() {
                ErrorClass::Failed => 1,
                ErrorClass::BadInput => 2,
                ErrorClass::Suspended => 3,
                ErrorClass::Interrupted => 130,
            })
        }
    }
}

/// This command line, going on from a checkpoint.
fn resume_command(checkpoint: &str) -> String {
    let mut words = Vec::new();
    let mut arguments = std::env::args();
    while let Some(word) = arguments.next() {
        if word == "--resume" {
            arguments.next();
        } else if !word.starts_with("--resume=") {
            words.push(quoted(&word));
        }
    }
    words.extend(["--resume".to_owned(), quoted(checkpoint)]);
    words.join(" ")
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
