// SPDX-License-Identifier: Apache-2.0
//! The claims of a paper as data: what it says, how near ours has to be, how ours is measured.
//!
//! The file is part of the binary, so that every installation assesses by the same text.

use noccl_files::FileError;
use noccl_studies::Error;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Papers whose claims are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paper {
    /// S1: a collective-capable network.
    CollectiveNoc,
    /// S2: routers with bypass.
    Smart,
    /// S3: Torrent.
    Torrent,
    /// S4: messages between cores.
    Nocmsg,
}

impl Paper {
    pub(crate) const ALL: [Paper; 4] = [
        Paper::CollectiveNoc,
        Paper::Smart,
        Paper::Torrent,
        Paper::Nocmsg,
    ];

    /// As users write it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Paper::CollectiveNoc => "collective_noc",
            Paper::Smart => "smart",
            Paper::Torrent => "torrent",
            Paper::Nocmsg => "nocmsg",
        }
    }

    /// As the pages call it.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Paper::CollectiveNoc => "S1",
            Paper::Smart => "S2",
            Paper::Torrent => "S3",
            Paper::Nocmsg => "S4",
        }
    }

    /// Tables of its page beside the claims.
    pub(crate) const fn tables(self) -> &'static [&'static str] {
        match self {
            Paper::CollectiveNoc => &["gains"],
            Paper::Smart => &["saturation", "trees by load", "beyond S2"],
            Paper::Torrent => &["movements", "gains"],
            Paper::Nocmsg => &["accounts", "collectives", "variances"],
        }
    }

    const fn text(self) -> &'static str {
        match self {
            Paper::CollectiveNoc => {
                include_str!("../../../experiments/collective_noc/claims.toml")
            }
            Paper::Smart => include_str!("../../../experiments/smart/claims.toml"),
            Paper::Torrent => include_str!("../../../experiments/torrent/claims.toml"),
            Paper::Nocmsg => include_str!("../../../experiments/nocmsg/claims.toml"),
        }
    }

    /// What the paper claims.
    pub(crate) fn claims(self) -> Result<Vec<Claim>, Error> {
        Ok(self.read::<ClaimFile>()?.claims)
    }

    fn read<T: DeserializeOwned>(self) -> Result<T, Error> {
        toml::from_str(self.text()).map_err(|e| {
            Error::File(FileError::Content {
                path: format!("experiments/{}/claims.toml", self.name()),
                expected: "list of claims",
                reason: e.to_string(),
            })
        })
    }
}

/// The file; what else a paper's file holds is read by whoever needs it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
struct ClaimFile {
    claims: Vec<Claim>,
}

/// What S1's file holds besides.
#[derive(Debug, Clone, PartialEq, Deserialize)]
struct TableFile {
    table_1: Table1,
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
    pub(crate) evidence: Evidence,
    pub(crate) explanation: String,
}

/// What a row that holds would show. Only a prediction counts for or against the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// Simulated, and no constant in it was chosen by the paper's number.
    Prediction,
    /// Equations alone: nothing is simulated.
    Equation,
    /// Follows from how the simulator, or the quantity, is defined.
    Construction,
    /// Rests on a constant that was fitted to a number of the same paper.
    FittedConstant,
    /// Simulated, for one of several readings of the paper; the others stand behind ours.
    Variant,
    /// Synthesis in another technology and flow, or nothing that is measured here.
    OtherTechnology,
    /// The paper states a number, and only on which side of a bound ours lies is asked. It follows from the tolerance.
    DirectionOnly,
}

impl Evidence {
    /// All kinds, those that count first.
    pub const ALL: [Evidence; 7] = [
        Evidence::Prediction,
        Evidence::DirectionOnly,
        Evidence::Variant,
        Evidence::FittedConstant,
        Evidence::Construction,
        Evidence::Equation,
        Evidence::OtherTechnology,
    ];

    /// As tables say it.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Evidence::Prediction => "prediction",
            Evidence::Equation => "equation",
            Evidence::Construction => "construction",
            Evidence::FittedConstant => "fitted constant",
            Evidence::Variant => "one of several variants",
            Evidence::OtherTechnology => "other technology",
            Evidence::DirectionOnly => "direction only",
        }
    }
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

impl Table1 {
    /// S1's.
    pub(crate) fn published() -> Result<Self, Error> {
        Ok(Paper::CollectiveNoc.read::<TableFile>()?.table_1)
    }
}

impl Claim {
    /// As what a row counts. A number of the paper of which only a side is asked is missed by any factor and still on that side, so it
    /// counts as a direction, whatever else the row rests on.
    pub(crate) const fn counts_as(&self) -> Evidence {
        if self.paper.is_some() && self.tolerance.kind.is_one_sided() {
            return Evidence::DirectionOnly;
        }
        self.evidence
    }

    /// Is a number near enough to the paper's?
    pub(crate) fn accepts(&self, ours: f64) -> bool {
        let (least, most) = self.tolerance.bounds(self.paper);
        (least..=most).contains(&ours)
    }

    /// Is all of an interval near enough, or nothing of it? Undecided if it is neither.
    pub(crate) fn accepts_all(&self, (low, high): (f64, f64)) -> Option<bool> {
        let (least, most) = self.tolerance.bounds(self.paper);
        if least <= low && high <= most {
            return Some(true);
        }
        (high < least || most < low).then_some(false)
    }

    /// The tolerance in words.
    pub(crate) fn tolerance_text(&self) -> String {
        format!("{} ({})", self.tolerance.words(), self.tolerance_reason)
    }
}

// How near to a paper's number ours has to lie.

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
    /// A fraction of the paper's number, up and down.
    Relative,
    /// In the number's own unit, up and down.
    Absolute,
    /// Within a factor of the paper's number, up and down.
    Factor,
    /// No more than that above the paper's number (0 where it states none), however far below.
    AtMost,
    /// No more than that below the paper's number, however far above.
    AtLeast,
    /// The paper states no number but a bound or a direction: no more than that above it.
    StatedAtMost,
    /// The paper states no number but a bound or a direction: no more than that below it.
    StatedAtLeast,
    /// Equal.
    Exact,
}

impl ToleranceKind {
    /// Is only a side of the number asked, although the paper may state more than a direction?
    pub(crate) const fn is_one_sided(self) -> bool {
        match self {
            Self::AtMost | Self::AtLeast => true,
            Self::StatedAtMost
            | Self::StatedAtLeast
            | Self::Relative
            | Self::Absolute
            | Self::Factor
            | Self::Exact => false,
        }
    }
}

impl Tolerance {
    /// Between which numbers ours has to lie; a paper that states none has 0.
    pub(crate) fn bounds(self, paper: Option<f64>) -> (f64, f64) {
        // Sums of binary fractions: a number on the border is inside.
        const ROUNDING: f64 = 1e-9;
        // 0: a paper that states no number, as above.
        let paper = paper.unwrap_or(0.0);
        let amount = self.amount + ROUNDING;
        let near = |distance: f64| (paper - distance, paper + distance);
        match self.kind {
            ToleranceKind::Relative => near(amount * paper.abs()),
            ToleranceKind::Absolute => near(amount),
            ToleranceKind::Factor => (paper / amount, paper * amount),
            ToleranceKind::AtMost | ToleranceKind::StatedAtMost => {
                (f64::NEG_INFINITY, paper + amount)
            }
            ToleranceKind::AtLeast | ToleranceKind::StatedAtLeast => {
                (paper - amount, f64::INFINITY)
            }
            ToleranceKind::Exact => near(ROUNDING),
        }
    }

    /// As tables say it.
    pub(crate) fn words(self) -> String {
        let amount = self.amount;
        match self.kind {
            ToleranceKind::Relative => format!("±{:.0} %", amount * 100.0),
            ToleranceKind::Absolute => format!("±{amount}"),
            ToleranceKind::Factor => format!("a factor of {amount}"),
            ToleranceKind::AtMost => format!("at most {amount} above"),
            ToleranceKind::AtLeast => format!("at most {amount} below"),
            ToleranceKind::StatedAtMost => {
                format!("at most {amount} above; the paper states a direction only")
            }
            ToleranceKind::StatedAtLeast => {
                format!("at most {amount} below; the paper states a direction only")
            }
            ToleranceKind::Exact => "exact".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ToleranceKind;
    use super::*;

    fn claim(paper: f64, kind: ToleranceKind, amount: f64) -> Claim {
        let mut claim = Paper::CollectiveNoc.claims().unwrap()[0].clone();
        claim.paper = Some(paper);
        claim.tolerance = Tolerance { kind, amount };
        claim
    }

    #[test]
    fn the_files_hold_nothing_unknown_and_every_id_stands_once() {
        let all = |last: u32| (1..=last).collect::<Vec<_>>();
        let network: Vec<u32> = (1..=18).chain(26..=31).collect();
        for (paper, numbers, others) in [
            (Paper::CollectiveNoc, all(13), vec!["table_1"]),
            (Paper::Smart, network, vec![]),
            (Paper::Torrent, all(13), vec![]),
            (Paper::Nocmsg, all(28), vec![]),
        ] {
            let table: toml::Table = toml::from_str(paper.text()).unwrap();
            let known = |key: &String| *key == "claims" || others.contains(&key.as_str());
            assert!(table.keys().all(known), "{paper:?}");
            let claims = paper.claims().unwrap();
            let mut ids: Vec<&str> = claims.iter().map(|c| c.id.as_str()).collect();
            ids.sort_unstable();
            let count = ids.len();
            ids.dedup();
            assert_eq!(ids.len(), count);
            for number in numbers {
                let is_of = |id: &&str| id.split('-').next() == Some(&number.to_string());
                assert!(ids.iter().any(is_of), "{paper:?}: no claim {number}");
            }
        }
        Table1::published().unwrap();
    }

    #[test]
    fn a_number_on_the_border_of_its_tolerance_is_inside_and_one_beyond_is_not() {
        let cases = [
            (claim(2.0, ToleranceKind::Relative, 0.1), 1.8, 1.79),
            (claim(2.0, ToleranceKind::Relative, 0.1), 2.2, 2.21),
            (claim(3.3, ToleranceKind::Absolute, 0.4), 3.7, 3.71),
            (claim(256.0, ToleranceKind::Factor, 4.0), 64.0, 63.0),
            (claim(256.0, ToleranceKind::Factor, 4.0), 1024.0, 1025.0),
            (claim(1.0, ToleranceKind::AtMost, 0.05), 1.05, 1.051),
            (claim(1.0, ToleranceKind::StatedAtMost, 0.05), 1.05, 1.051),
            (claim(1.0, ToleranceKind::StatedAtLeast, 0.0), 1.0, 0.99),
            (claim(10.0, ToleranceKind::AtLeast, 0.5), 9.5, 9.49),
            (claim(8.0, ToleranceKind::Exact, 0.0), 8.0, 8.001),
        ];
        for (claim, inside, outside) in cases {
            assert!(claim.accepts(inside), "{claim:?} {inside}");
            assert!(!claim.accepts(outside), "{claim:?} {outside}");
        }
        assert!(claim(1.0, ToleranceKind::AtMost, 0.05).accepts(0.5));
    }

    #[test]
    fn an_interval_on_a_border_decides_nothing() {
        let near = claim(1.0, ToleranceKind::Relative, 0.05);
        assert_eq!(near.accepts_all((0.96, 1.04)), Some(true));
        assert_eq!(near.accepts_all((0.936, 0.968)), None);
        assert_eq!(near.accepts_all((0.5, 1.5)), None);
        assert_eq!(near.accepts_all((1.06, 1.5)), Some(false));
        let side = claim(0.11, ToleranceKind::AtLeast, 0.11);
        assert_eq!(side.accepts_all((-0.016, 0.093)), None);
    }

    /// Numbers that miss the paper's by three orders of magnitude or have the other sign.
    fn misses(paper: f64) -> [f64; 4] {
        [0.0, -paper, paper * 1000.0, paper / 1000.0]
    }

    #[test]
    fn no_prediction_holds_whose_number_is_missed_by_orders_of_magnitude_unless_the_paper_states_a_direction_only()
     {
        for paper in Paper::ALL {
            for claim in paper.claims().unwrap() {
                let is_direction = claim.counts_as() == Evidence::DirectionOnly;
                let says_so = claim.tolerance_text().contains("states a direction only");
                let Some(number) = claim.paper.filter(|n| *n != 0.0) else {
                    continue;
                };
                let accepted = misses(number).into_iter().find(|n| claim.accepts(*n));
                assert_eq!(
                    accepted.is_some(),
                    is_direction || says_so,
                    "{}: {accepted:?}",
                    claim.id
                );
                assert!(!(is_direction && says_so), "{}", claim.id);
            }
        }
    }

    #[test]
    fn a_direction_follows_from_the_tolerance_and_is_not_written_by_hand() {
        for paper in Paper::ALL {
            let claims = paper.claims().unwrap();
            let mut by_hand = claims.iter().map(|c| c.evidence);
            assert!(by_hand.all(|evidence| evidence != Evidence::DirectionOnly));
        }
        let sided = claim(0.29, ToleranceKind::AtLeast, 0.29);
        assert_eq!(sided.counts_as(), Evidence::DirectionOnly);
        assert_eq!(
            claim(0.29, ToleranceKind::Absolute, 0.1).counts_as(),
            sided.evidence
        );
        let unstated = Claim {
            paper: None,
            ..sided.clone()
        };
        assert_eq!(unstated.counts_as(), sided.evidence);
    }
}
