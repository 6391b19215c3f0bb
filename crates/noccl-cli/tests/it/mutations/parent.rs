// SPDX-License-Identifier: Apache-2.0
//! Starts the processes, watches them, and finds the smallest form of what fails.

use super::worker::{AT, CODES, Case, MAX_CHANGES, PANIC};
use crate::common::ended_within;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// A case that goes on for longer has failed.
const LIMIT: Duration = Duration::from_secs(10);
/// When a process of the program is interrupted, and how long it may take to end.
const PATIENCE: Duration = Duration::from_secs(3);
const GRACE: Duration = Duration::from_secs(3);
/// Kibibytes of address space of a process: a matrix product on a million tiles, the largest mesh, takes 3.2 GiB.
const MEMORY_KIB: u64 = 4_000_000;
/// More failures say nothing new.
const MAX_FAILURES: usize = 20;

/// How a case failed.
struct Failure {
    case: u64,
    how: String,
}

/// What cases of one process came to.
struct Watched {
    begun: u64,
    failures: Vec<Failure>,
    /// How often each exit code came, of processes that came to their end.
    codes: BTreeMap<u8, u64>,
}

fn count_codes(codes: &mut BTreeMap<u8, u64>, pairs: &str) {
    let numbers: Vec<u64> = pairs.split(' ').filter_map(|n| n.parse().ok()).collect();
    for pair in numbers.chunks_exact(2) {
        *codes.entry(pair[0] as u8).or_default() += pair[1];
    }
}

/// Runs the cases; what failed, each with the command that shows it.
pub fn run(first: u64, cases: u64) -> Vec<String> {
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let shares: Vec<Watched> = std::thread::scope(|scope| {
        let all = (0..workers).map(|worker| {
            let count = (cases + workers - 1 - worker) / workers;
            scope.spawn(move || share(first + worker, count, workers))
        });
        let all: Vec<_> = all.collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let mut codes: BTreeMap<u8, u64> = BTreeMap::new();
    for (code, times) in shares.iter().flat_map(|share| &share.codes) {
        *codes.entry(*code).or_default() += times;
    }
    println!("exit codes and how often each came: {codes:?}");
    let failures = shares.iter().flat_map(|share| &share.failures);
    failures.map(described).collect()
}

/// Runs every `step`th case from `first` on, in as many processes as it takes.
fn share(first: u64, count: u64, step: u64) -> Watched {
    let mut all = Watched {
        begun: 0,
        failures: Vec::new(),
        codes: BTreeMap::new(),
    };
    while all.begun < count && all.failures.len() < MAX_FAILURES {
        let next = watch(first + all.begun * step, count - all.begun, step, u64::MAX);
        all.begun += next.begun;
        all.failures.extend(next.failures);
        all.codes.extend(next.codes);
    }
    all
}

/// Runs cases in one process until it ends: how many it has begun, and what failed.
fn watch(first: u64, count: u64, step: u64, mask: u64) -> Watched {
    let folder = std::env::temp_dir().join(format!(
        "noccl-mutations-{}-{first}-{mask:x}",
        std::process::id()
    ));
    fs::create_dir_all(&folder).unwrap();
    let mut child = start(&folder, first, count, step, mask);
    let (told, lines) = channel();
    read(child.stderr.take().unwrap(), move |line| {
        told.send(line).is_ok()
    });
    let mut failures = Vec::new();
    let (mut begun, mut at, mut last_words) = (0, first, String::new());
    let mut codes = BTreeMap::new();
    let how = loop {
        match lines.recv_timeout(LIMIT) {
            Ok(line) => {
                if let Some(case) = line.strip_prefix(AT) {
                    at = case.parse().unwrap();
                    begun += 1;
                } else if line.starts_with(PANIC) {
                    failures.push(Failure {
                        case: at,
                        how: last_words.clone(),
                    });
                } else if let Some(pairs) = line.strip_prefix(CODES) {
                    count_codes(&mut codes, pairs);
                } else {
                    last_words = line;
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                child.kill().unwrap();
                break Some(format!("goes on for more than {LIMIT:?}"));
            }
            Err(RecvTimeoutError::Disconnected) => break None,
        }
    };
    let status = child.wait().unwrap();
    fs::remove_dir_all(&folder).unwrap();
    if how.is_some() && ends_when_interrupted(at, mask) {
        begun = begun.max(1);
    } else if at != u64::MAX {
        let how = how.unwrap_or_else(|| format!("ends the process: {status}; {last_words}"));
        failures.push(Failure { case: at, how });
        begun = begun.max(1);
    } else {
        begun = count;
    }
    Watched {
        begun,
        failures,
        codes,
    }
}

/// Does the program end with this case as its work when a user interrupts it? In the process of many cases only work that looks for
/// the signal ends.
fn ends_when_interrupted(case: u64, mask: u64) -> bool {
    let folder = kept(case);
    let made = written(&folder, case, mask);
    let mut child = Command::new(env!("CARGO_BIN_EXE_noccl"))
        .args(&made.words)
        .current_dir(&folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(PATIENCE);
    let id = child.id().to_string();
    // A process that has ended takes no signal, which is no failure.
    let _ = Command::new("kill").args(["-INT", &id]).output();
    let has_ended = ended_within(&mut child, GRACE).is_some();
    fs::remove_dir_all(&folder).unwrap();
    has_ended
}

/// A case whose file is in the folder.
fn written(folder: &Path, case: u64, mask: u64) -> Case {
    let read = |name: &str| fs::read(folder.join(name)).unwrap_or_default();
    let made = Case::new(case, mask, read);
    if let Some((name, bytes)) = &made.file {
        fs::write(folder.join(name), bytes).unwrap();
    }
    made
}

fn start(folder: &Path, first: u64, count: u64, step: u64, mask: u64) -> Child {
    let limited = format!("ulimit -v {MEMORY_KIB}; exec \"$0\" \"$@\"");
    Command::new("sh")
        .args(["-c", &limited])
        .arg(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "mutations::worker",
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ])
        .env("NOCCL_CASE_FIRST", first.to_string())
        .env("NOCCL_CASE_COUNT", count.to_string())
        .env("NOCCL_CASE_STEP", step.to_string())
        .env("NOCCL_CASE_MASK", mask.to_string())
        .env("RAYON_NUM_THREADS", "2")
        .env("RUST_BACKTRACE", "0")
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Passes on the lines that tell something, until there are no more or nobody wants them.
fn read(stderr: ChildStderr, pass_on: impl Fn(String) -> bool + Send + 'static) {
    let lines = BufReader::new(stderr).split(b'\n').map_while(Result::ok);
    std::thread::spawn(move || {
        for line in lines {
            let line = String::from_utf8_lossy(&line).into_owned();
            let is_news = [AT, PANIC, CODES]
                .iter()
                .any(|begin| line.starts_with(begin))
                || line.contains("panicked at")
                || line.contains("memory allocation");
            if is_news && !pass_on(line) {
                return;
            }
        }
    });
}

/// The failure with the fewest changes that show it, as a command.
fn described(failure: &Failure) -> String {
    let single = (0..MAX_CHANGES).map(|bit| 1 << bit);
    let mut masks = single.filter(|mask| !watch(failure.case, 1, 1, *mask).failures.is_empty());
    let mask = masks.next().unwrap_or(u64::MAX);
    let folder = kept(failure.case);
    let made = written(&folder, failure.case, mask);
    let words: Vec<String> = made
        .words
        .iter()
        .map(|w| format!("'{}'", w.replace('\'', "'\\''")))
        .collect();
    format!(
        "case {}: {}\n  (cd {} && noccl {})",
        failure.case,
        failure.how,
        folder.display(),
        words.join(" ")
    )
}

/// A folder with all files as they were, which stays.
fn kept(case: u64) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("noccl-mutation-{case}"));
    fs::create_dir_all(&folder).unwrap();
    // A process that runs no case, only makes the files.
    let mut maker = Command::new(std::env::current_exe().unwrap());
    maker
        .args(["--exact", "mutations::files", "--ignored"])
        .current_dir(&folder);
    assert!(maker.output().unwrap().status.success());
    folder
}
