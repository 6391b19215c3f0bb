// SPDX-License-Identifier: Apache-2.0
//! The table `[router.bypass]`: its ranges, where it may stand, and the presets that have it.

use noccl_spec::{RouterBypass, Spec, SpecError, parse_spec, preset_text};
use noccl_testkit::assert_says;

fn parsed(preset: &str, overrides: &[(&str, &str)]) -> Result<Spec, SpecError> {
    let owned = overrides.iter().map(|(f, v)| ((*f).into(), (*v).into()));
    let owned: Vec<(String, String)> = owned.collect();
    parse_spec(preset, &preset_text(preset).unwrap(), &owned)
}

#[test]
fn presets_have_paths_of_eight_links_or_of_the_longest_line() {
    for (name, hpc_max) in [
        ("collective_noc_8x8_bypass", 8),
        ("collective_noc_64x64_bypass", 8),
        ("collective_noc_4x4_bypass", 4),
        ("collective_noc_2x6_bypass", 5),
        ("collective_noc_1x1_bypass", 1),
    ] {
        let expected = RouterBypass {
            hpc_max,
            setup_cycles: 1,
        };
        let spec = parsed(name, &[]).unwrap();
        assert_eq!(spec.axi().unwrap().router.bypass, Some(expected), "{name}");
        let without = name.trim_end_matches("_bypass");
        let mut other = parsed(without, &[]).unwrap();
        assert_eq!(other.axi().unwrap().router.bypass, None, "{without}");
        other.name.clone_from(&spec.name);
        other.axi_mut().unwrap().router.bypass = spec.axi().unwrap().router.bypass;
        assert_eq!(spec, other, "{name}");
    }
}

#[test]
fn a_refusal_names_the_field_with_what_was_found_and_what_is_accepted() {
    let bypass = "collective_noc_8x8_bypass";
    for (field, value, accepted) in [
        (
            "router.bypass.hpc_max",
            "9",
            "must be 1 to 8 (the longest line of a mesh of 9x8 tiles has 8 links)",
        ),
        ("router.bypass.hpc_max", "0", "must be 1 to 8"),
        ("router.bypass.setup_cycles", "3", "must be 1 to 2"),
        ("router.merge_cycles", "3", "must be 1 with router.bypass"),
        (
            "router.link_cycles.rsp",
            "2",
            "must be 1 with router.bypass",
        ),
    ] {
        let error = parsed(bypass, &[(field, value)]).unwrap_err().to_string();
        assert_says(&error, &[field, value, accepted]);
    }
}

#[test]
fn routers_of_other_kinds_are_refused_with_the_table() {
    for (base, flow) in [
        ("collective_noc_8x8_published", "published"),
        ("ideal_8x8", "ideal"),
        ("esp_4x5", "esp"),
        ("smart_8x8", "smart"),
    ] {
        let table = "[router.bypass]\nhpc_max = 3\nsetup_cycles = 1\n";
        let text = format!("base = \"{base}\"\nname = \"x\"\n{table}");
        let error = parse_spec("x", &text, &[]).unwrap_err().to_string();
        let accepted = format!("must be absent with router.flow = \"{flow}\"");
        assert_says(&error, &["router.bypass", "a table", &accepted]);
    }
}

#[test]
fn chains_stand_beside_routers_without_bypass_only() {
    let mut spec = parsed("collective_noc_4x4_bypass", &[]).unwrap();
    let torrent = parsed("torrent_4x5", &[]).unwrap();
    let endpoint = &torrent.axi().unwrap().cluster.torrent;
    spec.axi_mut().unwrap().cluster.torrent.clone_from(endpoint);
    let error = noccl_spec::validate(&spec).unwrap_err();
    assert_eq!(error.field, "cluster.torrent");
    assert_eq!(error.accepted, "must be absent with router.bypass");
}
