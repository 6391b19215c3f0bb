// SPDX-License-Identifier: Apache-2.0
//! How wide what is printed may be.

use std::io::stdout;
use terminal_size::{Width, terminal_size_of};

/// Columns of what is no terminal, so that a pipe, a file and a test get the same text everywhere.
const NO_TERMINAL: usize = 120;
/// Fewer columns hold no table.
const LEAST: usize = 40;

/// Columns of the output: the variable COLUMNS, else the terminal's, else 120.
pub fn columns() -> usize {
    let named = std::env::var("COLUMNS").ok();
    let named = named.and_then(|text| text.trim().parse().ok());
    let of_terminal = || terminal_size_of(stdout()).map(|(Width(columns), _)| columns.into());
    named
        .or_else(of_terminal)
        .map_or(NO_TERMINAL, |columns: usize| columns.max(LEAST))
}

/// A text in lines of at most so many columns, broken at spaces; lines after the first are indented.
pub fn wrapped(text: &str, columns: usize, indent: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in words(text) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= columns => {
                *line += " ";
                *line += &word;
            }
            Some(_) => lines.push(format!("{indent}{word}")),
            None => lines.push(word),
        }
    }
    lines.join("\n")
}

/// Each line of a text in the width of the output; what does not fit goes on in indented lines.
pub fn prose(text: &str) -> String {
    let lines = text.lines();
    lines
        .map(|line| wrapped(line, columns(), "  ") + "\n")
        .collect()
}

/// Words of a text; a number with a space before its thousands is one word.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for part in text.split(' ') {
        let digits = part.chars().take_while(char::is_ascii_digit).count();
        match words.last_mut() {
            Some(number) if digits == 3 && number.ends_with(|c: char| c.is_ascii_digit()) => {
                *number += " ";
                *number += part;
            }
            Some(_) | None => words.push(part.to_owned()),
        }
    }
    words
}
