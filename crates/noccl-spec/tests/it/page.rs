// SPDX-License-Identifier: Apache-2.0
//! The page of the format has every field.

use noccl_spec::Spec;
use std::collections::BTreeSet;
use std::path::Path;

/// Paths of the fields below a part of the schema.
fn add_fields(
    schema: &serde_json::Value,
    root: &serde_json::Value,
    path: &str,
    fields: &mut BTreeSet<String>,
) {
    if let Some(target) = schema["$ref"].as_str() {
        let name = target.rsplit('/').next().unwrap();
        return add_fields(&root["$defs"][name], root, path, fields);
    }
    let parts = ["anyOf", "oneOf", "allOf"].map(|key| schema[key].as_array());
    for part in parts.into_iter().flatten().flatten() {
        add_fields(part, root, path, fields);
    }
    match schema["properties"].as_object() {
        Some(properties) => {
            for (name, property) in properties {
                let below = if path.is_empty() {
                    name.clone()
                } else {
                    format!("{path}.{name}")
                };
                add_fields(property, root, &below, fields);
            }
        }
        None => {
            fields.insert(path.to_owned());
        }
    }
}

#[test]
fn every_field_has_a_row() {
    let schema = serde_json::to_value(schemars::schema_for!(Spec)).unwrap();
    let mut fields = BTreeSet::new();
    add_fields(&schema, &schema, "", &mut fields);
    assert!(fields.len() > 80, "{fields:?}");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats/spec.md");
    let page = std::fs::read_to_string(page).unwrap();
    // A row names several fields of a table by the path of the first one and the names of the others.
    let has = |field: &str| {
        let name = field.rsplit('.').next().unwrap();
        page.contains(&format!("`{field}`")) || page.contains(&format!(", `{name}`"))
    };
    let missing: Vec<_> = fields.iter().filter(|field| !has(field)).collect();
    assert!(
        missing.is_empty(),
        "docs/formats/spec.md has no row of {missing:?}"
    );
}
