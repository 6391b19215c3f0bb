// SPDX-License-Identifier: Apache-2.0
//! Means, ranges and lines through points.

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

/// Mean of one value or more.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Least and greatest.
pub(crate) fn range(values: &[f64]) -> (f64, f64) {
    let fold = |start: f64, pick: fn(f64, f64) -> f64| values.iter().copied().fold(start, pick);
    (fold(f64::INFINITY, f64::min), fold(0.0, f64::max))
}

/// Half-width of the 95 % interval of the mean (Student's t); none of a single value.
pub(crate) fn interval_95(values: &[f64]) -> Option<f64> {
    /// 97.5 % quantiles by degrees of freedom, from 1 on.
    const QUANTILES: [f64; 30] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
        2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
        2.052, 2.048, 2.045, 2.042,
    ];
    if values.len() < 2 {
        return None;
    }
    let count = values.len() as f64;
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let freedom = count - 1.0;
    // Beyond the table: Cornish and Fisher's first two terms.
    let normal = 1.959_964_f64;
    let first = (normal.powi(3) + normal) / (4.0 * freedom);
    let second = 5.0 * normal.powi(5) + 16.0 * normal.powi(3) + 3.0 * normal;
    let beyond = normal + first + second / (96.0 * freedom * freedom);
    let quantile = QUANTILES.get(values.len() - 2).copied().unwrap_or(beyond);
    Some(quantile * (squares / freedom / count).sqrt())
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

/// Slope of the least-squares line through points.
pub(crate) fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let both: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    let squares: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
    both / squares
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_of_points_on_a_line_is_the_lines() {
        let points = [2.0, 4.0, 8.0, 16.0].map(|x| (x, 3.0 * x + 7.0));
        assert!((slope(&points) - 3.0).abs() < 1e-12);
    }

    #[test]
    fn an_interval_of_four_values_is_that_of_the_textbook_and_one_value_has_none() {
        let found = interval_95(&[1.0, 2.0, 3.0, 4.0]).unwrap();
        assert!((found - 3.182 * (5.0_f64 / 3.0 / 4.0).sqrt()).abs() < 1e-9);
        assert_eq!(interval_95(&[1.0]), None);
        let many: Vec<f64> = (0..32).map(f64::from).collect();
        let deviation = (32.0 * 33.0 / 12.0_f64).sqrt();
        let found = interval_95(&many).unwrap();
        assert!((found / (deviation / 32.0_f64.sqrt()) - 2.0395).abs() < 0.002);
    }

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
