// SPDX-License-Identifier: Apache-2.0
//! Tables of `compare`: they fit, say who wins and why, and what is not in them.

use crate::common::{Folder, Said, command, done, json, noccl, refused, said};
use noccl_testkit::assert_says;

const MULTICAST: &str = "compare multicast --group row --bytes 1KiB,32KiB";

fn in_columns(columns: &str, arguments: &str) -> Said {
    let folder = Folder::new();
    let said = said(command(&folder.0, arguments).env("COLUMNS", columns));
    assert_eq!(said.code, Some(0), "{arguments}: {said:?}");
    said
}

/// Lines of tables: from the titles above a rule to the next empty line or remark.
fn table_lines(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().collect();
    let is_rule = |line: &str| line.starts_with("--") && line.chars().all(|c| "- ".contains(c));
    let rules = lines.iter().enumerate().filter(|(_, line)| is_rule(line));
    let of_table = |(rule, _): (usize, &&str)| {
        let end = lines[rule..].iter().position(|line| line.is_empty());
        lines[rule - 1..end.map_or(lines.len(), |end| rule + end)].to_vec()
    };
    rules.flat_map(of_table).collect()
}

/// Verbs whose rows have `--format`, `--columns` and `--wide`.
const OF_ROWS: [&str; 8] = [
    MULTICAST,
    "matrix --spec collective_noc_2x2,collective_noc_4x2,collective_noc_2x4 --collectives multicast --bytes 64",
    "advise --mesh 2x2 --workload fft --simulate none",
    "baselines --size 2x2 --destinations 2 --bytes 1KiB",
    "barrier --clusters 2,4,8,16",
    "auto --spec tilepro64_2x2 --collectives barrier",
    "traffic many_to_one --spec smart_4x4 --loads 0.01 --seeds 2 --measure-cycles 500 --no-saturation",
    "gemm summa --mesh 2x2",
];
/// Other verbs with tables.
const OF_TABLES: [&str; 9] = [
    "compare barrier --group row",
    "compare all_reduce --spec tilepro64_2x2 --noise 1 --start-skew 9 --repeat 2",
    "compare all_reduce --group 0,0,4,2 --bytes 64KiB --backend model",
    "explain all_reduce --bytes 1KiB --path",
    "elaborate collective_noc_4x4",
    "elaborate collective_noc_4x4 --tree multicast:0,0",
    "validation --max-side 4",
    "stress --seeds 2",
    "doctor",
];
/// What is copied into a shell or a file stays on its line.
const COPIED: [&str; 2] = ["-P ", "noccl "];

#[test]
fn all_that_verbs_with_tables_print_fits_into_80_and_120_columns() {
    for arguments in OF_ROWS.iter().chain(&OF_TABLES) {
        for columns in [80, 120] {
            let said = in_columns(&columns.to_string(), arguments);
            let is_copied = |line: &&str| COPIED.iter().any(|word| line.contains(word));
            for line in said.stdout.lines().filter(|line| !is_copied(line)) {
                let width = line.chars().count();
                assert!(
                    width <= columns,
                    "{arguments}: {width} in {columns}: {line}"
                );
            }
        }
    }
}

#[test]
fn rows_of_all_verbs_are_csv_markdown_and_named_columns() {
    for arguments in OF_ROWS {
        let csv = noccl(&format!("{arguments} --format csv")).stdout;
        let names: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
        assert!(names.len() > 4, "{arguments}: {csv}");
        let (first, last) = (names[0], names[names.len() - 1]);
        let md = noccl(&format!("{arguments} --columns {last},{first} --format md")).stdout;
        let rule = md.lines().find(|line| line.starts_with("| ---"));
        assert_eq!(
            rule.map(|line| line.matches("---").count()),
            Some(2),
            "{md}"
        );
        assert!(
            json(&format!("{arguments} --format json")) == json(&format!("{arguments} --json"))
        );
        let wide = in_columns("80", &format!("{arguments} --wide")).stdout;
        assert!(!wide.contains("not shown"), "{arguments}: {wide}");
        let wrong = format!("{arguments} --columns {first},nothing");
        let said = refused(
            &Folder::new(),
            &wrong,
            &["--columns 'nothing'", first, last],
        );
        assert!(said.stdout.is_empty());
    }
}

#[test]
fn a_number_stays_on_its_line() {
    for columns in 60..110 {
        let arguments = "compare all_reduce --bytes 32KiB --algorithms ring,in_network_once";
        let said = in_columns(&columns.to_string(), arguments);
        assert!(said.stdout.contains("3 467"), "{columns}: {}", said.stdout);
        let winner = said.stdout.split("is fastest").nth(1);
        assert!(
            winner.is_some_and(|text| text.contains("3 467")),
            "{columns}: {}",
            said.stdout
        );
    }
}

#[test]
fn a_narrow_table_names_what_it_lacks_and_keeps_what_decides() {
    let said = in_columns("80", MULTICAST);
    assert_says(
        &said.stdout,
        &[
            "algorithm",
            "cycles",
            "verified",
            "not shown in 80 columns: time [us]",
            "--wide",
        ],
    );
    let wide = in_columns("80", &format!("{MULTICAST} --wide")).stdout;
    assert_says(&wide, &["synchronisation", "energy [nJ]", "busiest link"]);
    assert!(!wide.contains("not shown"), "{wide}");
}

#[test]
fn the_winner_stands_in_words_with_software_and_bound() {
    let multicast = noccl(MULTICAST).stdout;
    let line = "in_network is fastest at 32 KiB: 545 cycles, 1.68 times the fastest software\n\
                (point_to_point:64:trees=2, 916), 1.04 times the bound";
    assert_says(multicast.replace("\n  ", " "), &[&line.replace('\n', " ")]);
    // Where software wins, the network's best is named; of one row there is nothing to say.
    let software = noccl(
        "compare reduce --spec collective_noc_2x2 --bytes 8 --algorithms point_to_point,tree",
    )
    .stdout;
    assert_says(
        &software,
        &["point_to_point", "is fastest:", "times the bound"],
    );
    assert!(!software.contains("in the network"), "{software}");
    let one = noccl("compare reduce --group row --algorithms in_network").stdout;
    assert!(!one.contains("fastest:"), "{one}");
}

#[test]
fn what_is_the_same_in_all_rows_stands_in_the_title() {
    let title = "Reduce of 4 KiB (FP64 sum) of 4 clusters (row:0) into 0,0 on collective_noc_4x4 -P ni.max_burst_beats=32";
    let arguments = "compare reduce --group row --bytes 4KiB -P ni.max_burst_beats=32 --algorithms tree,in_network";
    let text = noccl(arguments).stdout;
    assert_eq!(text.lines().next(), Some(title));
    assert!(!text.contains("bytes"), "{text}");
    let rows = json(&format!("{arguments} --json"));
    assert_eq!(rows[0]["overrides"]["ni.max_burst_beats"], "32");
    assert!(
        json(&format!("{MULTICAST} --json"))[0]
            .get("overrides")
            .is_none()
    );
}

#[test]
fn columns_are_chosen_by_name_and_a_wrong_name_lists_them() {
    let text = noccl(&format!("{MULTICAST} --columns cycles,algorithm")).stdout;
    let header: Vec<&str> = table_lines(&text)[0].split_whitespace().collect();
    assert_eq!(header, ["cycles", "algorithm"]);
    refused(
        &Folder::new(),
        "compare multicast --columns cycle",
        &["--columns", "'cycle'", "did you mean `cycles`"],
    );
}

#[test]
fn csv_json_and_markdown_have_the_same_rows() {
    let rows = json(&format!("{MULTICAST} --format json"));
    assert_eq!(rows, json(&format!("{MULTICAST} --json")));
    let csv = noccl(&format!("{MULTICAST} --format csv")).stdout;
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 1 + rows.as_array().unwrap().len());
    assert!(
        lines[0].starts_with(
            "network,collective,group,root,bytes,algorithm,synchronisation,cycles,time_us,gb_per_s,"
        ),
        "{csv}"
    );
    let last = &rows.as_array().unwrap()[lines.len() - 2];
    let start = format!(
        "collective_noc_4x4,multicast,row:0,mem:0,32768,in_network,none,{}",
        last["cycles"]
    );
    assert!(lines.last().unwrap().starts_with(&start), "{csv}");
    let md = noccl(&format!(
        "{MULTICAST} --format md --columns algorithm,cycles"
    ))
    .stdout;
    assert_says(
        &md,
        &[
            "| algorithm | cycles |\n| --- | ---: |\n",
            "| in_network | 545 |",
        ],
    );
    refused(
        &Folder::new(),
        "compare multicast --json --wide",
        &["--wide", "JSON"],
    );
    refused(
        &Folder::new(),
        "compare multicast --links",
        &["--links", "--json"],
    );
}

#[test]
fn what_is_left_out_has_a_reason_each_and_what_lets_it_in() {
    let compare = "compare all_reduce --group 0,0,4,2 --bytes 64KiB --backend model";
    let text = noccl(compare).stdout.replace("\n  ", " ");
    let missing = text
        .lines()
        .filter(|line| line.starts_with("not compared: "));
    let missing = missing.count();
    assert!(missing > 0, "{text}");
    let remedy = text.lines().find(|line| line.starts_with("`-P ")).unwrap();
    let (options, rest) = remedy[1..].split_once('`').unwrap();
    assert_eq!(rest, format!(" lets {missing} more run"));
    let after = noccl(&format!("{compare} {options}")).stdout;
    assert!(!after.contains("not compared"), "{after}");
    // Where programs read rows, the reasons are remarks.
    let said = done(&Folder::new(), &format!("{compare} --format csv"));
    assert_says(&said.stderr, &["not compared: ", "more run"]);
}

#[test]
fn software_that_surely_loses_is_estimated_and_the_rest_is_as_in_a_full_comparison() {
    let compare = "compare reduce --spec collective_noc_8x8 --bytes 32KiB";
    let (quick, all) = (
        json(&format!("{compare} --json")),
        json(&format!("{compare} --all --json")),
    );
    let (quick, all) = (quick.as_array().unwrap(), all.as_array().unwrap());
    assert_eq!(quick.len(), all.len());
    let is_estimated = |row: &&serde_json::Value| row.get("estimate").is_some();
    assert!(quick.iter().any(|row| is_estimated(&row)), "{quick:?}");
    assert!(!all.iter().any(|row| is_estimated(&row)));
    let least = all.iter().filter_map(|row| row["cycles"].as_u64()).min();
    for (row, run) in quick.iter().zip(all) {
        if is_estimated(&row) {
            assert_eq!(
                (&row["backend"], &row["verified"]),
                (&"model".into(), &"not_checked".into())
            );
            assert!(run["cycles"].as_u64() > least);
            let range = &row["estimate"];
            let (low, high) = (
                range["least_cycles"].as_u64(),
                range["most_cycles"].as_u64(),
            );
            assert!(
                (low..=high).contains(&run["cycles"].as_u64()),
                "{row} {run}"
            );
        } else {
            assert_eq!(row, run);
        }
    }
    let text = noccl(compare).stdout;
    assert_says(&text, &["estimated", "--all simulates it"]);
}
