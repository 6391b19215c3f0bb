// SPDX-License-Identifier: Apache-2.0
//! What the Python package does, called from the command line.

use crate::{Outcome, output, progress};
use noccl::Error;
use noccl::files::Scratch;
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsString;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Time between two looks whether the work has ended, or should.
const WAKE_UP: Duration = Duration::from_millis(20);

/// Time that ranks have to end by the signal of a terminal, and by one that is handed on.
const TELL_AFTER: Duration = Duration::from_millis(500);
const KILL_AFTER: Duration = Duration::from_millis(1800);

/// The interpreter in the folder of this program, or `python3`; NOCCL_PYTHON names another one.
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

/// Runs ranks of a script; the exit code is theirs, 128 and the signal if one has ended them, as a shell has it.
///
/// The package says what its ranks do wrong. A rank that ends the whole process says nothing: then its note tells which it was.
///
/// # Errors
/// [`Error::Argument`] if there is no interpreter; [`Error::File`] if the file of notes cannot be written.
pub fn run_ranks(mut command: Command, script: &Path) -> Result<Outcome, Error> {
    let unusable = |error: std::io::Error| {
        let accepted = format!(
            "{error}: {}; accepted: a Python with the package noccl, named by NOCCL_PYTHON",
            interpreter().display()
        );
        Error::argument("program", script.display(), accepted)
    };
    let notes = RankNotes::new()?;
    let child = command.env(RankNotes::VARIABLE, notes.file()).spawn();
    let status = child.and_then(ended).map_err(unusable)?;
    let code = code_of(status);
    if let Some(who) = notes.who_ended().filter(|_| !progress::is_asked()) {
        output::log(&format!(
            "error: {who} has ended the program {}",
            how(status)
        ));
        return Ok(Outcome::Ended(code.max(1)));
    }
    Ok(if status.success() {
        Outcome::Fine
    } else {
        Outcome::Ended(code)
    })
}

/// How ranks have ended. A terminal sends its signal to them too; one that only this process gets is handed on, and who does not end
/// by it is killed.
fn ended(mut child: Child) -> std::io::Result<ExitStatus> {
    let mut asked_at = None;
    let mut is_told = false;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        let waited =
            progress::is_asked().then(|| asked_at.get_or_insert_with(Instant::now).elapsed());
        if waited.is_some_and(|waited| waited > KILL_AFTER) {
            child.kill()?;
        } else if waited.is_some_and(|waited| waited > TELL_AFTER) && !is_told {
            is_told = true;
            kill_process(Pid::from_child(&child), Signal::INT)?;
        }
        std::thread::sleep(WAKE_UP);
    }
}

/// What a shell sees of how a process has ended.
fn code_of(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| Some(128 + status.signal()?));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

fn how(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("with exit status {code}, outside of sys.exit and Abort"),
        (None, Some(signal)) => format!("by signal {signal}"),
        (None, None) => "without a status".to_owned(),
    }
}

/// A file in which ranks note who runs and where each has called last (`python/noccl/programs/notes.py`).
struct RankNotes(Scratch);

impl RankNotes {
    const VARIABLE: &str = "NOCCL_RANK_NOTES";
    const SLOT_BYTES: usize = 256;

    const NAME: &str = "notes";

    fn new() -> Result<Self, Error> {
        let name = format!("noccl-ranks-{}", std::process::id());
        let scratch = Scratch::new(std::env::temp_dir().join(name));
        scratch.write(Self::NAME, &[])?;
        Ok(Self(scratch))
    }

    fn file(&self) -> PathBuf {
        self.0.path(Self::NAME)
    }

    /// The rank, or the engine, that ran when the process ended without a word; nothing if the program has ended by itself, or no
    /// rank had begun.
    fn who_ended(&self) -> Option<String> {
        let bytes = fs::read(self.file()).ok()?;
        let mut slots = bytes.chunks(Self::SLOT_BYTES).map(|slot| {
            let text = String::from_utf8_lossy(slot);
            text.trim_end_matches('\0').to_owned()
        });
        let runs = slots.next()?;
        match runs.as_str() {
            "" | "over" => None,
            "engine" => Some("the simulation".to_owned()),
            rank => {
                let number: usize = rank.strip_prefix("rank ")?.parse().ok()?;
                // 0: no call where there is no slot.
                let place = slots.nth(number).unwrap_or_default();
                Some(match place.as_str() {
                    "" => format!("{rank}, before its first call,"),
                    place => format!("{rank}, whose last call is at {place},"),
                })
            }
        }
    }
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
            "{error}; accepted: a Python with the package noccl, in the folder of this program or named by NOCCL_PYTHON"
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
        if progress::is_asked() {
            drop(held.take());
        }
        std::thread::sleep(WAKE_UP);
    }
}
