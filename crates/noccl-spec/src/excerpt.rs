// SPDX-License-Identifier: Apache-2.0
//! Messages about TOML that repeat a bounded part of the text, however long its lines are.

use std::ops::Range;

/// Characters of a line that a message repeats.
const MAX_SHOWN: usize = 200;

/// What a TOML reader says about a text: line, column, the part of the line around it, the reason.
#[must_use]
pub fn toml_message(text: &str, error: &toml::de::Error) -> String {
    let message = error.to_string();
    if message.lines().all(|line| line.len() <= MAX_SHOWN) {
        return message.trim_end().to_owned();
    }
    let reason = shortened(error.message().trim_end());
    let Some(span) = error.span() else {
        return reason;
    };
    message_at(text, span, &reason)
}

/// The same for a reason that is known from elsewhere: line, column and text of a place.
pub(crate) fn message_at(text: &str, span: Range<usize>, reason: &str) -> String {
    let at = text.floor_char_boundary(span.start);
    // 0: the first line begins where the text begins.
    let from = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let number = text[..at].matches('\n').count() + 1;
    let column = text[from..at].chars().count();
    let line = text[from..].lines().next().unwrap_or("");
    let skipped = column.saturating_sub(MAX_SHOWN / 2);
    let shown: String = line.chars().skip(skipped).take(MAX_SHOWN).collect();
    let is_whole = shown.len() == line.len();
    let which = if is_whole {
        String::new()
    } else {
        format!(", of which {MAX_SHOWN} characters are shown")
    };
    let margin = " ".repeat(number.to_string().len());
    let space = " ".repeat(column - skipped);
    let marked = text
        .get(span)
        .map_or(1, |t| t.lines().next().map_or(1, |t| t.chars().count()));
    let mark = if is_whole {
        "^".repeat(marked.max(1))
    } else {
        "^".to_owned()
    };
    format!(
        "TOML parse error at line {number}, column {}{which}\n\
         {margin} |\n{number} | {shown}\n{margin} | {space}{mark}\n{}",
        column + 1,
        reason.trim_end()
    )
}

/// A text with its middle left out if it is long.
fn shortened(text: &str) -> String {
    let chars = text.chars().count();
    if chars <= 2 * MAX_SHOWN {
        return text.to_owned();
    }
    let first: String = text.chars().take(MAX_SHOWN).collect();
    let last: String = text.chars().skip(chars - MAX_SHOWN).collect();
    format!("{first} … {last}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        let error = toml::from_str::<toml::Table>(text).unwrap_err();
        toml_message(text, &error)
    }

    #[test]
    fn short_lines_are_shown_whole() {
        assert!(message("a = 1\nb = [1 2]\n").contains("2 | b = [1 2]"));
    }

    #[test]
    fn a_line_of_a_megabyte_is_shown_around_its_error() {
        let (before, after) = ("ä, ".repeat(500_000), "1, ".repeat(100_000));
        for text in [
            format!("x = 1\ny = [\"{before}\", here oops, {after}]\n"),
            format!("y = \"{before}"),
            format!("{} = 1\n{0} = 2", "k".repeat(1_000_000)),
        ] {
            let message = message(&text);
            assert!(message.chars().count() < 1200, "{}", message.len());
            assert!(message.contains("200 characters are shown"), "{message}");
        }
        let text = format!("y = [\"{before}\", here oops, {after}]\n");
        assert!(message(&text).contains("here oops"));
    }
}
