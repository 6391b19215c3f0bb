// SPDX-License-Identifier: Apache-2.0
//! `-P key=value` changes exactly the named field, or says why it cannot.

use noccl_spec::{RouterFlow, Spec, SpecError, parse_spec, preset_text};
use noccl_testkit::assert_says;

fn with(pairs: &[(&str, &str)]) -> Result<Spec, SpecError> {
    let overrides: Vec<(String, String)> = pairs
        .iter()
        .map(|(key, v)| ((*key).to_owned(), (*v).to_owned()))
        .collect();
    parse_spec(
        "f.toml",
        &preset_text("collective_noc_4x4").unwrap(),
        &overrides,
    )
}

fn reason(key: &str, value: &str) -> String {
    let error = with(&[(key, value)]).unwrap_err();
    let shown = error.to_string();
    assert!(matches!(error, SpecError::Override { .. }), "{shown}");
    let (head, reason) = shown.split_once(": ").unwrap();
    assert_eq!(head, format!("-P {key}={value}"));
    reason.to_owned()
}

#[test]
fn an_override_changes_its_field_and_no_other() {
    let mut expected = with(&[]).unwrap();
    let found = with(&[
        ("ni.max_burst_beats", "32"),
        ("mesh.regions.1.base_address", "0x3000_0000"),
        ("energy.hop_pj_per_byte", "2"),
        ("name", "mine"),
    ])
    .unwrap();
    expected.axi_mut().unwrap().ni.max_burst_beats = 32;
    expected.mesh.regions[1].base_address = 0x3000_0000;
    expected.axi_mut().unwrap().energy.hop_pj_per_byte = 2.0;
    expected.name = "mine".to_owned();
    assert_eq!(found, expected);
}

#[test]
fn later_overrides_win_and_strings_need_no_quotes() {
    let found = with(&[
        ("router.wide_reduction.kind", "two_operand"),
        ("router.flow", "\"non_blocking\""),
        ("router.flow", "published"),
    ])
    .unwrap();
    assert_eq!(found.axi().unwrap().router.flow, RouterFlow::Published);
    // A name that reads like a number stays a string.
    assert_eq!(with(&[("name", "42")]).unwrap().name, "42");
}

#[test]
fn an_override_may_repair_a_value_out_of_range() {
    let text = preset_text("collective_noc_4x4").unwrap();
    let broken = text.replace("num_cores = 8", "num_cores = 0");
    let repair = [("cluster.num_cores".to_owned(), "8".to_owned())];
    assert_eq!(
        parse_spec("f", &broken, &repair),
        parse_spec("f", &text, &[])
    );
}

#[test]
fn an_unknown_path_is_refused_with_the_fields_there() {
    let shown = reason("ni.max_burst", "3");
    assert_says(&shown, &["no field 'max_burst' here", "narrow_beat_bytes"]);
    let shown = reason("router.flwo", "x");
    assert!(shown.contains("did you mean `flow`?"), "{shown}");
    assert_says(reason("rooter.flow", "x"), &["did you mean `router`?"]);
}

#[test]
fn fields_that_files_leave_out_are_named_too() {
    assert_says(
        reason("router.merge_cycle", "3"),
        &["link_cycles", "merge_cycles"],
    );
    assert_says(
        reason("router.link_cycles", "3"),
        &["below it: req, rsp, wide"],
    );
    assert_says(reason("clock", "3"), &["clock_ghz"]);
}

#[test]
fn a_path_that_is_no_single_value_is_refused() {
    assert!(reason("router", "1").contains("not a single value"));
    assert!(reason("mesh.regions", "1").contains("not a single value"));
    assert!(reason("router.flow.x", "1").contains("is a value, not a table"));
    for key in ["mesh.regions.2.x", "mesh.regions.x", "mesh.regions.-1.x"] {
        assert!(reason(key, "1").contains("list of 2"), "{key}");
    }
    assert!(reason("", "1").contains("no field ''"));
}

#[test]
fn a_value_of_another_type_is_refused() {
    assert!(
        reason("ni.max_burst_beats", "many").contains("of type integer, this is of type string")
    );
    assert!(reason("ni.max_burst_beats", "1.5").contains("of type float"));
    assert!(reason("ni.max_burst_beats", "-1").contains("-1"));
    assert!(reason("energy.hop_pj_per_byte", "x").contains("of type float"));
    assert!(reason("ni.max_burst_beats", "1\nw = 2").contains("of type string"));
}

#[test]
fn an_unknown_enum_value_names_the_nearest() {
    let shown = reason("router.flow", "publishd");
    assert!(shown.contains("did you mean `published`?"), "{shown}");
}

#[test]
fn a_clock_is_read_written_and_bounded_and_one_gigahertz_is_left_out() {
    let text = preset_text("collective_noc_4x4").unwrap();
    let with = |clock: &str| parse_spec("t", &text, &[("clock_ghz".to_owned(), clock.to_owned())]);
    assert!(!text.contains("clock_ghz"));
    assert_eq!(parse_spec("t", &text, &[]).unwrap(), with("1").unwrap());
    let fast = with("1.25").unwrap();
    let written = noccl_spec::to_toml(&fast);
    assert!(written.contains("clock_ghz = 1.25"), "{written}");
    assert_eq!(parse_spec("t", &written, &[]).unwrap(), fast);
    for wrong in ["0", "0.0009", "101", "-1", "nan"] {
        assert_says(with(wrong).unwrap_err(), &["clock_ghz", "0.001 to 100"]);
    }
}
