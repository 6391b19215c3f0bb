// SPDX-License-Identifier: Apache-2.0
//! Files that name a preset as their base and hold only what differs from it.
//!
//! Tables are merged, everything else is replaced, lists as a whole: an entry of a list has no name by which a file could say
//! which one it means. What the base has and the file has not (`cluster.torrent`) is named by `without`. Each value is tried
//! on its own, so that a mistake is reported with the line of the file that it stands in.

use crate::SpecError;
use crate::files::FileKind;
use crate::parse::{in_plain_types, nearest_accepted};
use crate::presets::preset_table;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Keys that say how the rest is read; no field of a spec has these names.
const BASE: &str = "base";
const WITHOUT: &str = "without";

/// Puts the values of a file without lines over a table, and removes what it is without: for the library's own files, which are
/// known to be right.
pub(crate) fn put_over(table: &mut toml::Table, mut changes: toml::Table) {
    if let Some(toml::Value::Array(paths)) = changes.remove(WITHOUT) {
        let paths = paths.iter().filter_map(toml::Value::as_str);
        paths.for_each(|path| drop(removed(table, path)));
    }
    for (name, value) in changes {
        match (table.get_mut(&name), value) {
            (Some(toml::Value::Table(inner)), toml::Value::Table(changes)) => {
                put_over(inner, changes);
            }
            (_, value) => drop(table.insert(name, value)),
        }
    }
}

/// What a dotted path named, if anything.
fn removed(table: &mut toml::Table, path: &str) -> Option<toml::Value> {
    let (tables, last) = path.rsplit_once('.').unwrap_or(("", path));
    let tables = tables.split('.').filter(|part| !part.is_empty());
    table_at(table, tables)?.remove(last)
}

fn table_at<'t, 'p>(
    table: &'t mut toml::Table,
    mut path: impl Iterator<Item = &'p str>,
) -> Option<&'t mut toml::Table> {
    path.try_fold(table, |inner, part| {
        inner.get_mut(part).and_then(toml::Value::as_table_mut)
    })
}

/// A file while its values are put over those of the base.
struct Merge<'a> {
    file: &'a str,
    text: &'a str,
    kind: FileKind,
    table: toml::Table,
}

/// The whole table of a file that names a base; `None` if it names none.
///
/// # Errors
/// [`SpecError::Parse`] with line, column and the nearest accepted key; [`SpecError::UnknownPreset`].
pub(crate) fn completed(
    file: &str,
    text: &str,
    table: &toml::Table,
) -> Result<Option<toml::Table>, SpecError> {
    if !table.contains_key(BASE) && !table.contains_key(WITHOUT) {
        return Ok(None);
    }
    // The caller has read the text: it is TOML.
    let Ok(spanned) = DeTable::parse(text) else {
        return Ok(None);
    };
    let mut merge = Merge {
        file,
        text,
        kind: FileKind::Axi,
        table: toml::Table::new(),
    };
    let keys = spanned.get_ref();
    let Some((key, base)) = entry(keys, BASE) else {
        let at = entry(keys, WITHOUT).map_or(0..0, |(key, _)| key.span());
        return Err(merge.error(at, "`without` needs a `base` that has what is left out"));
    };
    let Some(name) = base.get_ref().as_str() else {
        return Err(merge.error(base.span(), "the base is the name of a preset in quotes"));
    };
    if entry(keys, "name").is_none() {
        let reason =
            "`name` is missing; accepted: another name than the base has, e.g. name = \"my_noc\"";
        return Err(merge.error(key.span(), reason));
    }
    merge.table = preset_table(name).map_err(|e| merge.error(base.span(), &e.to_string()))?;
    merge.kind = FileKind::of(&merge.table);
    if let Some((_, list)) = entry(keys, WITHOUT) {
        merge.leave_out(list)?;
    }
    merge.put(&mut Vec::new(), keys, table)?;
    Ok(Some(merge.table))
}

type Key<'i> = Spanned<std::borrow::Cow<'i, str>>;
type Value<'i> = Spanned<DeValue<'i>>;

fn entry<'t, 'i>(table: &'t DeTable<'i>, name: &str) -> Option<(&'t Key<'i>, &'t Value<'i>)> {
    table.iter().find(|(key, _)| key.get_ref() == name)
}

impl Merge<'_> {
    fn error(&self, span: Range<usize>, reason: &str) -> SpecError {
        SpecError::Parse {
            file: self.file.to_owned(),
            message: message_at(self.text, span, reason),
            hint: nearest_accepted(self.kind, reason),
        }
    }

    /// Removes tables and fields that the base has, by their paths.
    fn leave_out(&mut self, list: &Value<'_>) -> Result<(), SpecError> {
        let Some(paths) = list.get_ref().as_array() else {
            let reason = "`without` is a list of paths, e.g. [\"cluster.torrent\"]";
            return Err(self.error(list.span(), reason));
        };
        for path in paths.iter() {
            let name = path.get_ref().as_str();
            let removed = name.and_then(|name| removed(&mut self.table, name));
            if removed.is_none() {
                let reason = "the base has nothing of this path";
                return Err(self.error(path.span(), reason));
            }
        }
        Ok(())
    }

    /// Puts values over those of the base, below the table at `path`. The same values stand in `plain` without their lines.
    fn put(
        &mut self,
        path: &mut Vec<String>,
        changes: &DeTable<'_>,
        plain: &toml::Table,
    ) -> Result<(), SpecError> {
        for (key, value) in changes {
            let name = key.get_ref().to_string();
            let Some(new) = plain.get(&name) else {
                continue;
            };
            if path.is_empty() && (name == BASE || name == WITHOUT) {
                continue;
            }
            let Some(table) = table_at(&mut self.table, path.iter().map(String::as_str)) else {
                continue;
            };
            if let (Some(toml::Value::Table(_)), toml::Value::Table(plain), DeValue::Table(inner)) =
                (table.get(&name), new, value.get_ref())
            {
                path.push(name);
                self.put(path, inner, plain)?;
                path.pop();
                continue;
            }
            table.insert(name, new.clone());
            let tried = self.kind.read_table(self.table.clone());
            tried.map_err(|e| {
                self.error(
                    key.span().start..value.span().end,
                    &in_plain_types(e.message()),
                )
            })?;
        }
        Ok(())
    }
}

// Messages about TOML that repeat a bounded part of the text, however long its lines are.

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
