// SPDX-License-Identifier: Apache-2.0
//! The committed pages without measuring: their rows are the claims of the files, with today's text, and each result follows from its number.
//!
//! `NOCCL_WRITE_GOLDEN=1` writes today's text around the numbers that a page has: for a changed tolerance or kind of evidence nothing has to be
//! measured anew. A changed explanation or measurement takes `make claims`.

use super::claims::{Claim, Paper};
use super::{ClaimResult, ClaimRow, row, table};
use crate::statistics::Outcomes;

fn path(paper: Paper) -> String {
    let papers = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/papers");
    format!("{papers}/{}.md", paper.label())
}

/// The committed page of a paper.
pub(super) fn committed(paper: Paper) -> String {
    std::fs::read_to_string(path(paper)).unwrap()
}

/// A row of today's text with the numbers of a page.
fn row_with(claim: &Claim, page: &str) -> ClaimRow {
    let start = format!("| {} | ", claim.id);
    let line = page.lines().find(|line| line.starts_with(&start));
    let line = line.unwrap_or_else(|| panic!("no row {}", claim.id));
    let cells: Vec<&str> = line.trim_end_matches(" |").split(" | ").collect();
    let [.., ours, _tolerance, _evidence, result, why] = cells[..] else {
        panic!("{line}")
    };
    let mut row = row(claim, &Outcomes::default());
    if result == "not measured: missed" {
        why.clone_into(&mut row.reason);
        return row;
    }
    let numbers: Vec<f64> = (ours.split([' ', '(', ')']))
        .filter_map(|word| word.parse().ok())
        .collect();
    row.ours = numbers.first().copied();
    (row.low, row.high) = (numbers.get(1).copied(), numbers.get(2).copied());
    row.judge(claim, true);
    row.reason.clone_from(&claim.explanation);
    let detail = why.strip_prefix(&claim.explanation).unwrap_or("stale");
    detail.trim_start_matches("; ").clone_into(&mut row.detail);
    row
}

#[test]
fn rows_of_the_pages_have_the_text_of_the_claims_and_results_follow_from_numbers() {
    for paper in Paper::ALL {
        let (page, claims) = (committed(paper), paper.claims().unwrap());
        let rows: Vec<ClaimRow> = claims.iter().map(|c| row_with(c, &page)).collect();
        let today = table::insert(paper, "page", &page, &rows).unwrap();
        if std::env::var_os("NOCCL_WRITE_GOLDEN").is_some() && !today.contains("stale") {
            noccl_files::write_file(std::path::Path::new(&path(paper)), &today).unwrap();
            continue;
        }
        let lines = today.lines().zip(page.lines());
        for (today, committed) in lines {
            assert_eq!(
                today,
                committed,
                "{} is stale: run make claims",
                paper.label()
            );
        }
        assert_eq!(today.lines().count(), page.lines().count());
        let mut failing = rows.iter().filter(|row| row.result() == ClaimResult::Fails);
        let without_reason = failing.find(|row| row.reason.is_empty());
        assert_eq!(without_reason, None, "fails without a reason");
    }
}
