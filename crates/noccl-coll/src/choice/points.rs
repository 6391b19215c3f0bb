// SPDX-License-Identifier: Apache-2.0
//! Forms of algorithms without barriers, with stable names.

use super::Choice;
use crate::Algorithm;
use crate::point_to_point::Family;
use noccl_workload::CollectiveKind;
use std::fmt;

/// One ring.
const RING: &str = "ring";
/// Before the number of trees.
const TREES: &str = "trees=";

/// Before the parts into which trees along lines cut each line.
const ROTATED: &str = "rotated=";

/// Before the members of the smallest lines.
const RADIX: &str = "radix=";

/// Before the parts whose operands are added at a time.
const COMBINE: &str = "combine=";

/// How members of a line exchange.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LineForm {
    /// To the next one, part by part.
    #[default]
    Ring,
    /// The same to both sides, half of the members each.
    Both,
    /// With partners at distances that double.
    Halving,
    /// The same to both sides one after the other, at distances 1, 1, 3, 5.
    Swing,
    /// The same from the largest distance down.
    Bine,
    /// Everybody to everybody.
    Direct,
}

/// Who sends what to whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PointForm {
    /// One ring over all members.
    Ring,
    /// Along one dimension in the first form, then along the other in the second.
    Lines(LineForm, LineForm),
    /// Everybody to everybody of up to so many neighbours, then of members so many apart, and so on.
    Radix(u8),
    /// Additions of up to so many operands at a time: of at most so many members all are added at once, of more those of parts, and then their sums.
    /// Payloads are not cut among members.
    Combine(u16),
    /// So many trees with as many children per inner member: one is a chain, two are the double tree.
    Trees(u8),
    /// A tree along rows and columns for each chunk, with a top of its own; lines are cut into so many parts at each level.
    Rotated(u8),
}

impl LineForm {
    /// All.
    pub const ALL: [Self; 6] = [
        Self::Ring,
        Self::Both,
        Self::Halving,
        Self::Swing,
        Self::Bine,
        Self::Direct,
    ];

    /// Stable name of the form along all dimensions.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ring => "rings",
            Self::Both => "both",
            Self::Halving => "halving",
            Self::Swing => "swing",
            Self::Bine => "bine",
            Self::Direct => "direct",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.name() == name)
    }
}

impl Default for PointForm {
    fn default() -> Self {
        Self::Lines(LineForm::Ring, LineForm::Ring)
    }
}

impl PointForm {
    /// As users write it.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        let number = |text: &str, least: u8| text.parse().ok().filter(|n| *n >= least);
        if let Some(parts) = word.strip_prefix(COMBINE) {
            let parts = parts.parse().ok().filter(|parts| *parts >= 2);
            return parts.map(Self::Combine);
        }
        if let Some(count) = word.strip_prefix(TREES) {
            return number(count, 1).map(Self::Trees);
        }
        if let Some(parts) = word.strip_prefix(ROTATED) {
            return number(parts, 2).map(Self::Rotated);
        }
        if let Some(radix) = word.strip_prefix(RADIX) {
            return number(radix, 2).map(Self::Radix);
        }
        if word == RING {
            return Some(Self::Ring);
        }
        let (first, second) = word.split_once('+').unwrap_or((word, word));
        let both = (LineForm::from_name(first)?, LineForm::from_name(second)?);
        Some(Self::Lines(both.0, both.1))
    }
}

impl fmt::Display for PointForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ring => f.write_str(RING),
            Self::Lines(first, second) if first == second => f.write_str(first.name()),
            Self::Lines(first, second) => write!(f, "{}+{}", first.name(), second.name()),
            Self::Radix(radix) => write!(f, "{RADIX}{radix}"),
            Self::Combine(parts) => write!(f, "{COMBINE}{parts}"),
            Self::Trees(count) => write!(f, "{TREES}{count}"),
            Self::Rotated(parts) => write!(f, "{ROTATED}{parts}"),
        }
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

    /// The form in which it does a collective: blocks and chunks that nobody passes on go straight unless another form is named.
    pub(crate) const fn of_kind(self, kind: CollectiveKind) -> Self {
        let is_default = matches!(self.point, PointForm::Lines(LineForm::Ring, LineForm::Ring));
        let is_straight = Family::of(kind).is_straight();
        let mut choice = self;
        if is_default && is_straight {
            choice.point = PointForm::Lines(LineForm::Direct, LineForm::Direct);
        }
        choice
    }

    /// The word of its form, if it has one.
    pub(super) fn point_word(&self) -> Option<String> {
        self.has().has_form.then(|| self.point.to_string())
    }

    /// Takes a word as the form; false if the algorithm has none of that name.
    pub(super) fn take_point_word(&mut self, word: &str) -> bool {
        let form = PointForm::from_word(word).filter(|_| self.has().has_form);
        if let Some(form) = form {
            self.point = form;
        }
        form.is_some()
    }
}
