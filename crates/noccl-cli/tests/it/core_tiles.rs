// SPDX-License-Identifier: Apache-2.0
//! Every command on a network of core tiles works, or refuses by field with what would be accepted.

use crate::common::{Folder, done, noccl_in};

/// What works.
const DONE: [&str; 23] = [
    "coherence --kernel fft --threads 16 --design cores.toml --protocol ht",
    "elaborate tilepro64_4x4",
    "elaborate tilepro64_4x4 --json",
    "elaborate tilepro64_1x1 --toml",
    "elaborate tilepro64_64x64 --json",
    "elaborate tilepro64_4x4 --tree multicast:0,0",
    "elaborate cores.toml -P core.send_cycles=10",
    "schedule all_to_all --spec tilepro64_2x2 --bytes 128 --algorithm pairwise -o messages.json",
    "check messages.json --spec tilepro64_2x2",
    "check messages.json --spec tilepro64_2x2 --json",
    "run messages.json --spec tilepro64_2x2 --links --json",
    "run messages.json --spec tilepro64_2x2 --mode timing",
    "compare all_to_all --spec tilepro64_2x2 --bytes 128",
    "compare barrier --spec tilepro64_2x1",
    "stress --spec tilepro64_4x4 --seeds 2",
    "matrix --spec tilepro64_2x2 --collectives multicast,reduce --bytes 64",
    "compare reduce --spec tilepro64_4x4 --bytes 64 --backend model",
    "compare all_to_all --spec tilepro64_2x2 --bytes 128 --algorithms auto",
    "schedule multicast --spec tilepro64_4x4 --bytes 64 --algorithm auto",
    "auto --spec tilepro64_2x1 --collectives barrier,reduce --bytes 8",
    "compare all_to_all --spec tilepro64_2x1 --lengths 0,1KiB;8,0",
    "schedule all_to_all --spec tilepro64_2x1 --lengths lengths.json --algorithm torus -o blocks.json",
    "run blocks.json --spec tilepro64_2x1",
];

/// What is refused, with words of the message.
const REFUSED: [(&str, &[&str]); 27] = [
    (
        "elaborate tilepro64_4x4 -P ni.max_burst_beats=32",
        &["no field 'ni'", "core"],
    ),
    (
        "elaborate tilepro64_4x4 -P router.flow=non_blocking",
        &["non_blocking", "`udn`"],
    ),
    (
        "elaborate collective_noc_4x4 -P router.flow=udn",
        &["udn", "`non_blocking`"],
    ),
    (
        "elaborate tilepro64_4x4 --tree reduction:0,0",
        &["router.flow = \"udn\"", "reduce nothing"],
    ),
    (
        "schedule multicast --spec tilepro64_4x4 --bytes 64 --algorithm chainwrite",
        &["chainwrite", "accepted"],
    ),
    (
        "compare barrier --spec tilepro64_2x2 --algorithms dissemination --backend model --lock-step",
        &["--lock-step", "sim"],
    ),
    (
        "compare barrier --spec tilepro64_2x2 --backend model -P core.interrupt_cycles=9",
        &["core.interrupt_cycles = 9", "accepted: 0"],
    ),
    (
        "compare all_to_all --spec tilepro64_2x1 --lengths 0,8;x,0",
        &["x of rank 1", "a size for each rank"],
    ),
    (
        "compare all_to_all --spec tilepro64_2x1 --lengths 0,8;8",
        &["1 lengths of rank 1", "each of the 2 ranks"],
    ),
    (
        "compare all_to_all --spec tilepro64_2x1 --lengths 0,8;8,0;0,0",
        &["rank 2, which there is not", "each of the 2 ranks"],
    ),
    (
        "compare all_to_all --spec tilepro64_2x1 --lengths unequal.json",
        &[
            "rank 0 sends 8 bytes to rank 1, which expects 16",
            "the same length",
        ],
    ),
    (
        "compare reduce --spec tilepro64_2x1 --lengths 0,8;8,0",
        &["lengths of reduce", "all_to_all"],
    ),
    (
        "compare all_to_all --spec collective_noc_2x2 --lengths lengths.json --group 0,0,2,1",
        &["--lengths 'collective_noc_2x2'", "core tiles"],
    ),
    (
        "schedule all_gather --spec tilepro64_4x4 --bytes 64",
        &["all_gather", "accepted"],
    ),
    (
        "compare multicast --spec tilepro64_4x4 --bytes 64 --root mem:0",
        &["mem:0"],
    ),
    (
        "check axi.json --spec tilepro64_4x4",
        &["actions[0].kind", "message"],
    ),
    (
        "run axi.json --spec tilepro64_4x4",
        &["actions[0].kind", "message"],
    ),
    (
        "check messages.json --spec collective_noc_2x2",
        &["first = send"],
    ),
    (
        "run messages.json --spec tilepro64_2x2 --backend rtl",
        &["router.flow = \"udn\"", "no RTL"],
    ),
    (
        "run --trace trace.json --spec tilepro64_4x4",
        &["router.flow = \"udn\"", "AXI"],
    ),
    (
        "order --spec tilepro64_4x4",
        &["router.flow = \"udn\"", "accepted"],
    ),
    (
        "calibrate --spec tilepro64_4x4 --costs other",
        &["--costs", "other", "in_order, one_cycle, tilepro64"],
    ),
    (
        "validation --spec tilepro64_4x4",
        &["router.flow = udn", "accepted"],
    ),
    (
        "traffic broadcast --spec tilepro64_4x4",
        &["broadcast", "accepted"],
    ),
    (
        "traffic row_multicast --spec tilepro64_4x4",
        &["row_multicast", "accepted"],
    ),
    (
        "stress --spec tilepro64_4x4 --only chain --seeds 1",
        &["--only", "accepted"],
    ),
    (
        "rtl --spec tilepro64_4x4 --json",
        &["router.flow = \"udn\"", "no RTL"],
    ),
];

fn folder() -> Folder {
    let folder = Folder::new();
    let toml = noccl_in(&folder.0, "elaborate tilepro64_4x4 --toml").stdout;
    folder.file("cores.toml", &toml);
    let axi = "schedule reduce --bytes 128 --group 0,0,2,2 --root 0,0 -o axi.json";
    assert_eq!(noccl_in(&folder.0, axi).code, Some(0));
    folder.file(
        "trace.json",
        r#"{"format": 1, "trace": {"transactions": []}}"#,
    );
    folder.file("lengths.json", r#"{"sends": [[0, 1024], [8, 0]]}"#);
    folder.file(
        "unequal.json",
        r#"{"sends": [[0, 8], [8, 0]], "receives": [[0, 8], [16, 0]]}"#,
    );
    let messages = "schedule all_to_all --spec tilepro64_2x2 --bytes 128 --algorithm pairwise -o messages.json";
    assert_eq!(noccl_in(&folder.0, messages).code, Some(0));
    folder
}

#[test]
fn commands_that_need_no_interfaces_work() {
    let folder = folder();
    for line in DONE {
        done(&folder, line);
    }
}

#[test]
fn the_others_are_refused_with_what_was_found_and_what_is_accepted() {
    let folder = folder();
    for (line, words) in REFUSED {
        let said = noccl_in(&folder.0, line);
        assert!(matches!(said.code, Some(1 | 2)), "{line}: {said:?}");
        for word in words {
            assert!(said.stderr.contains(word), "{line}: {word}: {said:?}");
        }
        assert_eq!(said.stdout, "", "{line}");
    }
}

/// Rank 0 sends 4 bytes to rank 1. The schedule writes 8: nobody asks what lies behind a block that is shorter than its place.
#[test]
fn a_schedule_that_is_right_runs_right_whatever_lies_behind_a_shorter_block() {
    let folder = folder();
    folder.file("short.json", r#"{"sends": [[0, 4], [8, 0]]}"#);
    let line = "schedule all_to_all --spec tilepro64_2x1 --lengths short.json --algorithm pairwise -o right.json";
    done(&folder, line);
    let right = std::fs::read_to_string(folder.0.join("right.json")).unwrap();
    assert_eq!(right.matches("\"bytes\": 4").count(), 1, "{right}");
    folder.file("gap.json", &right.replace("\"bytes\": 4", "\"bytes\": 8"));
    for file in ["right.json", "gap.json"] {
        let said = done(&folder, &format!("check {file} --spec tilepro64_2x1"));
        assert!(said.stdout.starts_with("right: "), "{said:?}");
        let said = done(&folder, &format!("run {file} --spec tilepro64_2x1"));
        assert!(said.stdout.contains("verified      yes"), "{said:?}");
    }
}

#[test]
fn auto_says_how_it_has_picked_and_empty_blocks_are_sent_too() {
    let said =
        crate::common::noccl("compare reduce --spec tilepro64_4x4 --bytes 1KiB --algorithms auto");
    assert!(said.stdout.contains("picked by runs of "), "{said:?}");
    for (line, name) in [
        (
            "compare all_to_all --spec tilepro64_3x3 --bytes 8",
            "rounds:literal",
        ),
        ("compare barrier --spec tilepro64_3x3", ":neighbour"),
    ] {
        let said = crate::common::noccl(line);
        assert!(said.stdout.contains(name), "{line}: {said:?}");
    }
    let lengths =
        "compare all_to_all --spec tilepro64_2x1 --lengths 0,0;0,0 --algorithms torus --json";
    let rows = crate::common::json(lengths);
    assert_eq!(
        (&rows[0]["verified"], &rows[0]["link_bound_cycles"]),
        (&"yes".into(), &2.into())
    );
}

#[test]
fn a_description_names_cores_and_both_networks_and_what_a_message_costs() {
    let found = crate::common::json("elaborate tilepro64_3x2 --json");
    assert_eq!(found["planes"], serde_json::json!(["udn", "static"]));
    assert_eq!(found["regions"], serde_json::json!([]));
    let tiles = found["tiles"].as_array().unwrap();
    assert_eq!(tiles.len(), 6);
    assert!(tiles.iter().all(|tile| tile["kind"] == "core"));
    assert_eq!(found["message_costs"]["unit_words"], 34);
    // Of a network of clusters it says nothing.
    let found = crate::common::json("elaborate collective_noc_2x2 --json");
    assert_eq!(found.get("message_costs"), None);
}
