// SPDX-License-Identifier: Apache-2.0
//! What the measurements found, by the id of the claim.

use std::collections::BTreeMap;

/// One claim's outcome.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    /// A number.
    Measured {
        /// Compared with the paper's.
        ours: f64,
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
            detail: detail.to_owned(),
            is_shown,
        };
        self.by_id.insert(id.to_owned(), outcome);
    }

    pub(crate) fn miss(&mut self, id: &str, reason: &str) {
        let outcome = Outcome::Missing(reason.to_owned());
        self.by_id.insert(id.to_owned(), outcome);
    }
}
