// SPDX-License-Identifier: Apache-2.0
//! Words of one line, each read as what is expected there.

use crate::error::ProgramError;
use std::str::SplitAsciiWhitespace;

/// Longest part of a line that a message repeats.
const SHOWN_CHARS: usize = 60;

/// A line that is being read.
pub(super) struct Line<'t> {
    /// From 1.
    pub(super) number: u32,
    file: &'t str,
    words: SplitAsciiWhitespace<'t>,
}

impl<'t> Line<'t> {
    pub(super) fn new(file: &'t str, number: u32, text: &'t str) -> Self {
        Self {
            number,
            file,
            words: text.split_ascii_whitespace(),
        }
    }

    /// Something in this line is wrong.
    pub(super) fn wrong(&self, what: &str, accepted: impl Into<String>) -> ProgramError {
        wrong(self.file, self.number, what, accepted)
    }

    /// The next word, if there is one.
    pub(super) fn next(&mut self) -> Option<&'t str> {
        self.words.next()
    }

    /// The next word.
    pub(super) fn word(&mut self, accepted: &str) -> Result<&'t str, ProgramError> {
        let found = self.words.next();
        found.ok_or_else(|| self.wrong("the line ends too early", accepted))
    }

    /// The next word, a number in a range; `name` is what it is.
    pub(super) fn number<N: TryFrom<u64>>(
        &mut self,
        name: &str,
        most: u64,
    ) -> Result<N, ProgramError> {
        let accepted = || format!("{name}, 0 to {most}");
        let word = match self.words.next() {
            Some(word) => word,
            None => return Err(self.wrong("the line ends too early", accepted())),
        };
        self.parsed(word, most, accepted)
    }

    /// A word as a number in a range.
    pub(super) fn parsed<N: TryFrom<u64>>(
        &self,
        word: &str,
        most: u64,
        accepted: impl Fn() -> String,
    ) -> Result<N, ProgramError> {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        let found = word.parse::<u64>().ok();
        let found = found.filter(|found| is_number && *found <= most);
        let found = found.and_then(|found| N::try_from(found).ok());
        found.ok_or_else(|| self.wrong(&quoted(word), accepted()))
    }

    /// All numbers that are left.
    pub(super) fn numbers<N: TryFrom<u64>>(
        &mut self,
        name: &str,
        most: u64,
    ) -> Result<Vec<N>, ProgramError> {
        let accepted = || format!("{name}, 0 to {most}");
        let words = std::mem::replace(&mut self.words, "".split_ascii_whitespace());
        words
            .map(|word| self.parsed(word, most, accepted))
            .collect()
    }

    /// The line is over.
    pub(super) fn end(mut self) -> Result<(), ProgramError> {
        match self.words.next() {
            None => Ok(()),
            Some(word) => Err(self.wrong(&quoted(word), "the end of the line")),
        }
    }
}

/// A line of a file is wrong.
pub(super) fn wrong(
    file: &str,
    line: u32,
    what: &str,
    accepted: impl Into<String>,
) -> ProgramError {
    ProgramError::Trace {
        file: file.to_owned(),
        line,
        what: what.to_owned(),
        accepted: accepted.into(),
    }
}

/// As messages repeat a word: not all of a long one, and no control characters.
pub(super) fn quoted(word: &str) -> String {
    let shown: String = word.chars().take(SHOWN_CHARS).collect();
    format!("'{}'", shown.escape_debug())
}
