// SPDX-License-Identifier: Apache-2.0
//! The committed results and numbers of plots are those of today; `make claims` writes them anew.
#![allow(clippy::unwrap_used)]

mod common;

use common::noccl;
use noccl::ClaimRow;
use std::path::{Path, PathBuf};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What the quick set measures; the rest takes minutes (`make claims`).
#[test]
fn the_page_of_s1_holds_todays_results_and_the_plots_are_todays() {
    is_of_today("collective_noc", "S1");
}

#[test]
fn the_page_of_s3_holds_todays_results_and_the_plots_are_todays() {
    is_of_today("torrent", "S3");
}

fn is_of_today(paper: &str, label: &str) {
    let scratch = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(paper);
    std::fs::create_dir_all(&scratch).unwrap();
    let page = scratch.join(format!("{label}.md"));
    let papers = repository().join("docs/papers");
    let committed = std::fs::read_to_string(papers.join(format!("{label}.md"))).unwrap();
    std::fs::write(&page, &committed).unwrap();
    let run = noccl(&format!(
        "reproduce {paper} --quick --json --page {} --figures {}",
        page.display(),
        scratch.display()
    ));
    let rows: Vec<ClaimRow> = serde_json::from_str(&run.stdout).unwrap();
    let fails = rows.iter().any(|r| r.holds == Some(false));
    assert_eq!(run.code, Some(i32::from(fails)), "{}", run.stderr);
    let today = std::fs::read_to_string(&page).unwrap();
    let line = |text: &str, id: &str| {
        let start = format!("| {id} |");
        text.lines()
            .find(|l| l.starts_with(&start))
            .map(str::to_owned)
    };
    for row in rows.iter().filter(|r| r.ours.is_some()) {
        let (committed, today) = (line(&committed, &row.id), line(&today, &row.id));
        assert!(
            today.is_some() && today == committed,
            "docs/papers/{label}.md is stale, run make claims: {today:?} {committed:?}"
        );
    }
    let plots = std::fs::read_dir(&scratch).unwrap();
    let plots = plots.map(|e| e.unwrap().path());
    for path in plots.filter(|p| p.extension().is_some_and(|e| e == "json")) {
        let today = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap();
        let committed = papers.join(label).join(name);
        assert!(
            today == std::fs::read_to_string(&committed).unwrap(),
            "{} is stale: run make claims",
            committed.display()
        );
    }
}

#[test]
fn a_page_without_markers_is_left_alone() {
    let page = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("unmarked.md");
    std::fs::write(&page, "no table\n").unwrap();
    let run = noccl(&format!(
        "reproduce collective_noc --quick --page {}",
        page.display()
    ));
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("end of claims"), "{}", run.stderr);
    assert_eq!(std::fs::read_to_string(&page).unwrap(), "no table\n");
}
