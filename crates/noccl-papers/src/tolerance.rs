// SPDX-License-Identifier: Apache-2.0
//! How near to a paper's number ours has to lie.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
