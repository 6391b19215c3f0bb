// SPDX-License-Identifier: Apache-2.0
//! TOML in and out, overrides, JSON Schema.
//!
//! The text is read once without overrides, so that every mistake in it is reported with its line and
//! column, and each override is then tried on its own, so that a mistake in one is reported as its
//! own. Ranges are checked last: an override may repair the file.

use crate::base::completed;
use crate::files::FileKind;
use crate::{SPEC_FORMAT, Spec, SpecError, toml_message, validate};

/// Reads a spec from TOML text; `file` names it in errors.
///
/// # Errors
/// [`SpecError::Parse`] with line, column and the nearest accepted key; [`SpecError::Format`] for
/// another version; [`SpecError::Override`]; [`SpecError::Range`] for a value outside its range.
pub fn parse_spec(
    file: &str,
    text: &str,
    overrides: &[(String, String)],
) -> Result<Spec, SpecError> {
    let written: toml::Table =
        toml::from_str(text).map_err(|e| parse_error(file, text, FileKind::Axi, &e))?;
    check_format(file, &written)?;
    let whole = completed(file, text, &written)?;
    let kind = FileKind::of(whole.as_ref().unwrap_or(&written));
    let (mut table, read) = match whole {
        Some(table) => (table.clone(), kind.read_table(table)),
        None => (written, kind.read_text(text)),
    };
    let mut spec = read.map_err(|e| parse_error(file, text, kind, &e))?;
    for (key, value) in overrides {
        override_value(&mut table, key, value)?;
        let read = kind.read_table(table.clone());
        spec = read.map_err(|e| override_error(key, value, kind, e.message()))?;
    }
    if spec.format != SPEC_FORMAT {
        return Err(SpecError::Format {
            file: file.to_owned(),
            found: spec.format.to_string(),
            expected: SPEC_FORMAT,
        });
    }
    validate(&spec).map_err(|e| SpecError::Range {
        file: file.to_owned(),
        field: e.field,
        found: e.found,
        accepted: e.accepted,
    })?;
    Ok(spec)
}

/// Sets the value at a dotted path (`router.flow`, `mesh.regions.1.width`) in a TOML table.
///
/// The value is written as in the file; quotes around strings may be left out, and a whole number
/// may stand for a fractional one.
///
/// # Errors
/// [`SpecError::Override`] if the path names nothing or the type differs.
pub fn override_value(table: &mut toml::Table, key: &str, value: &str) -> Result<(), SpecError> {
    let fail = |reason: String| SpecError::Override {
        key: key.to_owned(),
        value: value.to_owned(),
        reason,
    };
    let (parents, last) = key.rsplit_once('.').unwrap_or(("", key));
    if parents == LINK_CYCLES {
        write_link_cycles(table);
    }
    if key == CLOCK {
        let one = toml::Value::Float(crate::default_clock_ghz());
        table.entry(CLOCK).or_insert(one);
    }
    let parts: Vec<&str> = parents.split('.').filter(|p| !p.is_empty()).collect();
    let here = descend(table, &parts).map_err(fail)?;
    if LEFT_OUT.contains(&key) {
        here.entry(last).or_insert(toml::Value::Integer(0));
    }
    let mut no_value = no_value(here, parents, last);
    if parents.is_empty() && !table.contains_key(last) {
        no_value += &paths_to(table, last);
    }
    let here = descend(table, &parts).map_err(fail)?;
    let old = match here.get_mut(last) {
        Some(old) if !old.is_table() && !old.is_array() => old,
        Some(_) | None => return Err(fail(no_value)),
    };
    let new = match (&*old, parse_value(value)) {
        (toml::Value::String(_), toml::Value::String(s)) => toml::Value::String(s),
        (toml::Value::String(_), _) => toml::Value::String(value.to_owned()),
        (toml::Value::Float(_), toml::Value::Integer(i)) => toml::Value::Float(i as f64),
        (_, new) => new,
    };
    if old.type_str() != new.type_str() {
        return Err(fail(format!(
            "the field holds a value of type {}, this is of type {}",
            old.type_str(),
            new.type_str()
        )));
    }
    *old = new;
    Ok(())
}

/// The spec as TOML text.
///
/// # Panics
/// Only if [`validate`](crate::validate) refuses the spec because of an address beyond 63 bits;
/// everything that [`parse_spec`] returns has a TOML form.
#[must_use]
pub fn to_toml(spec: &Spec) -> String {
    toml::to_string_pretty(spec).expect("a valid spec holds only tables, lists, strings, numbers")
}

/// JSON Schema of the spec format.
#[must_use]
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(Spec)
}

/// The version comes first: a file of another version may well have other keys.
fn check_format(file: &str, table: &toml::Table) -> Result<(), SpecError> {
    match table.get("format") {
        Some(found) if found.as_integer() != Some(SPEC_FORMAT.into()) => Err(SpecError::Format {
            file: file.to_owned(),
            found: found.to_string(),
            expected: SPEC_FORMAT,
        }),
        Some(_) | None => Ok(()),
    }
}

/// A number that files leave out where it is 1, and that can be set nevertheless.
const CLOCK: &str = "clock_ghz";

/// Whole numbers that files may leave out: of `core`, where they are 0; of `router.smart`, where they are `vcs`.
const LEFT_OUT: [&str; 8] = [
    "core.blocked_cycles",
    "core.list_cycles",
    "core.row_cycles",
    "core.receive_ahead_cycles",
    "core.round_cycles",
    "core.send_word_cycles",
    "router.smart.reduction_vcs",
    "router.smart.multicast_vcs",
];

/// A table of such numbers.
const LINK_CYCLES: &str = "router.link_cycles";

fn write_link_cycles(table: &mut toml::Table) {
    if let Some(toml::Value::Table(router)) = table.get_mut("router") {
        add_link_cycles(router);
    }
}

fn add_link_cycles(router: &mut toml::Table) {
    let empty = toml::Value::Table(toml::Table::new());
    let links = router.entry("link_cycles").or_insert(empty);
    if let toml::Value::Table(links) = links {
        for plane in ["req", "rsp", "wide"] {
            links.entry(plane).or_insert(toml::Value::Integer(1));
        }
    }
}

/// Where in a spec a field of this name is, as a hint.
fn paths_to(table: &toml::Table, name: &str) -> String {
    let below = table.iter().filter_map(|(key, value)| {
        let has_it = value.as_table()?.get(name)?;
        (!has_it.is_table()).then(|| format!("`{key}.{name}`"))
    });
    let below: Vec<String> = below.collect();
    match below.as_slice() {
        [] => String::new(),
        some => format!(" (did you mean {}?)", some.join(" or ")),
    }
}

/// Why a name in a table, whose path is `parents`, is no single value. Names the fields that files leave out too.
fn no_value(table: &toml::Table, parents: &str, name: &str) -> String {
    let mut table = table.clone();
    match parents {
        "" => {
            let one = toml::Value::Float(crate::default_clock_ghz());
            table.entry(CLOCK).or_insert(one);
        }
        // Routers between cores have links of one cycle.
        "router" if table.contains_key("wide_reduction") => add_link_cycles(&mut table),
        _ => {
            let names = LEFT_OUT.iter().filter_map(|key| key.rsplit_once('.'));
            let names = names.filter(|(of, _)| *of == parents);
            table.extend(names.map(|(_, name)| (name.to_owned(), toml::Value::Integer(0))));
        }
    }
    match table.get(name) {
        Some(toml::Value::Table(below)) => format!(
            "'{name}' is not a single value; name a field below it: {}",
            names_of(below).join(", ")
        ),
        Some(_) => format!("'{name}' is not a single value; name a field below it"),
        None => unknown_field(&table, name),
    }
}

fn names_of(table: &toml::Table) -> Vec<&str> {
    table.keys().map(String::as_str).collect()
}

fn descend<'a>(table: &'a mut toml::Table, parts: &[&str]) -> Result<&'a mut toml::Table, String> {
    let Some((part, rest)) = parts.split_first() else {
        return Ok(table);
    };
    let unknown = unknown_field(table, part);
    match table.get_mut(*part).ok_or(unknown)? {
        toml::Value::Table(inner) => descend(inner, rest),
        toml::Value::Array(items) => {
            let hint = format!("'{part}' is a list of {}: write e.g. {part}.0", items.len());
            let (idx, rest) = rest.split_first().ok_or_else(|| hint.clone())?;
            let item = idx.parse().ok().and_then(|i: usize| items.get_mut(i));
            match item.and_then(toml::Value::as_table_mut) {
                Some(inner) => descend(inner, rest),
                None => Err(hint),
            }
        }
        toml::Value::String(_)
        | toml::Value::Integer(_)
        | toml::Value::Float(_)
        | toml::Value::Boolean(_)
        | toml::Value::Datetime(_) => Err(format!("'{part}' is a value, not a table")),
    }
}

fn unknown_field(table: &toml::Table, part: &str) -> String {
    let names = names_of(table);
    format!(
        "no field '{part}' here; fields: {}{}",
        names.join(", "),
        nearest(part, names.iter().copied())
    )
}

fn parse_value(text: &str) -> toml::Value {
    toml::from_str::<toml::Table>(&format!("v = {text}"))
        .ok()
        .filter(|t| t.len() == 1)
        .and_then(|mut t| t.remove("v"))
        .unwrap_or_else(|| toml::Value::String(text.to_owned()))
}

pub(crate) fn parse_error(
    file: &str,
    text: &str,
    kind: FileKind,
    error: &toml::de::Error,
) -> SpecError {
    SpecError::Parse {
        file: file.to_owned(),
        message: in_plain_types(&toml_message(text, error)),
        hint: nearest_accepted(kind, error.message()),
    }
}

fn override_error(key: &str, value: &str, kind: FileKind, message: &str) -> SpecError {
    SpecError::Override {
        key: key.to_owned(),
        value: value.to_owned(),
        reason: format!(
            "{}{}",
            in_plain_types(message.trim_end()),
            nearest_accepted(kind, message)
        ),
    }
}

/// A message of serde with numbers in the place of Rust's types.
pub(crate) fn in_plain_types(message: &str) -> String {
    let whole = ["u8", "u16", "u32", "u64", "usize"].map(|name| format!("expected {name}"));
    let number = whole.iter().find(|of| message.ends_with(of.as_str()));
    let quotes = if message.contains("invalid type: string") {
        " without quotes"
    } else if message.contains("integer `-") {
        ", 0 or more"
    } else {
        ""
    };
    if let Some(of) = number {
        return message.replace(of.as_str(), &format!("expected a whole number{quotes}"));
    }
    message.replace("expected f64", &format!("expected a number{quotes}"))
}

/// serde lists the accepted names in its message; name the closest one, or say that the name belongs to tiles of the other kind.
pub(crate) fn nearest_accepted(kind: FileKind, message: &str) -> String {
    if !message.contains("unknown field") && !message.contains("unknown variant") {
        return String::new();
    }
    let mut quoted = message.split('`').skip(1).step_by(2);
    match quoted.next() {
        Some(found) if !kind.note(found).is_empty() => kind.note(found).to_owned(),
        Some(found) => nearest(found, quoted),
        None => String::new(),
    }
}

// "Did you mean …?": the accepted name closest to the one written.

/// A hint in parentheses, or nothing when no candidate is close.
///
/// Of `all_reduse` among `all_reduce` and `barrier`: did you mean `all_reduce`?
#[must_use]
pub fn nearest<'a>(found: &str, candidates: impl Iterator<Item = &'a str>) -> String {
    match candidates.map(|key| (distance(found, key), key)).min() {
        Some((edits, name)) if edits <= 1 + name.len() / 4 => format!(" (did you mean `{name}`?)"),
        Some(_) | None => String::new(),
    }
}

/// Levenshtein distance; inputs are names, so the quadratic cost is nothing.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_single_edits() {
        for (a, b, edits) in [
            ("", "", 0),
            ("", "abc", 3),
            ("width", "widht", 2),
            ("width", "with", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(a, b), edits, "{a} {b}");
            assert_eq!(distance(b, a), edits, "{b} {a}");
        }
    }

    #[test]
    fn nearest_without_a_close_candidate_says_nothing() {
        assert_eq!(nearest("zzzzzz", ["width", "height"].into_iter()), "");
        assert_eq!(
            nearest("hieght", ["width", "height"].into_iter()),
            " (did you mean `height`?)"
        );
    }
}
