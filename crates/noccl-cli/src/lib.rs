// SPDX-License-Identifier: Apache-2.0
//! The `noccl` command: reads arguments, calls the facade, prints rows.
//!
//! Exit codes: 0 everything is fine; 1 a check failed, a run stalled or delivered wrong bytes; 2 the
//! input is wrong and nothing ran; 3 interrupted with everything in a checkpoint; 4 an output could not be
//! written; 130 interrupted. `run program` ends as the program does: with the exit status of a rank that has one, or with 128
//! and the signal that has ended it.

mod args;
mod effects;
mod forms;
mod old_names;
mod output;
mod progress;
mod python;
mod recording;
pub mod shell;
mod synonyms;
mod table;
mod time_left;
mod tips;
mod verbs;
mod width;

use shell::Outcome;
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::process::ExitCode;

/// The whole process: looks for signals, runs the verb that the arguments name, and returns its exit code.
#[must_use]
pub fn main() -> ExitCode {
    shell::process(call)
}

/// Runs one command line, the program's name first; the exit code. Tests call it many times in one process.
pub fn call(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if let Err(error) = old_names::refuse_left(&arguments) {
        return shell::ended(Err(error));
    }
    let (arguments, notes) = synonyms::read(arguments);
    for note in notes {
        output::log(&format!("note: {note}"));
    }
    match verbs::Cli::read(&arguments) {
        Ok(cli) => {
            old_names::note_verb(&arguments);
            shell::ended(cli.run())
        }
        Err(refusal) => shell::refused(&refusal),
    }
}

/// Asks the work of [`call`] to end, as Ctrl-C does, or takes that back.
pub fn ask_to_end(is_asked: bool) {
    progress::ask(is_asked);
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
            words.push(word);
            words.extend(saved.clone());
        } else {
            if let Some(path) = bytes.strip_prefix(b"--checkpoint=") {
                saved = Some(OsStr::from_bytes(path).to_owned());
            }
            words.push(word);
        }
    }
    if let Some(path) = saved.or(resumed) {
        words.extend(["--resume".into(), path]);
    }
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    words.join(" ")
}

/// A word as a shell reads it back; bytes that are no text in the form that bash, zsh and ksh know.
fn quoted(word: &OsStr) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    let bytes = word.as_bytes();
    match word.to_str() {
        Some(text) if !text.is_empty() && text.chars().all(is_plain) => text.to_owned(),
        Some(text) if matches!(noccl::files::visible_line(text), Cow::Borrowed(_)) => {
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
