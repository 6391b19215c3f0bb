// SPDX-License-Identifier: Apache-2.0
//! Means, their intervals, and lines through points.

/// Mean of one value or more.
#[must_use]
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Half-width of the 95 % interval of the mean (Student's t); none of a single value.
#[must_use]
pub fn interval_95(values: &[f64]) -> Option<f64> {
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

/// Slope of the least-squares line through points.
#[must_use]
pub fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let both: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    let squares: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
    both / squares
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
}
