// SPDX-License-Identifier: Apache-2.0
//! `noccl explain`: tables that fit a terminal, the cycles of `noccl compare`, refusals that say what is accepted.

use crate::common::{Folder, done, json, json_in, noccl};

const CASES: [&str; 5] = [
    "reduce --bytes 32KiB --algorithm in_network --root 1,1",
    "all_reduce --spec collective_noc_8x8 --bytes 4KiB --algorithm point_to_point",
    "multicast --spec torrent_4x5 --bytes 4KiB --algorithm chain",
    "all_to_all --spec tilepro64_4x4 --bytes 128",
    "barrier",
];

#[test]
fn no_line_is_wider_than_a_terminal_of_100_columns() {
    for case in CASES {
        let said = noccl(&format!("explain {case} --path"));
        assert_eq!(said.code, Some(0), "{said:?}");
        for line in said.stdout.lines() {
            assert!(line.chars().count() <= 100, "{case}: {line}");
        }
        assert!(
            said.stdout.contains("#"),
            "{case} has no bar: {}",
            said.stdout
        );
    }
}

#[test]
fn the_cycles_are_those_of_a_comparison_and_the_parts_sum_to_them() {
    for case in CASES {
        let found = json(&format!("explain {case} --no-reruns --json"));
        let parts = found["parts"].as_array().unwrap();
        let sum: u64 = parts.iter().map(|p| p["cycles"].as_u64().unwrap()).sum();
        assert_eq!(found["cycles"], sum, "{case}: {found:#}");
        let (what, _) = case.split_once(" --algorithm ").unwrap_or((case, ""));
        let algorithm = found["algorithm"].as_str().unwrap();
        let root = if case.contains("--root") {
            "--root 1,1"
        } else {
            ""
        };
        let rows = json(&format!(
            "compare {what} {root} --algorithms {algorithm} --json"
        ));
        assert_eq!(rows[0]["cycles"], sum, "{case}: {rows:#}");
    }
}

#[test]
fn a_schedule_is_explained_as_its_collective() {
    let folder = Folder::new();
    done(
        &folder,
        "schedule reduce --bytes 4KiB --algorithm tree -o reduce.json",
    );
    let of_file = json_in(&folder, "explain reduce.json --no-reruns --json");
    let of_name = json("explain reduce --bytes 4KiB --algorithm tree --no-reruns --json");
    assert_eq!(of_file["parts"], of_name["parts"]);
    assert_eq!(of_file["path"], of_name["path"]);
}

#[test]
fn what_has_no_effect_or_does_not_exist_is_refused() {
    for (arguments, words) in [
        ("explain shuffle", "accepted: multicast"),
        (
            "explain reduce.json --bytes 4KiB",
            "has no effect on a schedule",
        ),
        ("explain barrier --bytes 4KiB", "has no effect on a barrier"),
        ("explain multicast --operator max", "has no effect on"),
        (
            "explain reduce --algorithm tree,chain",
            "accepted: one algorithm, e.g.",
        ),
        ("explain nothing.json", "nothing.json"),
    ] {
        let said = noccl(arguments);
        assert_eq!(said.code, Some(2), "{arguments}: {said:?}");
        assert!(said.stderr.contains(words), "{arguments}: {said:?}");
    }
}
