// SPDX-License-Identifier: Apache-2.0
//! Other programs: started as a group, so that all that they start ends with them, and watched while they run.

use crate::CompileError;
use std::io::Read;
#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, sleep};
use std::time::Duration;

/// What a program said, and how it ended.
pub(crate) struct Said {
    pub status: ExitStatus,
    pub text: String,
}

/// Runs a program to its end; `go_on` is asked several times a second, and its no ends the program.
///
/// # Errors
/// [`CompileError::Program`] if it cannot be started, [`CompileError::Interrupted`].
pub(crate) fn run(command: &mut Command, go_on: impl Fn() -> bool) -> Result<Said, CompileError> {
    let program = Path::new(command.get_program()).display().to_string();
    let failed = |error: std::io::Error| CompileError::Program {
        program: program.clone(),
        reason: error.to_string(),
    };
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    #[cfg(unix)]
    command.process_group(0);
    let mut child = command.spawn().map_err(failed)?;
    // Read beside, so that a program with much to say does not wait for a reader.
    let messages = child.stderr.take();
    let reader = thread::spawn(move || {
        let mut bytes = Vec::new();
        // What cannot be read is lost; how the program ended is known all the same.
        let _ = messages.map(|mut stream| stream.read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let mut pause = Duration::from_millis(2);
    let status = loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            break status;
        }
        if !go_on() {
            end(&mut child);
            return Err(CompileError::Interrupted);
        }
        sleep(pause);
        pause = (2 * pause).min(Duration::from_millis(50));
    };
    // 0: what a reader that failed has read is not known; the status is.
    let text = reader.join().unwrap_or_default();
    Ok(Said { status, text })
}

/// The standard output of a program that takes no time; nothing if it fails.
pub(crate) fn output(command: &mut Command) -> Option<String> {
    let said = command.stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    said.status.success().then_some(text)
}

/// Ends a program and what it has started. Those that are gone already cannot be.
fn end(child: &mut Child) {
    let group = format!("kill -s TERM -- -{}", child.id());
    let told = Command::new("sh").args(["-c", &group]).status();
    if !told.is_ok_and(|status| status.success()) {
        let _ = child.kill();
    }
    let _ = child.wait();
}

/// A command as a shell would run it.
pub(crate) fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let quoted = |word: &std::ffi::OsStr| {
        let word = word.to_string_lossy();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
        if word.chars().all(is_plain) && !word.is_empty() {
            word.into_owned()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    words.map(quoted).collect::<Vec<_>>().join(" ")
}
