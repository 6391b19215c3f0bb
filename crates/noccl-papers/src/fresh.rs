// SPDX-License-Identifier: Apache-2.0
//! The committed results without measuring: their rows are the claims of the files, with today's text, and each result follows from its number.
//!
//! `NOCCL_WRITE_GOLDEN=1` writes today's text around the numbers that are committed: for a changed statement, tolerance, explanation or kind of
//! evidence nothing has to be measured anew. A changed measurement takes `make claims`.

use super::claims::{Claim, Paper};
use super::{ClaimResult, ClaimRow, claims_file, row, table};
use crate::statistics::Outcomes;

fn path(paper: Paper) -> String {
    let papers = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/papers");
    format!("{papers}/{}.md", paper.label())
}

/// The committed page of a paper.
pub(super) fn committed(paper: Paper) -> String {
    std::fs::read_to_string(path(paper)).unwrap()
}

/// The committed claims of a paper, next to its page.
fn committed_claims(paper: Paper) -> String {
    std::fs::read_to_string(claims_path(paper)).unwrap()
}

fn claims_path(paper: Paper) -> String {
    let page = path(paper);
    let folder = page.trim_end_matches(".md");
    format!("{folder}/{}", claims_file::NAME)
}

/// A row of today's text with the numbers of a file.
fn row_with(claim: &Claim, file: &str) -> ClaimRow {
    let cells = claims_file::cells(file, &claim.id);
    let cells = cells.unwrap_or_else(|| panic!("no row {}", claim.id));
    let [_, _, _, _, ours, low, high, _, _, result, why, detail, _] = cells;
    let mut row = row(claim, &Outcomes::default());
    if result == ClaimResult::Missed.label() {
        row.reason = why;
        return row;
    }
    let number = |cell: String| (!cell.is_empty()).then(|| cell.parse().unwrap());
    (row.ours, row.low, row.high) = (number(ours), number(low), number(high));
    row.assess(claim, true);
    row.reason.clone_from(&claim.explanation);
    row.detail = detail;
    row
}

#[test]
fn rows_of_the_pages_have_the_text_of_the_claims_and_results_follow_from_numbers() {
    for paper in Paper::ALL {
        let (page, file) = (committed(paper), committed_claims(paper));
        let claims = paper.claims().unwrap();
        let rows: Vec<ClaimRow> = claims.iter().map(|c| row_with(c, &file)).collect();
        let today = [
            table::insert(paper, "page", &page, &rows).unwrap(),
            claims_file::csv(&rows),
        ];
        if std::env::var_os("NOCCL_WRITE_GOLDEN").is_some() {
            for (path, text) in [path(paper), claims_path(paper)].iter().zip(&today) {
                noccl_files::write_file(std::path::Path::new(path), text).unwrap();
            }
            continue;
        }
        for (today, committed) in today.iter().zip([page, file]) {
            for (today, committed) in today.lines().zip(committed.lines()) {
                assert_eq!(
                    today,
                    committed,
                    "{} is stale: run make claims",
                    paper.label()
                );
            }
            assert_eq!(today.lines().count(), committed.lines().count());
        }
        let mut failing = rows.iter().filter(|row| row.result() == ClaimResult::Fails);
        let without_reason = failing.find(|row| row.reason.is_empty());
        assert_eq!(without_reason, None, "fails without a reason");
    }
}
