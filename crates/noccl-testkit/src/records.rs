// SPDX-License-Identifier: Apache-2.0
//! Records of the cases of [`collectives`]: committed text files with one line or more per case.
//!
//! A record notices any change, wanted or not. A plain test compares some cases, a long one all; `NOCCL_WRITE_GOLDEN=1` writes the
//! file again.

use crate::collectives::{self, Case};
use crate::is_long;
use noccl_net::Network;
use std::collections::BTreeMap;
use std::path::Path;

/// What a file records: one group of lines per case, each line with the case's name first.
#[derive(Debug)]
pub struct Record<'a> {
    /// The file.
    pub path: &'a Path,
    /// Its first lines, each with `#`.
    pub head: &'a str,
    /// Of how many cases the file has one.
    pub recorded_one_in: usize,
    /// Of how many of those a plain test compares one.
    pub compared_one_in: usize,
}

/// A case with its name and its network.
type Named<'a> = (String, &'a Network, &'a Case);

impl Record<'_> {
    /// Compares the file with the lines of today: of some cases, of all in long runs. A line begins with the case's name, which `lines` leaves
    /// out.
    ///
    /// # Panics
    ///
    /// If some differ, with the lines of the first case that does; if the file has other cases, or cannot be read or written.
    pub fn compare(&self, lines: impl Fn(&Network, &Case) -> Vec<String>) {
        let all = collectives::all();
        let pairs = all.iter().flat_map(|(network, cases)| {
            let named = cases.iter().map(|case| (case.name(), case));
            named.map(move |(name, case)| (name, network, case))
        });
        let cases: Vec<Named<'_>> = pairs.step_by(self.recorded_one_in).collect();
        if std::env::var_os("NOCCL_WRITE_GOLDEN").is_some() {
            self.write(&cases, &lines);
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
        let mut names: Vec<&str> = cases.iter().map(|(name, ..)| name.as_str()).collect();
        names.sort_unstable();
        let path = self.path.display();
        assert!(
            recorded.keys().copied().eq(names),
            "{path} has other cases; NOCCL_WRITE_GOLDEN=1 writes it again"
        );
        let step = if is_long() { 1 } else { self.compared_one_in };
        for (name, network, case) in cases.iter().step_by(step) {
            assert_eq!(
                recorded[name.as_str()],
                lines(network, case),
                "{path}, {name}: left is recorded, right is today's; NOCCL_WRITE_GOLDEN=1 writes it again"
            );
        }
    }

    fn write(&self, cases: &[Named<'_>], lines: &impl Fn(&Network, &Case) -> Vec<String>) {
        let mut named: Vec<&Named<'_>> = cases.iter().collect();
        named.sort_unstable_by_key(|(name, ..)| name);
        let mut text = self.head.to_owned();
        for (name, network, case) in named {
            for line in lines(network, case) {
                text += &format!("{name} | {line}\n");
            }
        }
        std::fs::write(self.path, text).expect("the record can be written");
    }
}

/// FNV-1a: a number that tells texts and other bytes apart.
pub fn fnv_1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let offset = 0xcbf2_9ce4_8422_2325_u64;
    bytes.into_iter().fold(offset, |number, byte| {
        (number ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}
