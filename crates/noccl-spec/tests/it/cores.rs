// SPDX-License-Identifier: Apache-2.0
//! Specs of core tiles: their presets, and what they refuse of AXI clusters and these of them.

use noccl_spec::{
    Core, DrainRule, PRESET_NAMES, Spec, SpecError, parse_spec, preset_text, to_toml, validate,
    warnings,
};
use noccl_testkit::assert_says;

const PRESET: &str = "tilepro64_8x8";

fn with(overrides: &[(&str, &str)]) -> Result<Spec, SpecError> {
    let set = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let overrides: Vec<_> = overrides.iter().map(set).collect();
    parse_spec("mine.toml", &preset_text(PRESET).unwrap(), &overrides)
}

fn refusal(text: &str) -> String {
    parse_spec("mine.toml", text, &[]).unwrap_err().to_string()
}

fn core(spec: &Spec) -> &Core {
    &spec.cores().unwrap().core
}

#[test]
fn every_size_is_a_preset_and_the_number_of_columns_comes_first() {
    for width in 1..=64 {
        for height in [1, 2, 7, 63, 64] {
            let name = format!("tilepro64_{width}x{height}");
            let spec = parse_spec(&name, &preset_text(&name).unwrap(), &[]).unwrap();
            assert_eq!(spec.name, name);
            assert_eq!((spec.mesh.width, spec.mesh.height), (width, height));
            assert!(spec.axi().is_none());
            assert_eq!(parse_spec(&name, &to_toml(&spec), &[]).unwrap(), spec);
        }
    }
    for name in [
        "tilepro64_0x4",
        "tilepro64_65x4",
        "tilepro64_4x65",
        "tilepro64_4x4_published",
        "tilepro64",
    ] {
        assert!(preset_text(name).is_err(), "{name}");
    }
    assert!(PRESET_NAMES.contains(&PRESET));
}

#[test]
fn the_preset_has_the_numbers_of_its_sources() {
    let spec = with(&[]).unwrap();
    let tiles = spec.cores().unwrap();
    assert!((spec.clock_ghz - 0.7).abs() < 1e-12);
    assert_eq!(spec.flow_name(), "udn");
    let udn = &tiles.router.udn;
    let found = (udn.input_fifo_flits, udn.hop_cycles, udn.turn_cycles);
    assert_eq!(found, (3, 1, 1));
    // The sum is fitted to a ping-pong of 42.1 cycles each direction over one hop.
    let core = &tiles.core;
    assert_eq!(core.send_cycles + core.receive_cycles, 30);
    assert_eq!(core.drain, DrainRule::Always);
    assert_eq!(warnings(&spec), Vec::<String>::new());
}

#[test]
fn the_suffix_for_interrupts_changes_what_a_library_costs_and_its_noise_only() {
    let name = "tilepro64_7x5_interrupt";
    let mut spec = parse_spec(name, &preset_text(name).unwrap(), &[]).unwrap();
    let mut polling = parse_spec(name, &preset_text("tilepro64_7x5").unwrap(), &[]).unwrap();
    polling.name = name.to_owned();
    let core = &mut spec.cores_mut().unwrap().core;
    assert!(core.interrupt_cycles > 0 && core.word_cycles == 4);
    assert!(core.noise_cycles > 0 && core.noise_per_billion_messages > 0);
    let of = &mut polling.cores_mut().unwrap().core;
    core.interrupt_cycles = of.interrupt_cycles;
    core.word_cycles = of.word_cycles;
    core.noise_cycles = of.noise_cycles;
    core.noise_per_billion_messages = of.noise_per_billion_messages;
    assert_eq!(spec, polling);
}

#[test]
fn a_message_travels_in_units_with_a_header_and_a_tag_each() {
    let spec = with(&[]).unwrap();
    let words = |bytes| core(&spec).message_words(bytes);
    assert_eq!(
        [0, 1, 4, 5, 128, 129, 256].map(words),
        [2, 3, 3, 4, 34, 37, 68]
    );
    let units = |bytes| core(&spec).units(bytes);
    assert_eq!([0, 1, 128, 129, 256, 257].map(units), [1, 1, 1, 2, 2, 3]);
    assert_eq!(core(&spec).unit_words(128), 34);
}

#[test]
fn overrides_and_bases_change_single_fields() {
    let spec = with(&[("core.send_cycles", "10"), ("core.drain", "never")]).unwrap();
    let mut expected = with(&[]).unwrap();
    let core = &mut expected.cores_mut().unwrap().core;
    (core.send_cycles, core.drain) = (10, DrainRule::Never);
    assert_eq!(spec, expected);
    let text = format!(
        "base = \"{PRESET}\"\nname = \"mine\"\n[core]\nsend_cycles = 10\ndrain = \"never\"\n"
    );
    expected.name = "mine".to_owned();
    assert_eq!(parse_spec("mine.toml", &text, &[]).unwrap(), expected);
}

#[test]
fn fields_of_clusters_are_refused_by_name_with_what_core_tiles_have() {
    let preset = preset_text(PRESET).unwrap();
    for (added, field) in [
        ("[ni]\nwide_beat_bytes = 64\n", "`ni`"),
        ("[cluster]\nl1_bytes = 64\n", "`cluster`"),
        ("[memory]\nbytes = 64\n", "`memory`"),
        ("[energy]\n", "`energy`"),
    ] {
        let shown = refusal(&format!("{preset}\n{added}"));
        assert!(shown.contains(&format!("unknown field {field}")), "{shown}");
        assert_says(&shown, &["`core`", "describes core tiles", "line "]);
        let base = format!("base = \"{PRESET}\"\nname = \"mine\"\n{added}");
        assert_says(refusal(&base), &[&format!("unknown field {field}")]);
    }
    let regions = preset.replace("height = 8\n", "height = 8\nregions = []\n");
    let shown = refusal(&regions);
    assert_says(&shown, &["unknown field `regions`", "`width` or `height`"]);
    for (key, value, parts) in [
        (
            "ni.max_burst_beats",
            "4",
            ["no field 'ni' here", "core, format, mesh"],
        ),
        (
            "router.input_fifo_flits",
            "4",
            ["no field 'input_fifo_flits'", "flow, static_network, udn"],
        ),
        (
            "router.flow",
            "non_blocking",
            ["unknown variant `non_blocking`", "`udn`"],
        ),
        (
            "router.link_cycles.req",
            "2",
            ["unknown field `link_cycles`", "`static_network`"],
        ),
        (
            "core.l1_bytes",
            "4",
            ["no field 'l1_bytes'", "memory_bytes"],
        ),
    ] {
        let shown = with(&[(key, value)]).unwrap_err().to_string();
        for part in parts {
            assert!(shown.contains(part), "{key}: {shown}");
        }
    }
}

#[test]
fn fields_of_core_tiles_are_refused_by_name_with_what_clusters_have() {
    let preset = preset_text("collective_noc_4x4").unwrap();
    let shown = refusal(&format!("{preset}\n[core]\nsend_cycles = 1\n"));
    assert!(shown.contains("unknown field `core`"), "{shown}");
    assert_says(&shown, &["`cluster`", "describes AXI clusters"]);
    let base = "base = \"collective_noc_4x4\"\nname = \"mine\"\n[core]\nsend_cycles = 1\n";
    assert!(refusal(base).contains("describes AXI clusters"));
    let flow = ("router.flow".to_owned(), "udn".to_owned());
    let shown = parse_spec("p", &preset, &[flow]).unwrap_err().to_string();
    assert_says(&shown, &["unknown variant `udn`", "`non_blocking`"]);
    // A file whose routers are those of core tiles is one, whatever else it has.
    let shown = refusal(&preset.replace("\"non_blocking\"", "\"udn\""));
    assert!(shown.contains("describes core tiles"), "{shown}");
}

#[test]
fn a_unit_fits_in_a_packet_and_in_the_store() {
    let store = ("core.receive_store_words", "33");
    let shown = with(&[store]).unwrap_err().to_string();
    assert!(
        shown.contains("must be 34 to 4096 (a unit of core.unit_bytes has 34 words)"),
        "{shown}"
    );
    assert!(with(&[("core.unit_bytes", "124"), store]).is_ok());
    let shown = with(&[("core.unit_bytes", "126")]).unwrap_err().to_string();
    assert!(shown.contains("must be a multiple of 4, a word"), "{shown}");
    let shown = with(&[("core.unit_bytes", "512")]).unwrap_err().to_string();
    assert!(shown.contains("must be 4 to 508 (a packet has"), "{shown}");
}

#[test]
fn regions_in_memory_are_refused_as_in_files() {
    let mut spec = with(&[]).unwrap();
    let other = parse_spec("p", &preset_text("torrent_4x5").unwrap(), &[]).unwrap();
    spec.mesh.regions = other.mesh.regions;
    let error = validate(&spec).unwrap_err();
    assert_eq!(error.field, "mesh.regions");
    assert!(error.accepted.contains("must be absent"), "{error}");
}

#[test]
fn fifos_that_lower_the_rate_of_links_are_warned_of() {
    for (field, value, slots) in [
        ("router.udn.input_fifo_flits", "2", "with 3 slots"),
        ("router.udn.hop_cycles", "2", "with 4 slots"),
    ] {
        let found = warnings(&with(&[(field, value)]).unwrap());
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("router.udn.input_fifo_flits = "));
        assert!(found[0].contains(slots), "{found:?}");
    }
    let other_reading = [
        ("router.udn.hop_cycles", "2"),
        ("router.udn.turn_cycles", "0"),
    ];
    assert_eq!(
        warnings(&with(&other_reading).unwrap()),
        Vec::<String>::new()
    );
}
