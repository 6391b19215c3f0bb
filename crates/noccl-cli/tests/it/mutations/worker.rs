// SPDX-License-Identifier: Apache-2.0
//! A process that runs cases one after the other and says on stderr which one it is at.

use super::{base, mutate, number};
use noccl_testkit::Random;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Begins the line that names a case, and the line that says how one failed.
pub const AT: &str = "\u{1}at ";
pub const PANIC: &str = "\u{1}panic ";
/// Begins the line with the exit codes and how often each came.
pub const CODES: &str = "\u{1}codes ";
/// Most changes of a case.
pub const MAX_CHANGES: u64 = 4;
/// Work that takes longer is asked to end, as a user would.
const PATIENCE: Duration = Duration::from_secs(3);

/// One case: files to write, and words of the command line.
pub struct Case {
    pub file: Option<(&'static str, Vec<u8>)>,
    pub words: Vec<String>,
}

impl Case {
    /// The case with this number; of its changes those in `mask`.
    pub fn new(case: u64, mask: u64, read: impl Fn(&str) -> Vec<u8>) -> Self {
        let mut random = Random(case);
        let is_line = random.index(5) == 0;
        // Half of the cases differ in one place only: they come farther.
        let most = *random.pick(&[1, MAX_CHANGES]);
        let changes = 1 + random.index(most as usize) as u64;
        let seeds: Vec<u64> = (0..changes).map(|_| random.draw()).collect();
        let seeds = seeds.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1);
        let seeds = seeds.map(|(_, seed)| Random(*seed));
        if is_line {
            let line = random
                .pick(&base::LINES)
                .split_whitespace()
                .map(str::to_owned);
            let words = seeds.fold(line.collect(), |words: Vec<String>, mut random| {
                if words.is_empty() {
                    words
                } else {
                    mutate::words(&words, &mut random)
                }
            });
            return Self { file: None, words };
        }
        let (name, lines) = random.pick(&base::READERS);
        let words = random.pick(lines).replace("FILE", name);
        let is_binary = [".ckpt", ".elf"].iter().any(|end| name.ends_with(end));
        let bytes = seeds.fold(read(name), |bytes, mut random| {
            if is_binary {
                mutate::byte(&bytes, &mut random)
            } else {
                mutate::change(&bytes, &mut random)
            }
        });
        Self {
            file: Some((name, bytes)),
            words: words.split_whitespace().map(str::to_owned).collect(),
        }
    }
}

/// Runs the cases that the environment names, in the current folder.
pub fn run() {
    let (first, count) = (number("NOCCL_CASE_FIRST", 0), number("NOCCL_CASE_COUNT", 0));
    let (step, mask) = (
        number("NOCCL_CASE_STEP", 1),
        number("NOCCL_CASE_MASK", u64::MAX),
    );
    if count == 0 {
        return;
    }
    base::make();
    end_what_takes_long();
    let mut codes: BTreeMap<u8, u64> = BTreeMap::new();
    for case in (0..count).map(|n| first + n * step) {
        say(&format!("{AT}{case}"));
        BEGUN_MS.store(now_ms(), Ordering::SeqCst);
        let made = Case::new(case, mask, |name| fs::read(name).unwrap());
        let original = made
            .file
            .as_ref()
            .map(|(name, _)| (*name, fs::read(name).unwrap()));
        if let Some((name, bytes)) = &made.file {
            fs::write(name, bytes).unwrap();
        }
        let words = std::iter::once("noccl".to_owned()).chain(made.words);
        let words: Vec<OsString> = words.map(OsString::from).collect();
        match catch_unwind(AssertUnwindSafe(|| noccl_cli::call(words))) {
            Ok(code) => *codes.entry(code).or_default() += 1,
            Err(_) => say(&format!("{PANIC}{case}")),
        }
        if let Some((name, bytes)) = original {
            fs::write(name, bytes).unwrap();
        }
    }
    let codes: Vec<String> = codes
        .iter()
        .map(|(code, n)| format!("{code} {n}"))
        .collect();
    say(&format!("{CODES}{}", codes.join(" ")));
    say(&format!("{AT}{}", u64::MAX));
}

fn say(line: &str) {
    let mut stderr = std::io::stderr().lock();
    writeln!(stderr, "\n{line}").unwrap();
}

/// When the case at hand began.
static BEGUN_MS: AtomicU64 = AtomicU64::new(0);

fn now_ms() -> u64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_millis() as u64
}

fn end_what_takes_long() {
    std::thread::spawn(|| {
        loop {
            std::thread::sleep(Duration::from_millis(50));
            let age = now_ms().saturating_sub(BEGUN_MS.load(Ordering::SeqCst));
            noccl_cli::ask_to_end(age > PATIENCE.as_millis() as u64);
        }
    });
}
