// SPDX-License-Identifier: Apache-2.0
//! Text from files and users as it may be shown: a terminal obeys control characters, and a reader does not see those
//! that change the direction of text.

use std::borrow::Cow;
use std::fmt::Display;

/// Characters of a line of a message.
const MAX_LINE: usize = 2000;

/// The text with every control character, and every one that hides or reorders others, in the form `\u{1b}`. Line ends
/// and tabulators stay.
///
/// ```
/// assert_eq!(noccl_files::visible("a\tb\u{1b}]0;x\u{7}"), "a\tb\\u{1b}]0;x\\u{7}");
/// ```
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c == '\n' || c == '\t')
}

/// As [`visible`], for text that takes one line: line ends and tabulators are shown too.
#[must_use]
pub fn visible_line(text: &str) -> Cow<'_, str> {
    escaped(text, |_| false)
}

/// What is wrong, in words that can be shown: as [`visible`], with the middle of very long lines left out. Messages
/// repeat what files hold.
#[must_use]
pub fn message(error: &impl Display) -> String {
    let text = error.to_string();
    let lines: Vec<Cow<'_, str>> = text.lines().map(shortened).collect();
    visible(&lines.join("\n")).into_owned()
}

fn shortened(line: &str) -> Cow<'_, str> {
    if line.len() <= MAX_LINE {
        return Cow::Borrowed(line);
    }
    let first = line.floor_char_boundary(MAX_LINE / 2);
    let last = line.ceil_char_boundary(line.len() - MAX_LINE / 2);
    let (head, tail) = (&line[..first], &line[last..]);
    Cow::Owned(format!("{head} … {} bytes left out … {tail}", last - first))
}

fn escaped(text: &str, is_layout: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_shown = |c: char| is_layout(c) || !is_hidden(c);
    if text.chars().all(is_shown) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_shown(c) {
            out.push(c);
        } else {
            out.extend(c.escape_unicode());
        }
    }
    Cow::Owned(out)
}

/// Controls (C0, DEL, C1), line separators, marks and overrides of direction, characters without width.
const fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\0'..='\x1f'
            | '\x7f'..='\u{9f}'
            | '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_of_bounded_length() {
        let error = format!("--bytes '{}': a number", "ä".repeat(1_000_000));
        let message = message(&error);
        assert!(message.len() < 2 * MAX_LINE, "{}", message.len());
        assert!(message.starts_with("--bytes 'ä") && message.ends_with("a number"));
    }

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        let all: String = (0..=0xffff).filter_map(char::from_u32).collect();
        let shown = visible_line(&all);
        assert!(!shown.chars().any(|c| c.is_control() || is_hidden(c)));
        assert_eq!(visible("äöü → 1.5 µm ✓"), "äöü → 1.5 µm ✓");
        assert_eq!(visible("a\n\tb\r"), "a\n\tb\\u{d}");
        assert_eq!(visible_line("a\nb\u{202e}"), "a\\u{a}b\\u{202e}");
    }
}
