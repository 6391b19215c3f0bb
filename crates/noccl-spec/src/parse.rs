// SPDX-License-Identifier: Apache-2.0
//! TOML in and out, overrides, JSON Schema.

use crate::{SPEC_FORMAT, Spec, SpecError};

/// Reads a spec from TOML text; `file` names it in errors.
///
/// # Errors
/// [`SpecError::Parse`] with line, column and the nearest accepted key; [`SpecError::Format`] for
/// another version.
pub fn parse_spec(
    file: &str,
    text: &str,
    overrides: &[(String, String)],
) -> Result<Spec, SpecError> {
    let mut table: toml::Table =
        toml::from_str(text).map_err(|e| parse_error(file, &e.to_string()))?;
    for (key, value) in overrides {
        override_value(&mut table, key, value)?;
    }
    // Deserialise from text, not from the table, so that errors carry line and column.
    let spec: Spec = if overrides.is_empty() {
        toml::from_str(text).map_err(|e| parse_error(file, &e.to_string()))?
    } else {
        table
            .try_into()
            .map_err(|e: toml::de::Error| parse_error(file, &e.to_string()))?
    };
    if spec.format != SPEC_FORMAT {
        return Err(SpecError::Format {
            file: file.to_owned(),
            found: spec.format,
            expected: SPEC_FORMAT,
        });
    }
    Ok(spec)
}

/// Sets the value at a dotted path (`router.flow`, `mesh.regions.1.width`) in a TOML table.
///
/// # Errors
/// [`SpecError::Override`] if the path names nothing or the type differs.
pub fn override_value(table: &mut toml::Table, key: &str, value: &str) -> Result<(), SpecError> {
    let fail = |reason: String| SpecError::Override {
        key: key.to_owned(),
        value: value.to_owned(),
        reason,
    };
    let (parents, last) = key
        .rsplit_once('.')
        .map_or((None, key), |(p, l)| (Some(p), l));
    let mut here = table;
    let mut path: Vec<&str> = parents.map(|p| p.split('.').collect()).unwrap_or_default();
    path.reverse();
    while let Some(part) = path.pop() {
        let names = here.keys().cloned().collect::<Vec<_>>().join(", ");
        let next = here
            .get_mut(part)
            .ok_or_else(|| fail(format!("no field '{part}' here; fields: {names}")))?;
        here = match next {
            toml::Value::Table(inner) => inner,
            toml::Value::Array(items) => {
                let len = items.len();
                let idx: usize = path
                    .pop()
                    .and_then(|s| s.parse().ok())
                    .filter(|i| *i < len)
                    .ok_or_else(|| {
                        fail(format!(
                            "'{part}' is a list: write {part}.0 to {part}.{}",
                            len.saturating_sub(1)
                        ))
                    })?;
                items[idx]
                    .as_table_mut()
                    .ok_or_else(|| fail(format!("'{part}.{idx}' is not a table")))?
            }
            _ => return Err(fail(format!("'{part}' is a value, not a table"))),
        };
    }
    let names = here.keys().cloned().collect::<Vec<_>>().join(", ");
    let old = here
        .get(last)
        .ok_or_else(|| fail(format!("no field '{last}' here; fields: {names}")))?;
    let new = parse_value(value);
    if old.type_str() != new.type_str() {
        return Err(fail(format!(
            "the field holds a {}, not a {}",
            old.type_str(),
            new.type_str()
        )));
    }
    here.insert(last.to_owned(), new);
    Ok(())
}

/// The spec as TOML text.
///
/// # Panics
/// Never: every spec has a TOML form.
#[must_use]
pub fn to_toml(spec: &Spec) -> String {
    toml::to_string_pretty(spec).expect("a spec holds only tables, lists, strings, numbers")
}

/// JSON Schema of the spec format.
#[must_use]
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(Spec)
}

fn parse_value(text: &str) -> toml::Value {
    toml::from_str::<toml::Table>(&format!("v = {text}"))
        .ok()
        .and_then(|mut t| t.remove("v"))
        .unwrap_or_else(|| toml::Value::String(text.to_owned()))
}

fn parse_error(file: &str, message: &str) -> SpecError {
    SpecError::Parse {
        file: file.to_owned(),
        message: message.trim_end().to_owned(),
        hint: nearest_key(message),
    }
}

/// serde lists the accepted keys in its message; name the closest one.
fn nearest_key(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let Some(found) = quoted.next().filter(|_| message.contains("unknown field")) else {
        return String::new();
    };
    let best = quoted.map(|k| (distance(found, k), k)).min();
    match best {
        Some((edits, key)) if edits <= 3 => format!(" (did you mean `{key}`?)"),
        Some(_) | None => String::new(),
    }
}

/// Levenshtein distance; inputs are key names, so the quadratic cost is nothing.
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
