// SPDX-License-Identifier: Apache-2.0
//! The `noccl` command: reads arguments, calls the facade, prints rows.
//!
//! Exit codes: 0 everything is fine; 1 a check failed, a run stalled or delivered wrong bytes; 2 the
//! input is wrong and nothing ran; 3 interrupted with everything in a checkpoint; 4 an output could not be
//! written; 130 interrupted. `run --program` ends as the program does: with the exit status of a rank that has one, or with 128
//! and the signal that has ended it.

mod args;
mod effects;
mod interrupt;
mod old_names;
mod output;
mod progress;
mod python;
mod table;
mod time_left;
mod verbs;

use noccl::{Error, ErrorClass};
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::process::ExitCode;

/// How a verb that ran to its end turned out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// Everything is as it should be.
    Fine,
    /// Something that was checked is wrong.
    Failed,
    /// What it handed its work to has ended with this exit code, and has said why.
    Ended(u8),
}

/// The whole process: looks for signals, runs the verb that the arguments name, and returns its exit code.
#[must_use]
pub fn main() -> ExitCode {
    if let Err(error) = interrupt::install() {
        return ExitCode::from(report(&error));
    }
    ExitCode::from(call(std::env::args_os()))
}

/// Runs one command line, the program's name first; the exit code. Tests call it many times in one process.
pub fn call(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let cli = match verbs::Cli::read(&arguments) {
        Ok(cli) => cli,
        Err(refusal) => {
            let text = refusal.to_string();
            if refusal.use_stderr() && matches!(noccl::visible(&text), Cow::Owned(_)) {
                output::log(&text);
            } else {
                // Help is a refusal too. Where it cannot be printed there is nowhere to report that.
                let _ = refusal.print();
            }
            return refusal.exit_code() as u8;
        }
    };
    old_names::note_verb(&arguments);
    match cli.run() {
        Ok(Outcome::Fine) => 0,
        Ok(Outcome::Failed) => 1,
        Ok(Outcome::Ended(code)) => code,
        Err(error) => report(&error),
    }
}

/// Asks the work of [`call`] to end, as Ctrl-C does, or takes that back.
pub fn ask_to_end(is_asked: bool) {
    interrupt::ask(is_asked);
}

/// Says what went wrong; the exit code.
fn report(error: &Error) -> u8 {
    output::log(&format!("error: {}", noccl::message(error)));
    if let Error::Suspended { .. } = error {
        output::log(&format!("go on with: {}", resume_command()));
    }
    match error.class() {
        ErrorClass::Failed => 1,
        ErrorClass::BadInput => 2,
        ErrorClass::Suspended => 3,
        ErrorClass::NotWritten => 4,
        ErrorClass::Interrupted => interrupt::INTERRUPTED as u8,
    }
}

/// This command line, going on from the checkpoint that it names.
fn resume_command() -> String {
    let mut words: Vec<OsString> = Vec::new();
    let mut resumed = None;
    let mut saved = None;
    let mut arguments = std::env::args_os();
    while let Some(word) = arguments.next() {
        let bytes = word.as_bytes();
        if bytes == b"--resume" {
            resumed = arguments.next();
        } else if let Some(path) = bytes.strip_prefix(b"--resume=") {
            resumed = Some(OsStr::from_bytes(path).to_owned());
        } else if bytes == b"--checkpoint" {
            saved = arguments.next();
            words.extend([word, saved.clone().unwrap_or_default()]);
        } else {
            if let Some(path) = bytes.strip_prefix(b"--checkpoint=") {
                saved = Some(OsStr::from_bytes(path).to_owned());
            }
            words.push(word);
        }
    }
    words.extend(["--resume".into(), saved.or(resumed).unwrap_or_default()]);
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    words.join(" ")
}

/// A word as a shell reads it back; bytes that are no text in the form that bash, zsh and ksh know.
fn quoted(word: &OsStr) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    let bytes = word.as_bytes();
    match word.to_str() {
        Some(text) if !text.is_empty() && text.chars().all(is_plain) => text.to_owned(),
        Some(text) if matches!(noccl::visible_line(text), Cow::Borrowed(_)) => {
            format!("'{}'", text.replace('\'', "'\\''"))
        }
        Some(_) | None => {
            let escaped = bytes.iter().map(|byte| match byte {
                b'\'' | b'\\' => format!("\\{}", *byte as char),
                b' '..=b'~' => (*byte as char).to_string(),
                _ => format!("\\x{byte:02x}"),
            });
            format!("$'{}'", escaped.collect::<String>())
        }
    }
}
