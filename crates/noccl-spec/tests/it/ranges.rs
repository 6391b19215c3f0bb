// SPDX-License-Identifier: Apache-2.0
//! The list of ranges is whole: every number of a spec has one, both ends of it are accepted, and the page states it.

use noccl_spec::{FieldRange, Form, Number, PRESET_NAMES, parse_spec, preset_text, ranges};
use std::collections::BTreeSet;

fn of_preset(name: &str) -> Vec<FieldRange> {
    let text = preset_text(name).unwrap();
    ranges(&parse_spec(name, &text, &[]).unwrap())
}

/// Paths of all numbers below a value.
fn numbers(path: &str, value: &toml::Value, found: &mut BTreeSet<String>) {
    let below = |name: &str| {
        if path.is_empty() {
            name.to_owned()
        } else {
            format!("{path}.{name}")
        }
    };
    match value {
        toml::Value::Table(table) => {
            for (name, inner) in table {
                numbers(&below(name), inner, found);
            }
        }
        toml::Value::Array(items) => {
            for (idx, inner) in items.iter().enumerate() {
                numbers(&below(&idx.to_string()), inner, found);
            }
        }
        toml::Value::Integer(_) | toml::Value::Float(_) => {
            found.insert(path.to_owned());
        }
        toml::Value::String(_) | toml::Value::Boolean(_) | toml::Value::Datetime(_) => {}
    }
}

#[test]
fn every_number_of_every_preset_has_one_range_with_what_stands_there_inside() {
    for preset in PRESET_NAMES {
        let spec = parse_spec(preset, &preset_text(preset).unwrap(), &[]).unwrap();
        let mut expected = BTreeSet::new();
        let whole: toml::Value = toml::from_str(&noccl_spec::to_toml(&spec)).unwrap();
        numbers("", &whole, &mut expected);
        assert!(
            expected.remove("format"),
            "the version is read before all else"
        );
        // Links of one cycle are not written.
        let links = ["req", "rsp", "wide"].map(|plane| format!("router.link_cycles.{plane}"));
        expected.extend(links.into_iter().filter(|_| spec.axi().is_some()));
        // Nor are the clock of 1 GHz, and costs of a core that are 0.
        expected.insert("clock_ghz".to_owned());
        if spec.axi().is_none() {
            let left_out = [
                "row_cycles",
                "receive_ahead_cycles",
                "send_word_cycles",
                "list_cycles",
                "round_cycles",
                "blocked_cycles",
            ];
            expected.extend(left_out.map(|field| format!("core.{field}")));
        }
        let listed: Vec<String> = ranges(&spec).iter().map(|r| r.field.clone()).collect();
        let unique: BTreeSet<String> = listed.iter().cloned().collect();
        assert_eq!(listed.len(), unique.len(), "{preset}");
        assert_eq!(unique, expected, "{preset}");
        for range in ranges(&spec) {
            assert_eq!(range.check(), Ok(()), "{preset}");
        }
    }
}

#[test]
fn both_ends_of_a_range_are_accepted_and_what_lies_beyond_is_refused_by_its_field() {
    for preset in ["collective_noc_4x4", "tilepro64_8x8"] {
        check_ends(preset);
    }
}

fn check_ends(preset: &str) {
    let text = preset_text(preset).unwrap();
    for range in of_preset(preset) {
        let with = |value: String| parse_spec("p", &text, &[(range.field.clone(), value)]);
        let refused = |value: String| {
            let shown = with(value.clone()).unwrap_err().to_string();
            assert!(shown.contains(&range.field), "{value}: {shown}");
        };
        for end in [range.least, range.most] {
            // A value may be refused where another field depends on it, and then says so.
            if let Err(error) = with(end.to_string()) {
                assert!(
                    error.to_string().contains(last_name(&range.field)),
                    "{error}"
                );
            }
        }
        match (range.least, range.most) {
            (Number::Whole(least), Number::Whole(most)) => {
                refused((most + 1).to_string());
                if least > 0 {
                    refused((least - 1).to_string());
                }
                if range.form == Form::Words {
                    refused((most - 1).to_string());
                }
                if range.form == Form::Ends && most > least + 1 {
                    refused((least + 1).to_string());
                }
            }
            (Number::Fraction(least), Number::Fraction(most)) => {
                refused((least - 0.0005).to_string());
                refused((most * 1.01).to_string());
            }
            (least, most) => panic!("{least} and {most} are numbers of two kinds"),
        }
    }
}

fn last_name(field: &str) -> &str {
    field.rsplit('.').next().unwrap()
}

/// The same path with `N` for the number of a list's entry.
fn on_the_page(field: &str) -> String {
    let name = |part: &str| {
        if part.parse::<u32>().is_ok() {
            "N".to_owned()
        } else {
            part.to_owned()
        }
    };
    field.split('.').map(name).collect::<Vec<_>>().join(".")
}

/// A number as the page may write it.
fn spellings(number: Number) -> Vec<String> {
    let plain = number.to_string();
    let Number::Whole(n) = number else {
        return vec![plain, "10^9".to_owned()];
    };
    let digits: Vec<char> = plain.chars().collect();
    let grouped = digits.iter().enumerate().map(|(i, digit)| {
        let is_group = i > 0 && (digits.len() - i).is_multiple_of(3);
        format!("{}{digit}", if is_group { "," } else { "" })
    });
    let mut all = vec![grouped.collect()];
    if n > 1 && n.is_power_of_two() {
        all.push(format!("2^{}", n.ilog2()));
    }
    if n > 1 && (n + 1).is_power_of_two() {
        all.push(format!("2^{} − 1", (n + 1).ilog2()));
    }
    all.push(plain);
    all
}

/// Fields that a row of the page is about: the first by its path, others of the same table by their names.
fn fields_of_row(row: &str) -> Vec<String> {
    let cell = row.split('|').nth(1).unwrap();
    let mut table = String::new();
    let quoted = cell.split('`').skip(1).step_by(2);
    let path = |name: &str| {
        if let Some((parents, _)) = name.rsplit_once('.') {
            table = parents.to_owned();
            return name.to_owned();
        }
        if table.is_empty() {
            return name.to_owned();
        }
        format!("{table}.{name}")
    };
    quoted.map(path).collect()
}

#[test]
fn the_page_of_the_format_has_a_row_for_every_number_with_the_ends_of_its_range() {
    let page = include_str!("../../../../docs/formats/spec.md");
    let rows: Vec<&str> = page.lines().filter(|l| l.starts_with("| `")).collect();
    for preset in [
        "collective_noc_4x4",
        "collective_noc_8x8_bypass",
        "torrent_4x5",
        "esp_4x5",
        "smart_8x8",
        "tilepro64_8x8",
    ] {
        for range in of_preset(preset) {
            let field = on_the_page(&range.field);
            let names = |row: &&&str| fields_of_row(row).contains(&field);
            let found: Vec<&&str> = rows.iter().filter(names).collect();
            assert_eq!(found.len(), 1, "{field}: {found:?}");
            let accepted = found[0].split('|').nth(3).unwrap();
            let states = |number| spellings(number).iter().any(|text| accepted.contains(text));
            assert!(states(range.most), "{field}: {} in {accepted}", range.most);
            let because = ["ni.", "window_beats", "core.unit_bytes"];
            let depends = because.iter().any(|field| range.because.contains(field));
            assert!(
                depends || states(range.least),
                "{field}: {} in {accepted}",
                range.least
            );
        }
    }
}
