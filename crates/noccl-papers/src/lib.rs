// SPDX-License-Identifier: Apache-2.0
//! A paper's claims against our measurements, each with its result.
//!
//! What is claimed stands in `experiments/*/claims.toml`, how it is measured in the folders beside this file; the
//! numbers are measured anew every time. A claim that fails stays in the table with the reason; one
//! that nothing here measures says so.
//!
//! No part of the product, which neither builds nor ships it: experiments use the product's crates, and nothing uses them.

mod claims;
mod claims_file;
mod collective_noc;
mod command;
#[cfg(test)]
mod fresh;
mod nocmsg;
mod programs;
mod smart;
mod statistics;
mod table;
mod torrent;

pub use claims::Evidence;
pub use claims::ToleranceKind;
pub use command::call;

use claims::{Claim, Paper};
use noccl_run::Watch;
use noccl_studies::{Error, Figure, read_text, write_file};
use schemars::{JsonSchema, Schema, schema_for};
use serde::{Deserialize, Serialize};
use statistics::{Outcome, Outcomes};
use std::path::Path;
use table::Table;

/// Papers that [`reproduce`] knows.
pub const REPRODUCIBLE: [&str; 4] = [
    Paper::CollectiveNoc.name(),
    Paper::Smart.name(),
    Paper::Torrent.name(),
    Paper::Nocmsg.name(),
];

/// One claim and its result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClaimRow {
    /// Number of the claim and what of it: `1-mean`.
    pub id: String,
    /// What is claimed.
    pub statement: String,
    /// Where in the paper.
    pub place: String,
    /// The paper's number; absent where it prints none.
    pub paper: Option<f64>,
    /// Our number; absent if it was not measured.
    pub ours: Option<f64>,
    /// Lower end of its 95 % interval; absent if it was measured once.
    pub low: Option<f64>,
    /// Upper end of its 95 % interval; absent if it was measured once.
    pub high: Option<f64>,
    /// How near is near enough, and why.
    pub tolerance: String,
    /// What a row that holds would show.
    pub evidence: Evidence,
    /// Does it hold? Absent if it was not measured, and undecided if the interval has numbers with which it holds and others.
    pub holds: Option<bool>,
    /// Why ours differs, or why it was not measured.
    pub reason: String,
    /// How ours is measured.
    pub measured: String,
    /// The numbers behind ours.
    pub detail: String,
}

/// Validation and plots.
#[derive(Debug, Clone, PartialEq)]
pub struct Reproduction {
    paper: Paper,
    /// One row per claim, in the order of the file.
    pub rows: Vec<ClaimRow>,
    /// One plot per figure of the paper that was measured.
    pub figures: Vec<Figure>,
    tables: Vec<Table>,
}

/// What a measurement adds to.
#[derive(Default)]
struct Found {
    outcomes: Outcomes,
    figures: Vec<Figure>,
    tables: Vec<Table>,
}

/// Measures the claims of a paper; a quick run leaves out S1's matrix products on large meshes, S2's seeds, settings and table of
/// saturation, S3's movements, and S4's longer messages, noise, random collectives and rectangles.
///
/// # Errors
/// [`Error::Argument`] for an unknown paper; [`Error::Run`] if a run stalls or is interrupted.
pub fn reproduce(paper: &str, is_quick: bool, watch: Watch<'_>) -> Result<Reproduction, Error> {
    let paper = parse_paper(paper)?;
    let claims = paper.claims()?;
    let found = match paper {
        Paper::CollectiveNoc => collective_noc::measure(is_quick, watch)?,
        Paper::Smart => smart::measure(is_quick, watch)?,
        Paper::Torrent => torrent::measure(is_quick, watch)?,
        Paper::Nocmsg => nocmsg::measure(is_quick, watch)?,
    };
    Ok(Reproduction {
        paper,
        rows: claims.iter().map(|c| row(c, &found.outcomes)).collect(),
        figures: found.figures,
        tables: found.tables,
    })
}

fn parse_paper(name: &str) -> Result<Paper, Error> {
    let found = Paper::ALL.into_iter().find(|p| p.name() == name);
    let known = || format!("accepted: {}", REPRODUCIBLE.join(", "));
    found.ok_or_else(|| Error::argument("paper", name, known()))
}

fn row(claim: &Claim, outcomes: &Outcomes) -> ClaimRow {
    let mut row = ClaimRow {
        id: claim.id.clone(),
        statement: claim.statement.clone(),
        place: claim.place.clone(),
        paper: claim.paper,
        ours: None,
        low: None,
        high: None,
        tolerance: claim.tolerance_text(),
        evidence: claim.counts_as(),
        holds: None,
        reason: claim.explanation.clone(),
        measured: claim.measured.clone(),
        detail: String::new(),
    };
    match outcomes.by_id.get(&claim.id) {
        Some(Outcome::Measured {
            ours,
            interval,
            detail,
            is_shown,
        }) => {
            row.ours = Some(*ours);
            (row.low, row.high) = interval.unzip();
            row.assess(claim, *is_shown);
            row.detail.clone_from(detail);
        }
        Some(Outcome::Missing(reason)) => row.reason.clone_from(reason),
        None => row.reason = "nothing measures it".to_owned(),
    }
    row
}

impl ClaimRow {
    /// Compares what was measured with the claim.
    fn assess(&mut self, claim: &Claim, is_shown: bool) {
        self.holds = match (self.ours, self.low, self.high) {
            (Some(_), ..) if !is_shown => Some(false),
            (Some(_), Some(low), Some(high)) => claim.accepts_all((low, high)),
            (Some(ours), ..) => Some(claim.accepts(ours)),
            (None, ..) => None,
        };
    }

    /// The result in a word.
    #[must_use]
    pub const fn result(&self) -> ClaimResult {
        match (self.holds, self.ours) {
            (Some(true), _) => ClaimResult::Holds,
            (Some(false), _) => ClaimResult::Fails,
            (None, Some(_)) => ClaimResult::Undecided,
            (None, None) => ClaimResult::Missed,
        }
    }
}

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimResult {
    /// It holds.
    Holds,
    /// It does not.
    Fails,
    /// The interval of what was measured has numbers with which it holds and others.
    Undecided,
    /// It was not measured.
    Missed,
}

impl ClaimResult {
    /// All, in the order of tables.
    pub const ALL: [ClaimResult; 4] = [
        ClaimResult::Holds,
        ClaimResult::Fails,
        ClaimResult::Undecided,
        ClaimResult::Missed,
    ];

    /// As tables say it.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            ClaimResult::Holds => "holds",
            ClaimResult::Fails => "fails",
            ClaimResult::Undecided => "undecided",
            ClaimResult::Missed => "not measured",
        }
    }
}

/// Has a page the markers that [`Reproduction::update_page`] needs? To be asked before measuring.
///
/// # Errors
/// [`Error::File`] if the page cannot be read or has no markers of this paper, [`Error::Argument`]
/// for an unknown paper.
pub fn check_claims_page(paper: &str, page: &Path) -> Result<(), Error> {
    let (paper, name) = (parse_paper(paper)?, page.display().to_string());
    let text = read_text(page)?;
    table::insert(paper, &name, &text, &[])?;
    paper.tables().iter().try_for_each(|table| {
        let markdown = String::new();
        let table = Table {
            name: table,
            markdown,
        };
        table::insert_table(paper, &name, &text, &table).map(drop)
    })
}

impl Reproduction {
    /// Writes the numbers of every plot as `NAME.json` into a directory.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be written.
    pub fn write_figures(&self, directory: &Path) -> Result<(), Error> {
        noccl_studies::write_figures(directory, &self.figures)
    }

    /// Writes all claims as `claims.csv` into a directory.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be written.
    pub fn write_claims(&self, directory: &Path) -> Result<(), Error> {
        let file = directory.join(claims_file::NAME);
        write_file(&file, &claims_file::csv(&self.rows))
    }

    /// Replaces the tables of a page between their markers; those of which a quick run knows nothing stay.
    ///
    /// # Errors
    /// [`Error::File`] if the page cannot be read, written or has no markers.
    pub fn update_page(&self, page: &Path) -> Result<(), Error> {
        let text = read_text(page)?;
        let name = page.display().to_string();
        let mut fresh = table::insert(self.paper, &name, &text, &self.rows)?;
        for table in &self.tables {
            fresh = table::insert_table(self.paper, &name, &fresh, table)?;
        }
        write_file(page, &fresh)
    }

    /// Did every measured claim hold?
    #[must_use]
    pub fn all_hold(&self) -> bool {
        self.rows.iter().all(|r| r.holds != Some(false))
    }
}

/// JSON Schema of the rows, an array of [`ClaimRow`].
#[must_use]
pub fn schema() -> Schema {
    schema_for!(Vec<ClaimRow>)
}

/// How many claims of each kind of evidence hold, fail or are missing, as a sentence.
#[must_use]
pub fn claims_count(rows: &[ClaimRow]) -> String {
    table::count(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_paper_is_refused_with_the_known_ones() {
        let error = reproduce("collective", true, Watch::quiet()).unwrap_err();
        assert!(error.to_string().contains("collective_noc"), "{error}");
    }
}
