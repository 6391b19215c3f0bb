// SPDX-License-Identifier: Apache-2.0
//! Whatever stands in the file: a spec or an error, never a panic; and what is accepted reads back.

use noccl_spec::{parse_spec, preset_text, to_toml, validate, warnings};
use proptest::prelude::*;

/// A preset with some bytes replaced, lines dropped or doubled, and one override.
fn damaged() -> impl Strategy<Value = (String, String, String)> {
    let edits = prop::collection::vec((any::<prop::sample::Index>(), 0u8..4, any::<char>()), 0..4);
    let keys = prop::sample::select(vec![
        "mesh.width",
        "mesh.regions.0.x",
        "router.flow",
        "name",
        "energy.hop_pj_per_byte",
        "cluster.dma.buffer_beats",
        "memory",
        "mesh.regions.9.x",
        "a.b",
        "",
    ]);
    let value = prop_oneof!["\\PC{0,12}", "-?[0-9_.xe]{1,20}"];
    (edits, keys, value).prop_map(|(edits, key, value)| {
        let text = preset_text("collective_noc_4x4").unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for (at, how, put) in edits {
            let line = at.index(lines.len());
            match how {
                0 => drop(lines.remove(line)),
                1 => lines.insert(line, lines[line].clone()),
                2 => lines[line].push(put),
                _ => lines[line] = lines[line].replace(['0', '=', '2'], &put.to_string()),
            }
        }
        (lines.join("\n"), key.to_owned(), value)
    })
}

proptest! {
    #![proptest_config(noccl_testkit::cheap())]

    #[test]
    fn a_damaged_file_is_read_or_refused((text, key, value) in damaged()) {
        for overrides in [vec![], vec![(key, value)]] {
            if let Ok(spec) = parse_spec("f", &text, &overrides) {
                prop_assert_eq!(validate(&spec), Ok(()));
                prop_assert!(warnings(&spec).len() <= 5);
                prop_assert_eq!(parse_spec("f", &to_toml(&spec), &[]), Ok(spec));
            }
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        prop_assert!(parse_spec("f", &text, &[]).is_err());
    }
}
