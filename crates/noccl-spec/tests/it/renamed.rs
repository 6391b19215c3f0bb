// SPDX-License-Identifier: Apache-2.0
//! Old names of presets and values: read as before, with a sentence that says what they are now.

use noccl_spec::{RouterFlow, old_names, parse_spec, preset_text, to_toml};

#[test]
fn the_old_suffix_of_a_preset_is_read_as_the_new_one() {
    let now = preset_text("collective_noc_3x2_published").unwrap();
    assert_eq!(preset_text("collective_noc_3x2_peer").unwrap(), now);
    assert_eq!(
        old_names("collective_noc_3x2_peer", &now, &[]),
        ["the preset collective_noc_3x2_peer is now collective_noc_3x2_published"]
    );
    for name in ["collective_noc_3x2_published", "torrent_4x5_published"] {
        assert!(old_names(name, &now, &[]).is_empty(), "{name}");
    }
    assert!(preset_text("torrent_4x5_peer").is_err());
}

#[test]
fn a_file_may_name_the_old_preset_as_its_base() {
    let text = "base = \"collective_noc_4x4_peer\"\nname = \"mine\"\n";
    let spec = parse_spec("mine.toml", text, &[]).unwrap();
    assert_eq!(spec.axi().unwrap().router.flow, RouterFlow::Published);
    assert_eq!(
        old_names("mine.toml", text, &[]),
        ["the preset collective_noc_4x4_peer is now collective_noc_4x4_published"]
    );
}

#[test]
fn the_old_value_of_the_flow_is_read_in_files_and_overrides_and_never_written() {
    let now = preset_text("collective_noc_4x4_published").unwrap();
    let before = now.replace("flow = \"published\"", "flow = \"peer_compatible\"");
    let note = ["router.flow = \"peer_compatible\" is now \"published\""];
    let spec = parse_spec("old.toml", &before, &[]).unwrap();
    assert_eq!(spec.axi().unwrap().router.flow, RouterFlow::Published);
    assert!(to_toml(&spec).contains("flow = \"published\""));
    assert_eq!(old_names("old.toml", &before, &[]), note);
    for value in ["peer_compatible", "\"peer_compatible\""] {
        let set = [("router.flow".to_owned(), value.to_owned())];
        let spec = parse_spec("now.toml", &now, &set).unwrap();
        assert_eq!(spec.axi().unwrap().router.flow, RouterFlow::Published);
        assert_eq!(old_names("now.toml", &now, &set), note);
    }
}
