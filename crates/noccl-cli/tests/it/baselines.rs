// SPDX-License-Identifier: Apache-2.0
//! `noccl baselines`: its table is the one of docs/baselines.md, its rows are JSON, its plots are files, wrong input is refused.

use crate::common::{Folder, done, fails, noccl_in};
use noccl::study::BaselineRow;

const BEGIN: &str = "```text\n";
const END: &str = "```\n";

/// Tables of the page, in its order.
const TABLES: [&str; 3] = [
    "baselines --destinations 4,16",
    "baselines --collective reduce --set 0,0,4,4 --bytes 64,1KiB,4KiB,64KiB",
    "baselines --collective barrier --set 0,0,4,4",
];

/// Each is a fenced text; NOCCL_CASES=long NOCCL_WRITE_GOLDEN=1 writes them anew.
#[test]
fn tables_of_the_page_are_what_the_commands_print() {
    if !noccl_testkit::is_long() {
        return;
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/baselines.md");
    let page = std::fs::read_to_string(path).unwrap();
    let mut fresh = String::new();
    let mut rest = page.as_str();
    for arguments in TABLES {
        let run = done(&Folder::new(), arguments);
        assert!(page.contains(&format!("noccl {arguments}")), "{arguments}");
        let (before, behind) = rest.split_once(BEGIN).unwrap();
        let (_, after) = behind.split_once(END).unwrap();
        fresh += &format!("{before}{BEGIN}{}{END}", run.stdout);
        rest = after;
    }
    fresh += rest;
    if std::env::var_os("NOCCL_WRITE_GOLDEN").is_some() {
        std::fs::write(path, fresh).unwrap();
        return;
    }
    assert!(fresh == page, "docs/baselines.md is stale:\n{fresh}");
}

#[test]
fn rows_are_json_and_plots_are_files() {
    let folder = Folder::new();
    let arguments = "baselines --size 3x3 --source 1,1 --destinations 1,8 --bytes 1KiB,2KiB --json --figures plots";
    let run = done(&folder, arguments);
    let rows: Vec<BaselineRow> = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        rows.len(),
        2 * 2
            * noccl::study::BaselineAlgorithm::of(noccl::collective::CollectiveKind::Multicast)
                .len()
    );
    assert!(
        rows.iter()
            .all(|r| r.row.verified.is_yes() && r.link_flits > 0)
    );
    assert!(
        rows.iter().all(|r| r.row.root == "1,1"),
        "{:?}",
        rows[0].row.root
    );
    for name in ["baselines_1KiB.json", "baselines_2KiB.json"] {
        let plot = std::fs::read_to_string(folder.0.join("plots").join(name)).unwrap();
        let plot: noccl::study::Figure = serde_json::from_str(&plot).unwrap();
        assert_eq!(format!("{}.json", plot.name), name);
    }
}

#[test]
fn who_does_not_reduce_over_a_set_is_named_in_one_line() {
    let command = "baselines --collective reduce --size 2x3 --set all --bytes 64 --json";
    let said = done(&Folder::new(), command);
    assert!(said.stdout.contains("\"cores\""), "{}", said.stdout);
    let line = said
        .stderr
        .lines()
        .find(|line| line.starts_with("not compared"));
    let line = line.unwrap_or_else(|| panic!("{}", said.stderr));
    noccl_testkit::assert_says(
        line,
        &["smart_16_bytes (5), smart_64_bytes (5)", "--set 0,0,4,4"],
    );
}

#[test]
fn wrong_input_is_refused_before_anything_runs() {
    for (arguments, part) in [
        ("baselines --size 4", "two whole numbers"),
        ("baselines --size 70x3", "1 to 64"),
        ("baselines --source 7,7", "x below 5"),
        ("baselines --destinations 20", "1 to 19"),
        ("baselines --bytes 100", "multiple of"),
        ("baselines --set 0,0,9,9", "5 x 4"),
        (
            "baselines --set all --destinations 3",
            "cannot be used with",
        ),
        ("baselines --bytes 2GiB", "cluster.l1_bytes"),
    ] {
        let run = fails(&Folder::new(), 2, arguments);
        assert!(run.stderr.contains(part), "{arguments}: {}", run.stderr);
    }
}

#[test]
fn esp_runs_what_it_can_and_says_what_it_cannot() {
    let run = done(
        &Folder::new(),
        "compare multicast --spec esp_4x5_calibrated --root 0,0 --bytes 1KiB",
    );
    let has = |part: &str| assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    has("on esp_4x5_calibrated");
    has("in_network_list  ");
    has("not compared: tree: actions[0].kind = transfer: accepted: list_multicast");
    has("not compared: in_network: actions[0].kind = transfer: accepted: list_multicast");
    let folder = Folder::new();
    let make = "schedule multicast --spec esp_4x5 --root 0,0 --bytes 1KiB --algorithm in_network_list -o s.json";
    assert_eq!(noccl_in(&folder.0, make).code, Some(0));
    for (arguments, code) in [
        ("check s.json --spec esp_4x5", 0),
        ("run s.json --spec esp_4x5", 0),
        ("run s.json --spec torrent_4x5", 1),
        (
            "compare multicast --spec esp_4x5 --root 0,0 --algorithms auto",
            0,
        ),
        ("traffic uniform --spec esp_4x5", 2),
        ("rtl --spec esp_4x5 -o chip", 2),
        ("elaborate esp_4x5", 0),
    ] {
        let run = noccl_in(&folder.0, arguments);
        assert_eq!(
            run.code,
            Some(code),
            "{arguments}: {}{}",
            run.stdout,
            run.stderr
        );
    }
}
