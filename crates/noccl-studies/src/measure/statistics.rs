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

/// Least and greatest.
pub(crate) fn range(values: &[f64]) -> (f64, f64) {
    let fold = |start: f64, pick: fn(f64, f64) -> f64| values.iter().copied().fold(start, pick);
    (fold(f64::INFINITY, f64::min), fold(0.0, f64::max))
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
