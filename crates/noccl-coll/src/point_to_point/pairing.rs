// SPDX-License-Identifier: Apache-2.0
//! Who exchanges with whom, step by step, where the number of members is a power of two.

/// Rule of partners.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pairing {
    /// Positions that differ in one bit, near ones first.
    Near,
    /// The same, far ones first.
    Far,
    /// To both sides, step after step, at distances 1, 1, 3, 5, 11: the sums of powers of -2.
    Swing,
    /// The same, far ones first.
    Bine,
}

impl Pairing {
    /// Partner of each position in each step.
    pub(crate) fn steps(self, num: usize) -> Vec<Vec<usize>> {
        let count = num.ilog2() as usize;
        let of = |step: usize| (0..num).map(|p| self.partner(num, p, step)).collect();
        match self {
            Self::Near | Self::Swing => (0..count).map(of).collect(),
            Self::Far | Self::Bine => (0..count).rev().map(of).collect(),
        }
    }

    fn partner(self, num: usize, position: usize, step: usize) -> usize {
        match self {
            Self::Near | Self::Far => position ^ (1 << step),
            Self::Swing | Self::Bine => {
                let distance = (1 - (-2_i64).pow(step as u32 + 1)) / 3;
                let signed = if position.is_multiple_of(2) {
                    distance
                } else {
                    -distance
                };
                (position as i64 + signed).rem_euclid(num as i64) as usize
            }
        }
    }

    /// Parts that a position still has to serve from a step on: its own, and those of all it will send to.
    pub(crate) fn kept(steps: &[Vec<usize>], position: usize, from: usize) -> Vec<usize> {
        let Some(partners) = steps.get(from) else {
            return vec![position];
        };
        let mut kept = Self::kept(steps, position, from + 1);
        kept.extend(Self::kept(steps, partners[position], from + 1));
        kept
    }
}
