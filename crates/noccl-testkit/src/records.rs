// SPDX-License-Identifier: Apache-2.0
//! Records of many cases: committed text files with one line or more per case.
//!
//! A record notices any change, wanted or not. A plain test compares some cases, a long one all; `NOCCL_WRITE_GOLDEN=1` writes the
//! file again.

use crate::is_long;
use std::collections::BTreeMap;
use std::path::Path;

/// What a file records: one group of lines per case, each line with the case's name first.
#[derive(Debug)]
pub struct Record<'a> {
    /// The file.
    pub path: &'a Path,
    /// Its first lines, each with `#`.
    pub head: &'a str,
    /// Names of all cases.
    pub cases: Vec<String>,
    /// Of how many cases a plain test compares one.
    pub one_in: usize,
}

impl Record<'_> {
    /// Compares the file with the lines of today: of some cases, of all in long runs. A line begins with the case's name, which `lines` leaves
    /// out.
    ///
    /// # Panics
    ///
    /// If some differ, with the lines of the first case that does; if the file has other cases, or cannot be read or written.
    pub fn compare(&self, lines: impl Fn(usize) -> Vec<String>) {
        let is_written = std::env::var_os("NOCCL_WRITE_GOLDEN").is_some();
        if is_written {
            self.write(&lines);
        }
        let committed = std::fs::read_to_string(self.path).expect("the record is committed");
        let body = committed.strip_prefix(self.head);
        let body = body.expect("the record begins with its head");
        let mut recorded: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for line in body.lines() {
            let (case, rest) = line
                .split_once(" | ")
                .expect("a case, a bar and what it gives");
            recorded.entry(case).or_default().push(rest);
        }
        let mut names: Vec<&str> = self.cases.iter().map(String::as_str).collect();
        names.sort_unstable();
        let path = self.path.display();
        assert!(
            recorded.keys().copied().eq(names),
            "{path} has other cases; NOCCL_WRITE_GOLDEN=1 writes it again"
        );
        let step = if is_long() { 1 } else { self.one_in };
        for number in (0..self.cases.len()).step_by(step) {
            let name = &self.cases[number];
            assert_eq!(
                recorded[name.as_str()],
                lines(number),
                "{path}, {name}: left is recorded, right is today's; NOCCL_WRITE_GOLDEN=1 writes it again"
            );
        }
    }

    fn write(&self, lines: &impl Fn(usize) -> Vec<String>) {
        let mut named: Vec<(&String, usize)> = self.cases.iter().zip(0..).collect();
        named.sort_unstable();
        let mut text = self.head.to_owned();
        for (name, number) in named {
            for line in lines(number) {
                text += &format!("{name} | {line}\n");
            }
        }
        std::fs::write(self.path, text).expect("the record can be written");
    }
}

/// FNV-1a of a text: a number that tells texts apart.
#[must_use]
pub fn number_of(text: &str) -> u64 {
    let offset = 0xcbf2_9ce4_8422_2325_u64;
    text.bytes().fold(offset, |number, byte| {
        (number ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}
