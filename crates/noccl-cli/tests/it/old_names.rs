// SPDX-License-Identifier: Apache-2.0
//! Names that people type first, and names of before: accepted, with a note on stderr where another one is right.

use crate::common::{Folder, done, fails, noccl, refused};
use noccl_testkit::assert_says;

/// Both command lines end with code 0 and print the same; the first one's note holds the text, the second one has none.
fn same_with_note(old: &str, new: &str, note: &str) {
    let (before, now) = (noccl(old), noccl(new));
    assert_eq!(
        (before.code, now.code),
        (Some(0), Some(0)),
        "{before:?} {now:?}"
    );
    assert_eq!(before.stdout, now.stdout, "{old}");
    assert!(before.stderr.contains(note), "{old}: {}", before.stderr);
    assert!(!now.stderr.contains("note: "), "{new}: {}", now.stderr);
}

#[test]
fn verbs_of_before_are_aliases_with_a_note_and_no_help() {
    same_with_note(
        "rivals --size 2x2 --destinations 2 --bytes 1KiB --json",
        "baselines --size 2x2 --destinations 2 --bytes 1KiB --json",
        "note: `noccl rivals` is now `noccl baselines`",
    );
    same_with_note(
        "verdicts --max-side 4 --json",
        "validation --max-side 4 --json",
        "note: `noccl verdicts` is now `noccl validation`",
    );
    let help = noccl("--help").stdout;
    assert!(help.contains("baselines") && help.contains("validation"));
    assert!(
        !help.contains("rivals") && !help.contains("verdicts"),
        "{help}"
    );
}

#[test]
fn what_has_left_the_product_says_where_it_is() {
    for arguments in ["reproduce", "reproduce smart --quick", "reproduce --help"] {
        let words = [
            "noccl-papers",
            "make claims",
            "cargo run --release -p noccl-papers -- smart --quick",
        ];
        refused(&Folder::new(), arguments, &words);
    }
    refused(
        &Folder::new(),
        "schema claims",
        &["noccl-papers -- --schema"],
    );
    assert!(!noccl("--help").stdout.contains("reproduce"));
    assert!(!noccl("schema --list").stdout.contains("claims"));
}

#[test]
fn formats_of_before_are_those_of_today_with_a_note() {
    for (old, new) in [
        ("rivals", "baselines"),
        ("verdicts", "validation"),
        ("messages", "program"),
    ] {
        same_with_note(
            &format!("schema {old}"),
            &format!("schema {new}"),
            &format!("note: the format `{old}` is now `{new}`"),
        );
    }
}

#[test]
fn the_suffix_and_the_flow_of_before_are_read_with_a_warning() {
    let new = "elaborate collective_noc_2x2_published";
    let (before, now) = (noccl("elaborate collective_noc_2x2_peer"), noccl(new));
    assert_eq!(before.stdout, now.stdout);
    let note = "the preset collective_noc_2x2_peer is now collective_noc_2x2_published";
    assert!(before.stderr.contains(note), "{}", before.stderr);
    let folder = Folder::new();
    folder.file(
        "mine.toml",
        "base = \"collective_noc_2x2_peer\"\nname = \"mine\"\n",
    );
    let said = done(
        &folder,
        "elaborate mine.toml -P router.flow=peer_compatible",
    );
    let flow = "router.flow = \"peer_compatible\" is now \"published\"";
    assert_says(&said.stderr, &[note, flow]);
}

#[test]
fn rows_with_the_fields_of_before_are_read() {
    let row = noccl("baselines --size 2x2 --destinations 2 --bytes 1KiB --json").stdout;
    let before = row.replacen("\"algorithm\": \"unicast\"", "\"rival\": \"unicast\"", 1);
    assert_ne!(row, before);
    let read = |text: &str| serde_json::from_str::<Vec<noccl::study::BaselineRow>>(text).unwrap();
    assert_eq!(read(&row), read(&before));
    let study = noccl("barrier --clusters 2 --json").stdout;
    let before = study.replace("\"algorithm\"", "\"plan\"");
    let read = |text: &str| serde_json::from_str::<noccl::study::BarrierStudy>(text).unwrap();
    assert_eq!(read(&study), read(&before));
}

#[test]
fn names_of_other_libraries_and_their_sizes_are_read() {
    let usual = "compare multicast --group row --bytes 1KiB --algorithms tree:1 --json";
    let other = "compare broadcast --group row --bytes 1KB --algorithms binomial:1 --json";
    same_with_note(other, usual, "note: 1KB is read as 1 KiB, 1024 bytes");
    for (other, ours) in [
        ("allreduce", "all_reduce"),
        ("all-reduce", "all_reduce"),
        ("reduce-scatter", "reduce_scatter"),
    ] {
        let of = |name: &str| {
            noccl(&format!(
                "compare {name} --group row --algorithms ring --json"
            ))
        };
        let (other, ours) = (of(other), of(ours));
        assert_eq!(ours.code, Some(0), "{ours:?}");
        assert_eq!(other.stdout, ours.stdout);
    }
}

#[test]
fn near_misses_name_what_was_meant() {
    for (arguments, meant) in [
        ("compare all_reduse", "all_reduce"),
        ("compare multicast --algorithms binomal", "binomial"),
        ("compare multicast --algorithms chian", "chain"),
        ("schema baseline", "baselines"),
        (
            "elaborate collective_noc_4x4_publishd",
            "collective_noc_4x4_published",
        ),
        ("baseline", "baselines"),
    ] {
        let said = fails(&Folder::new(), 2, arguments);
        assert!(
            said.stderr.contains("did you mean") || said.stderr.contains("similar"),
            "{arguments}: {}",
            said.stderr
        );
        assert!(said.stderr.contains(meant), "{arguments}: {}", said.stderr);
    }
}
