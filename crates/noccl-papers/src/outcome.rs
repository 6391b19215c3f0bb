// SPDX-License-Identifier: Apache-2.0
//! What the measurements found, by the id of the claim.

use crate::statistics::Estimate;
use std::collections::BTreeMap;

/// One claim's outcome.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    /// A number.
    Measured {
        /// Compared with the paper's.
        ours: f64,
        /// Between which numbers ours lies, by what was measured several times.
        interval: Option<(f64, f64)>,
        /// The numbers behind it.
        detail: String,
        /// Conditions beside the number.
        is_shown: bool,
    },
    /// No number, and why.
    Missing(String),
}

/// All outcomes.
#[derive(Debug, Default)]
pub(crate) struct Outcomes {
    pub(crate) by_id: BTreeMap<String, Outcome>,
}

impl Outcomes {
    pub(crate) fn put(&mut self, id: &str, ours: f64, detail: &str) {
        self.put_shown(id, ours, detail, true);
    }

    /// A number that counts only if something else is true as well.
    pub(crate) fn put_shown(&mut self, id: &str, ours: f64, detail: &str, is_shown: bool) {
        let outcome = Outcome::Measured {
            ours,
            interval: None,
            detail: detail.to_owned(),
            is_shown,
        };
        self.by_id.insert(id.to_owned(), outcome);
    }

    /// A number that was measured several times.
    pub(crate) fn put_estimate(&mut self, id: &str, ours: Estimate, detail: &str) {
        self.put_within(id, ours.mean, ours.interval(), detail);
    }

    /// A number that lies between two others.
    pub(crate) fn put_within(
        &mut self,
        id: &str,
        ours: f64,
        interval: Option<(f64, f64)>,
        detail: &str,
    ) {
        let outcome = Outcome::Measured {
            ours,
            interval,
            detail: detail.to_owned(),
            is_shown: true,
        };
        self.by_id.insert(id.to_owned(), outcome);
    }

    /// All of others, whose numbers hold with a setting that is said behind them.
    pub(crate) fn take_with(&mut self, others: Self, setting: &str) {
        for (id, mut outcome) in others.by_id {
            if let Outcome::Measured { detail, .. } = &mut outcome {
                let behind = if detail.is_empty() { "" } else { "; " };
                *detail += &format!("{behind}{setting}");
            }
            self.by_id.insert(id, outcome);
        }
    }

    /// All of others, with the numbers of a second setting in their details.
    pub(crate) fn take_beside(
        &mut self,
        others: Self,
        setting: &str,
        second: &Self,
        second_setting: &str,
    ) {
        let mut all = others;
        for (id, outcome) in &mut all.by_id {
            if let (
                Outcome::Measured { detail, .. },
                Some(Outcome::Measured { ours: second, .. }),
            ) = (outcome, second.by_id.get(id))
            {
                let behind = if detail.is_empty() { "" } else { "; " };
                *detail += &format!("{behind}{second:.2} {second_setting}");
            }
        }
        self.take_with(all, setting);
    }

    pub(crate) fn miss(&mut self, id: &str, reason: &str) {
        let outcome = Outcome::Missing(reason.to_owned());
        self.by_id.insert(id.to_owned(), outcome);
    }
}
