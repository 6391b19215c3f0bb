// SPDX-License-Identifier: Apache-2.0
//! A paper's claims against our measurements, each with its verdict.
//!
//! What is claimed stands in `experiments/*/claims.toml`, how it is measured in the files beside this one; the
//! numbers are measured anew every time. A claim that fails stays in the table with the reason; one
//! that nothing here measures says so.

mod additions;
mod claims;
pub(crate) mod energy;
mod equations;
pub(crate) mod figure;
mod limit;
pub(crate) mod outcome;
mod products;
mod ratios;
pub(crate) mod runner;
mod synchronisation;
pub(crate) mod table;
mod table_1;

pub use claims::ToleranceKind;
pub use figure::Figure;

use crate::watch::{Tally, Watch};
use crate::{Error, Step, read_text, write_file};
use claims::{Claim, ClaimFile};
use outcome::{Outcome, Outcomes};
use runner::Runner;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Papers that [`reproduce`] knows.
pub const REPRODUCIBLE: [&str; 1] = ["collective_noc"];

/// One claim and its verdict.
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
    /// How near is near enough, and why.
    pub tolerance: String,
    /// Does it hold? Absent if it was not measured.
    pub holds: Option<bool>,
    /// Why ours differs, or why it was not measured.
    pub reason: String,
    /// How ours is measured.
    pub measured: String,
    /// The numbers behind ours.
    pub detail: String,
}

/// Verdicts and plots.
#[derive(Debug, Clone, PartialEq)]
pub struct Reproduction {
    /// One row per claim, in the order of the file.
    pub rows: Vec<ClaimRow>,
    /// One plot per figure of the paper that was measured.
    pub figures: Vec<Figure>,
}

/// Measures the claims of a paper; a quick run leaves out the matrix products on large meshes.
///
/// # Errors
/// [`Error::Argument`] for an unknown paper; [`Error::Run`] if a run hangs or is interrupted.
pub fn reproduce(paper: &str, is_quick: bool, watch: Watch<'_>) -> Result<Reproduction, Error> {
    if !REPRODUCIBLE.contains(&paper) {
        let known = format!("accepted: {}", REPRODUCIBLE.join(", "));
        return Err(Error::argument("paper", paper, known));
    }
    let file = ClaimFile::collective_noc()?;
    let groups = if is_quick { 7 } else { 9 };
    let tally = Tally::new(watch, groups);
    let runner = Runner { tally: &tally };
    let (mut outcomes, mut figures) = (Outcomes::default(), Vec::new());
    synchronisation::barriers(runner, &mut outcomes, &mut figures)?;
    tally.finish_unit()?;
    ratios::multicast(runner, &mut outcomes, &mut figures)?;
    tally.finish_unit()?;
    limit::limit(runner, &mut outcomes, &mut figures)?;
    tally.finish_unit()?;
    ratios::reduction(runner, &mut outcomes, &mut figures)?;
    tally.finish_unit()?;
    additions::additions(runner, &mut outcomes)?;
    tally.finish_unit()?;
    energy::energy(runner, &file, &mut outcomes, &mut figures)?;
    tally.finish_unit()?;
    // What has units of its own reports as a part of these.
    let of_all = |step: Step| tally.follow(step.simulated_cycles);
    let part = Watch::new(&of_all);
    equations::equations(part, &mut outcomes)?;
    tally.finish_unit()?;
    if !is_quick {
        products::summa(part, &mut outcomes, &mut figures)?;
        tally.finish_unit()?;
        products::fused(part, &mut outcomes, &mut figures)?;
        tally.finish_unit()?;
    }
    missing(&mut outcomes, is_quick);
    let rows = file.claims.iter().map(|c| row(c, &outcomes)).collect();
    Ok(Reproduction { rows, figures })
}

/// What was not measured.
fn missing(outcomes: &mut Outcomes, is_quick: bool) {
    if is_quick {
        for id in ["8-onset-software", "8-onset-in-network", "8-speedup", "9"] {
            outcomes.miss(id, "left out of the quick set");
        }
    }
    for id in [
        "12-router-multicast",
        "12-router-parallel",
        "12-router-all",
        "12-ni",
        "12-tile",
    ] {
        outcomes.miss(
            id,
            "area in this library and flow, not in a 7 nm process: docs/rtl/synthesis.md",
        );
    }
}

fn row(claim: &Claim, outcomes: &Outcomes) -> ClaimRow {
    let mut row = ClaimRow {
        id: claim.id.clone(),
        statement: claim.statement.clone(),
        place: claim.place.clone(),
        paper: claim.paper,
        ours: None,
        tolerance: claim.tolerance_text(),
        holds: None,
        reason: claim.explanation.clone(),
        measured: claim.measured.clone(),
        detail: String::new(),
    };
    match outcomes.by_id.get(&claim.id) {
        Some(Outcome::Measured {
            ours,
            detail,
            is_shown,
        }) => {
            row.ours = Some(*ours);
            row.holds = Some(*is_shown && claim.accepts(*ours));
            row.detail.clone_from(detail);
        }
        Some(Outcome::Missing(reason)) => row.reason.clone_from(reason),
        None => row.reason = "nothing measures it".to_owned(),
    }
    row
}

/// Has a page the markers that [`Reproduction::update_page`] needs? To be asked before measuring.
///
/// # Errors
/// [`Error::File`] if the page cannot be read, [`Error::Content`] if it has no markers.
pub fn check_claims_page(page: &Path) -> Result<(), Error> {
    let name = page.display().to_string();
    table::insert(&name, &read_text(page)?, &[]).map(drop)
}

impl Reproduction {
    /// Writes every plot as `NAME.svg` into a directory.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be written.
    pub fn write_figures(&self, directory: &Path) -> Result<(), Error> {
        for figure in &self.figures {
            let path = directory.join(format!("{}.svg", figure.name));
            write_file(&path, &figure.svg)?;
        }
        Ok(())
    }

    /// Replaces the table of a page between its markers.
    ///
    /// # Errors
    /// [`Error::File`] if the page cannot be read or written, [`Error::Content`] if it has no markers.
    pub fn update_page(&self, page: &Path) -> Result<(), Error> {
        let text = read_text(page)?;
        let name = page.display().to_string();
        write_file(page, &table::insert(&name, &text, &self.rows)?)
    }

    /// Did every measured claim hold?
    #[must_use]
    pub fn all_hold(&self) -> bool {
        self.rows.iter().all(|r| r.holds != Some(false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_claim_has_an_outcome_and_every_outcome_a_claim() {
        let reproduction = reproduce("collective_noc", true, Watch::quiet()).unwrap();
        for row in &reproduction.rows {
            assert_ne!(row.reason, "nothing measures it", "{}", row.id);
            assert_eq!(row.ours.is_some(), row.holds.is_some(), "{}", row.id);
            assert!(row.ours.is_some() || !row.reason.is_empty(), "{}", row.id);
        }
        let measured = reproduction.rows.iter().filter(|r| r.ours.is_some());
        assert!(measured.count() >= 15);
        let mut names: Vec<&str> = reproduction
            .figures
            .iter()
            .map(|f| f.name.as_str())
            .collect();
        names.sort_unstable();
        let expected = [
            "fig_10a", "fig_10b", "fig_2b", "fig_5a", "fig_5b", "fig_5c", "fig_7a", "fig_7b",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn an_unknown_paper_is_refused_with_the_known_ones() {
        let error = reproduce("collective", true, Watch::quiet()).unwrap_err();
        assert!(error.to_string().contains("collective_noc"), "{error}");
    }
}
