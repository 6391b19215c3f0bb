// SPDX-License-Identifier: Apache-2.0
//! The claims of a paper as data: what it says, how near ours has to be, how ours is measured.
//!
//! The file is part of the binary, so that every installation judges by the same text.

use crate::Error;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const COLLECTIVE_NOC: &str = include_str!("../../../../experiments/collective_noc/claims.toml");
const PATH: &str = "experiments/collective_noc/claims.toml";

/// The file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClaimFile {
    pub(crate) claims: Vec<Claim>,
    pub(crate) table_1: Table1,
}

/// One number that the paper states.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Claim {
    pub(crate) id: String,
    pub(crate) statement: String,
    pub(crate) place: String,
    pub(crate) paper: Option<f64>,
    pub(crate) tolerance: Tolerance,
    pub(crate) tolerance_reason: String,
    pub(crate) measured: String,
    pub(crate) explanation: String,
}

/// How near is near enough.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tolerance {
    pub(crate) kind: ToleranceKind,
    pub(crate) amount: f64,
}

/// What a tolerance's amount means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToleranceKind {
    /// A fraction of the paper's number, both ways.
    Relative,
    /// In the number's own unit, both ways.
    Absolute,
    /// No more than that above the paper's number (0 where it states none).
    AtMost,
    /// Equal.
    Exact,
}

/// Event counts of the paper's Table 1, in the order of its columns.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Table1 {
    pub(crate) summa_software: [f64; 7],
    pub(crate) summa_in_network: [f64; 7],
    pub(crate) fcl_software: [f64; 7],
    pub(crate) fcl_in_network: [f64; 7],
}

impl ClaimFile {
    /// The claims of S1.
    pub(crate) fn collective_noc() -> Result<Self, Error> {
        toml::from_str(COLLECTIVE_NOC).map_err(|e| Error::Content {
            path: PATH.to_owned(),
            expected: "list of claims",
            reason: e.to_string(),
        })
    }
}

impl Claim {
    /// Is a number near enough to the paper's?
    pub(crate) fn accepts(&self, ours: f64) -> bool {
        // Sums of binary fractions: a number on the border is inside.
        const ROUNDING: f64 = 1e-9;
        let paper = self.paper.unwrap_or(0.0);
        let amount = self.tolerance.amount + ROUNDING;
        match self.tolerance.kind {
            ToleranceKind::Relative => (ours - paper).abs() <= amount * paper.abs(),
            ToleranceKind::Absolute => (ours - paper).abs() <= amount,
            ToleranceKind::AtMost => ours <= paper + amount,
            ToleranceKind::Exact => (ours - paper).abs() <= ROUNDING,
        }
    }

    /// The tolerance in words.
    pub(crate) fn tolerance_text(&self) -> String {
        let amount = self.tolerance.amount;
        let bound = match self.tolerance.kind {
            ToleranceKind::Relative => format!("±{:.0} %", amount * 100.0),
            ToleranceKind::Absolute => format!("±{amount}"),
            ToleranceKind::AtMost => format!("at most {amount} above"),
            ToleranceKind::Exact => "exact".to_owned(),
        };
        format!("{bound} ({})", self.tolerance_reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(paper: f64, kind: ToleranceKind, amount: f64) -> Claim {
        let mut claim = ClaimFile::collective_noc().unwrap().claims[0].clone();
        claim.paper = Some(paper);
        claim.tolerance = Tolerance { kind, amount };
        claim
    }

    #[test]
    fn the_file_parses_and_every_id_stands_once() {
        let file = ClaimFile::collective_noc().unwrap();
        let mut ids: Vec<&str> = file.claims.iter().map(|c| c.id.as_str()).collect();
        ids.sort_unstable();
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count);
        for number in 1..=12 {
            let number = number.to_string();
            let stem = |id: &str| id.split('-').next().map(str::to_owned);
            assert!(
                ids.iter().any(|id| stem(id).as_deref() == Some(&number)),
                "claim {number} of S1 is missing"
            );
        }
    }

    #[test]
    fn a_number_on_the_border_of_its_tolerance_is_inside_and_one_beyond_is_not() {
        let cases = [
            (claim(2.0, ToleranceKind::Relative, 0.1), 1.8, 1.79),
            (claim(2.0, ToleranceKind::Relative, 0.1), 2.2, 2.21),
            (claim(3.3, ToleranceKind::Absolute, 0.4), 3.7, 3.71),
            (claim(1.0, ToleranceKind::AtMost, 0.05), 1.05, 1.051),
            (claim(8.0, ToleranceKind::Exact, 0.0), 8.0, 8.001),
        ];
        for (claim, inside, outside) in cases {
            assert!(claim.accepts(inside), "{claim:?} {inside}");
            assert!(!claim.accepts(outside), "{claim:?} {outside}");
        }
        assert!(claim(1.0, ToleranceKind::AtMost, 0.05).accepts(0.5));
    }
}
