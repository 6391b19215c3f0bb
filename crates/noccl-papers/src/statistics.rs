// SPDX-License-Identifier: Apache-2.0
//! What claims are compared by: ranges, means of ratios, means with their error, how much a line explains.

use noccl_studies::parts::{interval_95, mean, slope};
use std::collections::BTreeMap;

/// Geometric mean; 0 of nothing.
pub(crate) fn geometric_mean(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        sum += value.ln();
        count += 1.0;
    }
    if count > 0.0 {
        (sum / count).exp()
    } else {
        0.0
    }
}

/// Least and greatest.
pub(crate) fn range(values: &[f64]) -> (f64, f64) {
    let fold = |start: f64, pick: fn(f64, f64) -> f64| values.iter().copied().fold(start, pick);
    (fold(f64::INFINITY, f64::min), fold(0.0, f64::max))
}

/// A mean with the half-width of its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Estimate {
    pub(crate) mean: f64,
    pub(crate) half_width: f64,
}

impl Estimate {
    /// Of several values; of a single one the interval is not known, and empty.
    pub(crate) fn of(values: &[f64]) -> Self {
        Self {
            mean: mean(values),
            // 0: the empty interval.
            half_width: interval_95(values).unwrap_or(0.0),
        }
    }

    /// A number without an error.
    pub(crate) const fn known(mean: f64) -> Self {
        Self {
            mean,
            half_width: 0.0,
        }
    }

    /// A quotient: relative errors add up as those of independent numbers do.
    pub(crate) fn over(self, below: Self) -> Self {
        let mean = self.mean / below.mean;
        let above = self.half_width / self.mean;
        let below = below.half_width / below.mean;
        Self {
            mean,
            half_width: mean.abs() * above.hypot(below),
        }
    }

    /// How far it lies below another one, as a part of that one.
    pub(crate) fn part_below(self, other: Self) -> Self {
        let ratio = self.over(other);
        Self {
            mean: 1.0 - ratio.mean,
            ..ratio
        }
    }

    pub(crate) fn minus(self, other: Self) -> Self {
        Self {
            mean: self.mean - other.mean,
            half_width: self.half_width.hypot(other.half_width),
        }
    }

    /// The interval, if it is known.
    pub(crate) fn interval(self) -> Option<(f64, f64)> {
        let (mean, half_width) = (self.mean, self.half_width);
        (half_width > 0.0).then_some((mean - half_width, mean + half_width))
    }
}

/// Share of the variance of points that the least-squares line through them explains (R²).
pub(crate) fn determination(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let rise = slope(points);
    let all: f64 = points.iter().map(|p| (p.1 - y).powi(2)).sum();
    let rest = |p: &(f64, f64)| (p.1 - y - rise * (p.0 - x)).powi(2);
    1.0 - points.iter().map(rest).sum::<f64>() / all
}

// What the measurements found, by the id of the claim.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_a_quotient_is_that_of_its_parts_together() {
        let (above, below) = (
            Estimate {
                mean: 6.0,
                half_width: 0.3,
            },
            Estimate {
                mean: 2.0,
                half_width: 0.24,
            },
        );
        let ratio = above.over(below);
        assert!((ratio.mean - 3.0).abs() < 1e-12);
        assert!((ratio.half_width - 3.0 * 0.13).abs() < 1e-12);
        assert!((above.minus(below).half_width - 0.3_f64.hypot(0.24)).abs() < 1e-12);
        assert_eq!(Estimate::of(&[2.0]).interval(), None);
    }

    #[test]
    fn the_geometric_mean_of_powers_is_the_middle_power() {
        assert!((geometric_mean([2.0, 4.0, 8.0].into_iter()) - 4.0).abs() < 1e-12);
    }

    #[test]
    fn a_line_explains_its_own_points_and_not_the_tip_of_a_roof() {
        let line = [1.0, 2.0, 5.0].map(|x| (x, 3.0 * x - 1.0));
        assert!((determination(&line) - 1.0).abs() < 1e-12);
        let roof = [(0.0, 0.0), (1.0, 2.0), (2.0, 0.0)];
        assert!(determination(&roof).abs() < 1e-12);
    }
}
