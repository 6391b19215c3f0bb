// SPDX-License-Identifier: Apache-2.0
//! Forms of algorithms without barriers, with stable names.

use super::Choice;
use crate::Algorithm;
use std::fmt;

/// Before the number of trees.
const TREES: &str = "trees=";

/// Who hands what to whom.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PointForm {
    /// One ring over all members.
    Ring,
    /// Rings along one dimension, then along the other.
    #[default]
    Rings,
    /// Partners at distances that double, along one dimension, then along the other.
    Halving,
    /// The same to both sides in turn, at distances 1, 1, 3, 5.
    Swing,
    /// The same from the largest distance down.
    Bine,
    /// Everybody to everybody of a line, along one dimension, then along the other.
    Direct,
    /// So many trees with as many children per inner member: one is a chain, two are the double tree.
    Trees(u8),
}

impl PointForm {
    /// All of lines.
    pub const LINES: [Self; 6] = [
        Self::Ring,
        Self::Rings,
        Self::Halving,
        Self::Swing,
        Self::Bine,
        Self::Direct,
    ];

    /// As users write it.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        if let Some(count) = word.strip_prefix(TREES) {
            return count.parse().ok().filter(|n| *n > 0).map(Self::Trees);
        }
        Self::LINES
            .into_iter()
            .find(|form| form.to_string() == word)
    }
}

impl fmt::Display for PointForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Ring => "ring",
            Self::Rings => "rings",
            Self::Halving => "halving",
            Self::Swing => "swing",
            Self::Bine => "bine",
            Self::Direct => "direct",
            Self::Trees(count) => return write!(f, "{TREES}{count}"),
        };
        f.write_str(name)
    }
}

impl Choice {
    /// `point_to_point` in one form.
    #[must_use]
    pub const fn point_to_point(point: PointForm, chunks: u32) -> Self {
        let mut choice = Self::new(Algorithm::PointToPoint, chunks);
        choice.point = point;
        choice
    }

    /// The word of its form, if it has one.
    pub(super) fn point_word(&self) -> Option<String> {
        (self.algorithm == Algorithm::PointToPoint).then(|| self.point.to_string())
    }

    /// Takes a word as the form; false if the algorithm has none of that name.
    pub(super) fn take_point_word(&mut self, word: &str) -> bool {
        let form = PointForm::from_word(word).filter(|_| self.algorithm == Algorithm::PointToPoint);
        if let Some(form) = form {
            self.point = form;
        }
        form.is_some()
    }
}
