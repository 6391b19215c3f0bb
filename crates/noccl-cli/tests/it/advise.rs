// SPDX-License-Identifier: Apache-2.0
//! `noccl advise`: its commands reproduce its numbers, its table fits, its files are complete, wrong input is refused.

use crate::common::{Folder, done, json_in, refused};
use noccl::study::{Advice, AdviceEvidence};

const WORKLOAD: &str = r#"format = 1
name = "mine"
about = "Sums and borders"
source = "this test"
flops_per_cluster_cycle = 16

[[step]]
name = "sums"
collective = "all_reduce"
count = 4
bytes = 512
element = "bf16"

[[step]]
name = "borders"
collective = "halo"
count = 2
bytes = 128

[[step]]
name = "computation"
count = 1
flops = 1e5
"#;

fn folder() -> Folder {
    let folder = Folder::new();
    std::fs::write(folder.0.join("mine.toml"), WORKLOAD).unwrap();
    folder
}

#[test]
fn each_command_reproduces_the_number_beside_it() {
    let folder = folder();
    let arguments = "advise --mesh 4x2 --workload mine.toml --simulate all --definitions . --json";
    let advice: Advice = serde_json::from_value(json_in(&folder, arguments)).unwrap();
    assert_eq!(advice.rows.len(), 8, "{:?}", advice.left_out);
    let mut commands: Vec<(String, u64)> = (advice.rows.iter())
        .flat_map(|row| &row.parts)
        .map(|part| (part.command.clone(), part.cycles))
        .collect();
    commands.sort();
    commands.dedup();
    assert!(commands.len() > 8, "{commands:?}");
    for (command, cycles) in commands {
        let arguments = command.strip_prefix("noccl ").unwrap();
        let rows = json_in(&folder, &format!("{arguments} --json"));
        assert_eq!(rows[0]["cycles"], cycles, "{command}");
        assert_eq!(rows.as_array().unwrap().len(), 1, "{command}");
    }
}

#[test]
fn the_table_fits_a_terminal_and_says_what_each_number_rests_on() {
    let folder = folder();
    let said = done(&folder, "advise --mesh 4x4 --workload mine.toml");
    for line in said.stdout.lines() {
        assert!(line.chars().count() <= 120, "{line}");
    }
    for words in [
        "software alone",
        "+ wide reduction",
        "core tiles",
        "simulated, bytes compared",
    ] {
        assert!(said.stdout.contains(words), "{said:?}");
    }
    let commands = done(&folder, "advise --mesh 2x2 --workload mine.toml --commands");
    let command = "noccl compare all_reduce --spec torrent_2x2 --bytes 512B --element bf16";
    assert!(commands.stdout.contains(command), "{commands:?}");
}

#[test]
fn page_and_plot_hold_all_mechanisms() {
    let folder = folder();
    let arguments = "advise --mesh 2x2 --workload mine.toml --output a/page.html --plot plot.svg";
    let said = done(&folder, arguments);
    let read = |name: &str| std::fs::read_to_string(folder.0.join(name)).unwrap();
    let (page, plot) = (read("a/page.html"), read("plot.svg"));
    for name in [
        "S1 with wide reduction",
        "Torrent",
        "SMART",
        "core tiles",
        "not synthesised",
    ] {
        assert!(page.contains(name) && plot.contains(name), "{name}");
    }
    assert!(page.contains("noccl compare custom --spec collective_noc_2x2"));
    let conclusion = said.stdout.split("\n\n").nth(2).unwrap();
    let first: Vec<&str> = conclusion.split_whitespace().skip(1).take(6).collect();
    assert!(page.contains(&first.join(" ")), "{conclusion}");
    assert!(plot.starts_with("<svg xmlns=") && plot.trim_end().ends_with("</svg>"));
}

#[test]
fn a_workload_that_ships_is_printed_as_a_file_that_is_read_again() {
    let folder = Folder::new();
    let text = done(&folder, "advise --workload fft --show-workload").stdout;
    std::fs::write(folder.0.join("fft.toml"), text).unwrap();
    let estimated = "--mesh 2x2 --simulate none --json";
    let shipped = json_in(&folder, &format!("advise --workload fft {estimated}"));
    let read = json_in(&folder, &format!("advise --workload fft.toml {estimated}"));
    assert_eq!(shipped, read);
    let advice: Advice = serde_json::from_value(read).unwrap();
    let mut rows = advice.rows.iter();
    assert!(rows.all(|row| row.evidence == AdviceEvidence::Estimated));
}

/// Four ranks on 2x2 clusters: one sum over all, then sums over rows, one of which calls twice, and a message.
fn rows_trace() -> String {
    let rank = |rank: u32| {
        let row = if rank < 2 { "0 1" } else { "2 3" };
        let mut calls = vec![
            format!("compute {}", 100 * (rank + 1)),
            "allreduce 0 sum fp32 256".to_owned(),
            format!("split 0 2 {row}"),
        ];
        let times = if rank < 2 { 1 } else { 2 };
        calls.extend(vec!["allreduce 2 max int64 64".to_owned(); times]);
        calls.push("bcast 1 0 8".to_owned());
        match rank {
            0 => calls.push("send 0 1 0 8".to_owned()),
            1 => calls.push("recv 0 0 0 8".to_owned()),
            _ => {}
        }
        let num = calls.len();
        format!("rank {rank}\n{}\nend {num}\n", calls.join("\n"))
    };
    let ranks: String = (0..4).map(rank).collect();
    format!("noccl-messages 1\nranks 4\nunit cycles\nsource a test\n{ranks}")
}

#[test]
fn the_calls_of_a_recorded_program_are_a_workload() {
    let folder = Folder::new();
    std::fs::write(folder.0.join("rows.messages"), rows_trace()).unwrap();
    let advise = "advise --mesh 2x2 --workload";
    let text = done(&folder, &format!("{advise} rows.messages --show-workload")).stdout;
    for words in [
        "about = \"rows: 4 ranks, recorded; without 1 messages\"",
        "source = \"a test; computation in cycles of a core\"",
        // Of the rank that computes longest, on four clusters.
        "count = 1\nflops = 1600.0\n",
        "count = 1\ncollective = \"all_reduce\"\nbytes = 256\nelement = \"fp32\"\noperator = \"sum\"\n",
        // Both rows call at once: the one that calls more often counts.
        "count = 2\ncollective = \"all_reduce\"\nbytes = 64\nelement = \"int64\"\noperator = \"max\"\ngroup = \"0,1,2,1\"\n",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    assert_eq!(text.matches("[[step]]").count(), 3, "{text}");
    std::fs::write(folder.0.join("rows.toml"), text).unwrap();
    let read = json_in(&folder, &format!("{advise} rows.toml --json"));
    assert_eq!(
        read,
        json_in(&folder, &format!("{advise} rows.messages --json"))
    );
    let advice: Advice = serde_json::from_value(read).unwrap();
    assert_eq!(advice.compute_us, 0.4);
}

#[test]
fn wrong_input_is_refused_before_anything_runs() {
    let folder = folder();
    std::fs::write(
        folder.0.join("bad.toml"),
        WORKLOAD.replace("count = 4", "count = 0"),
    )
    .unwrap();
    let sends = "noccl-messages 1\nranks 2\nunit ns\nrank 0\nsend 0 1 0 8\nend 1\nrank 1\nrecv 0 0 0 8\nend 1\n";
    for (name, text) in [("rows.messages", &*rows_trace()), ("sends.messages", sends)] {
        std::fs::write(folder.0.join(name), text).unwrap();
    }
    for (arguments, words) in [
        (
            "advise --workload mine.toml --mesh 4",
            &["--mesh", "WxH"][..],
        ),
        (
            "advise --workload mine.toml --mesh 1x1",
            &["--mesh", "two clusters"],
        ),
        ("advise --workload stensil", &["stensil", "stencil"]),
        ("advise --workload none.toml", &["none.toml"]),
        (
            "advise --workload bad.toml",
            &["bad.toml", "line 10", "count = 0", "accepted"],
        ),
        (
            "advise --workload fft --simulate some",
            &["--simulate", "winners"],
        ),
        ("advise --workload fft --plot a/", &["a/"]),
        (
            "advise --workload fft --show-workload --json",
            &["--json", "--show-workload"],
        ),
        (
            "advise --workload fft --show-workload --mesh 4x4",
            &["--mesh", "--show-workload"],
        ),
        ("advise --workload mine.toml -- 64", &["ARGS", "a script"]),
        (
            "advise --mesh 2x1 --workload rows.messages",
            &["4 ranks", "2"],
        ),
        (
            "advise --mesh 2x2 --workload sends.messages",
            &["no collective", "1 messages"],
        ),
    ] {
        refused(&folder, arguments, words);
    }
}
