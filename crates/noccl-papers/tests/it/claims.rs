// SPDX-License-Identifier: Apache-2.0
//! The committed results and numbers of plots are those of today; `make claims` writes them anew.
//!
//! What `--quick` measures; the rest takes minutes. S1 runs always, the other papers in long runs (`NOCCL_CASES=long`).

use noccl_papers::{ClaimResult, ClaimRow};
use noccl_testkit::{Folder, assert_says, is_long};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn claims_of_s1_have_outcomes_and_its_page_and_plots_are_todays() {
    let (rows, figures) = is_of_today("collective_noc", "S1");
    let measured = rows.iter().filter(|r| r.ours.is_some());
    assert!(measured.count() >= 15);
    let expected = [
        "fig_10a", "fig_10b", "fig_2b", "fig_5a", "fig_5b", "fig_5c", "fig_7a", "fig_7b",
    ];
    assert_eq!(figures, expected);
}

#[test]
fn claims_of_s2_have_outcomes() {
    if !is_long() {
        return;
    }
    // Its committed page has the mean of five seeds, of which a quick run has one.
    let folder = Folder::new();
    let figures = folder.0.display();
    let run = papers(
        &folder.0,
        &format!("smart --quick --json --figures {figures}"),
    );
    let rows: Vec<ClaimRow> = serde_json::from_str(&run.stdout).unwrap();
    check_outcomes(&rows);
    let measured = rows.iter().filter(|r| r.ours.is_some());
    assert!(measured.count() >= 35);
    let expected = ["fig_6a", "fig_6b", "fig_6c", "fig_7a", "fig_7b", "fig_7c"];
    assert_eq!(names_of_figures(&folder), expected);
}

#[test]
fn claims_of_s3_have_outcomes_and_its_page_and_plots_are_todays() {
    if !is_long() {
        return;
    }
    let (rows, figures) = is_of_today("torrent", "S3");
    let left_out = [
        "8-speedup",
        "8-bytes",
        "8-copies",
        "9-single",
        "11-area-soc",
        "11-area-cluster",
        "12-destination",
        "13-power",
    ];
    for row in &rows {
        let is_left_out = left_out.contains(&row.id.as_str());
        assert_eq!(row.ours.is_none(), is_left_out, "{}", row.id);
    }
    assert_eq!(figures, ["fig_5", "fig_6", "fig_7"]);
}

#[test]
fn claims_of_s4_have_outcomes_and_its_page_and_plots_are_todays() {
    if !is_long() {
        return;
    }
    let (rows, figures) = is_of_today("nocmsg", "S4");
    // Claim 20 is of other papers.
    let is_open = |id: &str| id.starts_with("20-");
    let left_out = rows.iter().filter(|row| row.ours.is_none());
    let (open, left_out): (Vec<_>, Vec<_>) = left_out.partition(|row| is_open(&row.id));
    assert_eq!(open.len(), 1);
    for row in left_out {
        assert_eq!(row.reason, "left out by `--quick`", "{}", row.id);
    }
    assert_eq!(figures, ["fig_2", "fig_3", "fig_4", "fig_5", "fig_6"]);
}

fn names_of_figures(folder: &Folder) -> Vec<String> {
    let names = folder.names();
    let figures = names.iter().filter_map(|name| name.strip_suffix(".json"));
    figures.map(str::to_owned).collect()
}

fn check_outcomes(rows: &[ClaimRow]) {
    for row in rows {
        assert_ne!(row.reason, "nothing measures it", "{}", row.id);
        let is_measured = row.result() != ClaimResult::Missed;
        assert_eq!(row.ours.is_some(), is_measured, "{}", row.id);
        let is_undecided = row.result() == ClaimResult::Undecided;
        assert!(!is_undecided || row.low < row.high, "{}", row.id);
        let fails = row.holds == Some(false);
        assert!(!fails || !row.reason.is_empty(), "{}", row.id);
        assert!(row.ours.is_some() || !row.reason.is_empty(), "{}", row.id);
    }
}

/// Every claim has an outcome and every outcome a claim; what was measured stands in the committed page and plots. Rows, and
/// the names of the plots.
fn is_of_today(paper: &str, label: &str) -> (Vec<ClaimRow>, Vec<String>) {
    let folder = Folder::new();
    let scratch = &folder.0;
    let page = scratch.join(format!("{label}.md"));
    let pages = repository().join("docs/papers");
    std::fs::copy(pages.join(format!("{label}.md")), &page).unwrap();
    let run = papers(
        scratch,
        &format!(
            "{paper} --quick --json --page {} --figures {}",
            page.display(),
            scratch.display()
        ),
    );
    let rows: Vec<ClaimRow> = serde_json::from_str(&run.stdout).unwrap();
    let fails = rows.iter().any(|r| r.holds == Some(false));
    assert_eq!(run.code, Some(i32::from(fails)), "{}", run.stderr);
    let today = std::fs::read_to_string(scratch.join("claims.csv")).unwrap();
    let committed = pages.join(label).join("claims.csv");
    let committed = std::fs::read_to_string(committed).unwrap();
    let line = |text: &str, id: &str| {
        let start = format!("{id},");
        text.lines()
            .find(|l| l.starts_with(&start))
            .map(str::to_owned)
    };
    check_outcomes(&rows);
    for row in rows.iter().filter(|r| r.ours.is_some()) {
        let (committed, today) = (line(&committed, &row.id), line(&today, &row.id));
        assert!(
            today.is_some() && today == committed,
            "docs/papers/{label}/claims.csv is stale, run make claims: {today:?} {committed:?}"
        );
    }
    let figures = names_of_figures(&folder);
    for name in &figures {
        let file = format!("{name}.json");
        let today = std::fs::read_to_string(scratch.join(&file)).unwrap();
        let committed = pages.join(label).join(&file);
        assert!(
            today == std::fs::read_to_string(&committed).unwrap(),
            "{} is stale: run make claims",
            committed.display()
        );
    }
    (rows, figures)
}

#[test]
fn a_page_without_markers_is_left_alone() {
    let page = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("unmarked.md");
    std::fs::write(&page, "no table\n").unwrap();
    let run = papers(
        &Folder::new().0,
        &format!("collective_noc --quick --page {}", page.display()),
    );
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("end of claims"), "{}", run.stderr);
    assert_eq!(std::fs::read_to_string(&page).unwrap(), "no table\n");
}

// The command refuses, ends and prints as `noccl` does.

#[test]
fn wrong_input_is_refused_before_anything_runs() {
    let folder = Folder::new();
    folder.file("file", "");
    for (arguments, words) in [
        ("collective", "collective_noc"),
        ("torrent --figures file", "file"),
        ("--quick", "PAPER"),
        ("torrent --page missing.md", "missing.md"),
    ] {
        let said = papers(&folder.0, arguments);
        assert_eq!(said.code, Some(2), "{arguments}: {said:?}");
        assert_says(&said.stderr, &[words]);
    }
}

#[test]
fn the_schema_of_the_rows_is_todays() {
    let path = repository().join("experiments/claims.schema.json");
    let said = papers(&Folder::new().0, "--schema");
    assert_eq!(said.code, Some(0), "{said:?}");
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        committed == said.stdout,
        "experiments/claims.schema.json is stale: run make gen"
    );
}

#[test]
fn a_signal_ends_a_measurement_within_two_seconds() {
    let folder = Folder::new();
    let mut child = command(&folder.0, "collective_noc")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert!(
        child.try_wait().unwrap().is_none(),
        "ended before its signal"
    );
    let sent = Instant::now();
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(sent.elapsed() < Duration::from_millis(2500));
}

// Runs the built command.

/// The checkout.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What a command said.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// `noccl-papers` with arguments separated by spaces, in a folder.
pub fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_noccl-papers"));
    command
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .stdin(Stdio::null());
    command
}

/// Runs it to its end.
pub fn papers(folder: &Path, arguments: &str) -> Said {
    let output = command(folder, arguments).output().unwrap();
    Said {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
