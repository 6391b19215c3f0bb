// SPDX-License-Identifier: Apache-2.0
//! A spec that cannot be read is refused with what, where, and what would be accepted.

use noccl_spec::{PRESET_NAMES, SpecError, parse_spec, preset_text};
use noccl_testkit::assert_says;

fn base() -> String {
    preset_text("collective_noc_4x4").unwrap()
}

/// Replaces `from` (which must occur once) and returns the error text.
fn broken(from: &str, to: &str) -> String {
    let text = base();
    assert_eq!(text.matches(from).count(), 1, "{from}");
    let error = parse_spec("my.toml", &text.replace(from, to), &[]).unwrap_err();
    let shown = error.to_string();
    assert!(shown.starts_with("my.toml: "), "{shown}");
    shown
}

/// Adds a line behind the first `line` and returns the error text.
fn broken_after(line: &str, added: &str) -> String {
    let text = base().replacen(line, &format!("{line}\n{added}"), 1);
    parse_spec("my.toml", &text, &[]).unwrap_err().to_string()
}

/// "line L, column C" of a text in the preset.
fn place(of: &str) -> String {
    let text = base();
    let (before, _) = text.split_once(of).unwrap();
    let column = before.rsplit('\n').next().unwrap().len() + 1;
    format!("line {}, column {column}", before.matches('\n').count() + 1)
}

fn with(key: &str, value: &str) -> Result<noccl_spec::Spec, SpecError> {
    parse_spec("my.toml", &base(), &[(key.to_owned(), value.to_owned())])
}

#[test]
fn unknown_key_is_refused_with_line_column_and_nearest_key() {
    let shown = broken("cut_cycles = 2", "cut_cycle = 2");
    assert!(shown.contains(&place("cut_cycles")), "{shown}");
    assert!(shown.contains("unknown field `cut_cycle`"), "{shown}");
    assert!(shown.contains("did you mean `cut_cycles`?"), "{shown}");
}

#[test]
fn unknown_key_is_refused_in_every_table() {
    for header in base().lines().filter(|l| l.starts_with('[')) {
        let shown = broken_after(header, "qqq = 1");
        assert!(shown.contains("unknown field `qqq`"), "{header}: {shown}");
    }
    let shown = broken("format = 1\n", "format = 1\nqqq = 1\n");
    assert!(shown.contains("unknown field `qqq`"), "{shown}");
}

#[test]
fn unknown_key_far_from_all_lists_the_accepted_ones_without_a_guess() {
    let shown = broken("cut_cycles = 2", "zzzzzzzzzz = 2");
    assert!(shown.contains("`store_beats`"), "{shown}");
    assert!(!shown.contains("did you mean"), "{shown}");
}

#[test]
fn unknown_enum_value_is_refused_with_nearest_value() {
    let shown = broken("\"non_blocking\"", "\"non_bloking\"");
    assert!(shown.contains(&place("\"non_blocking")), "{shown}");
    assert!(shown.contains("did you mean `non_blocking`?"), "{shown}");
}

#[test]
fn a_backtick_in_the_file_does_not_confuse_the_hint() {
    let shown = broken("cut_cycles = 2", "cut_cycle = 2 # not `store_beats`");
    assert!(shown.ends_with("(did you mean `cut_cycles`?)"), "{shown}");
}

#[test]
fn wrong_type_is_refused_with_line_and_both_types() {
    let shown = broken("num_cores = 8", "num_cores = \"eight\"");
    assert!(shown.contains(&place("8\ncompute")), "{shown}");
    assert_says(
        &shown,
        &["invalid type: string \"eight\", expected a whole number"],
    );
    assert_says(broken("num_cores = 8", "num_cores = -8"), &["-8"]);
}

#[test]
fn missing_field_is_named() {
    let shown = broken("num_cores = 8\n", "");
    assert!(shown.contains("missing field `num_cores`"), "{shown}");
}

#[test]
fn text_that_is_not_toml_is_refused_with_its_line() {
    let shown = broken("num_cores = 8", "num_cores = = 8");
    assert!(shown.contains(&place("8\ncompute")), "{shown}");
}

#[test]
fn another_format_version_is_refused_before_anything_else() {
    let shown = broken("format = 1\n", "format = 2\nkey_of_the_future = 3\n");
    assert_eq!(
        shown,
        "my.toml: format = 2, but this version reads format = 1"
    );
    let shown = broken("format = 1\n", "format = \"one\"\n");
    assert!(shown.contains("format = \"one\""), "{shown}");
}

#[test]
fn values_out_of_range_name_field_value_and_accepted_range() {
    for (key, value, accepted) in [
        ("mesh.width", "0", "must be 1 to 4096"),
        ("mesh.height", "5000", "must be 1 to 4096"),
        (
            "mesh.regions.1.stride_bytes",
            "262143",
            "must be a power of two, e.g. 262144",
        ),
        (
            "mesh.regions.0.base_address",
            "0x1_0000_0000_0000",
            "must be 0 to 281474976710655",
        ),
        ("mesh.regions.0.height", "0", "must be 1 to 4096"),
        ("router.input_fifo_flits", "17", "must be 1 to 16"),
        ("router.output_fifo_flits", "0", "must be 1 to 16"),
        ("router.merge_table_entries", "0", "must be 1 to 256"),
        ("router.wide_reduction.store_beats", "79", "must be 80 to"),
        (
            "router.wide_reduction.window_beats",
            "3",
            "must be 4 to 256 (a credit stands for 4 beats",
        ),
        ("ni.wide_beat_bytes", "4", "must be 8 to 256"),
        ("ni.wide_beat_bytes", "512", "must be 8 to 256"),
        (
            "ni.wide_beat_bytes",
            "48",
            "must be a power of two, e.g. 64",
        ),
        ("ni.narrow_beat_bytes", "4", "must be 8,"),
        ("ni.max_burst_beats", "257", "must be 1 to 256"),
        (
            "ni.burst_boundary_bytes",
            "3000",
            "must be a power of two, e.g. 4096",
        ),
        (
            "ni.max_wide_outstanding",
            "8",
            "must be 9 to 256, more than ni.max_open_reductions = 8",
        ),
        ("ni.max_narrow_outstanding", "0", "must be 1 to 256"),
        ("ni.max_open_reductions", "256", "must be 1 to 255"),
        ("cluster.l1_bytes", "0", "must be 64 to"),
        ("cluster.l1_bytes", "100", "must be a multiple of 64"),
        ("cluster.fpu.bits64_cycles", "0", "must be 1 to 16"),
        ("cluster.dma.buffer_beats", "64", "must be 65 to"),
        ("cluster.instructions.poll", "0", "must be 1 to 1000"),
        ("memory.bytes", "0", "must be 64 to"),
        ("memory.max_outstanding", "0", "must be 1 to 256"),
        ("energy.hop_pj_per_byte", "-1.0", "must be 0 to"),
        ("energy.hop_pj_per_byte", "nan", "must be 0 to"),
        ("name", "a/b", "letters, digits"),
        ("name", "..", "letters, digits"),
    ] {
        let shown = with(key, value).unwrap_err().to_string();
        assert!(shown.starts_with(&format!("my.toml: {key} = ")), "{shown}");
        assert!(shown.contains(accepted), "{key}: {shown}");
    }
}

#[test]
fn three_operand_reduction_is_refused_with_the_published_router() {
    let shown = with("router.flow", "published").unwrap_err().to_string();
    assert!(
        shown.contains("router.wide_reduction.kind = \"three_operand\""),
        "{shown}"
    );
    assert!(shown.contains("must be \"two_operand\""), "{shown}");
}

#[test]
fn unknown_preset_lists_the_families_and_the_nearest() {
    let shown = preset_text("collective_noc_4x4_publish")
        .unwrap_err()
        .to_string();
    for name in PRESET_NAMES {
        let family = name.split(|c: char| c.is_ascii_digit()).next().unwrap();
        assert!(shown.contains(family), "{name}: {shown}");
    }
    assert_says(&shown, &["did you mean `collective_noc_4x4_published`?"]);
    for bad in [
        "",
        "collective_noc_",
        "collective_noc_4",
        "collective_noc_0x4",
        "collective_noc_4x1025",
        "collective_noc_+4x4",
        "collective_noc_04x4",
        "collective_noc_4x4_",
        "collective_noc_4x4_huge",
        "collective_noc_99999999999x4",
        "mesh4x4",
    ] {
        let error = preset_text(bad).unwrap_err();
        assert!(matches!(error, SpecError::UnknownPreset { .. }), "{bad}");
    }
}

#[test]
fn the_lean_endpoint_has_no_published_mode() {
    let text = preset_text("torrent_4x5_published").unwrap();
    let text = text.replace(
        "endpoint_cycles = \"published\"",
        "endpoint_cycles = \"lean\"",
    );
    let shown = parse_spec("my.toml", &text, &[]).unwrap_err().to_string();
    assert!(shown.contains("cluster.torrent.endpoint_cycles"), "{shown}");
    assert!(shown.contains("needs mode \"safe\""), "{shown}");
    let safe = text.replace("mode = \"published\"", "mode = \"safe\"");
    let safe = safe.replace("buffer_bursts = 0", "buffer_bursts = 2");
    assert!(parse_spec("my.toml", &safe, &[]).is_ok());
}
