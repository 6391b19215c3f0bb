// SPDX-License-Identifier: Apache-2.0
//! Least squares for a handful of unknowns.

/// Smallest pivot, relative to the largest entry, that still tells unknowns apart.
const SMALLEST_PIVOT: f64 = 1e-9;

/// The x that minimises the sum of (row · x − value)², by the normal equations; the index of the first
/// unknown that the rows do not determine otherwise.
///
/// Exact where a solution without residual exists, up to rounding.
pub(crate) fn solve(rows: &[(Vec<f64>, f64)], unknowns: usize) -> Result<Vec<f64>, usize> {
    // Columns are scaled to length one, so that beats and constants weigh alike.
    let length = |i: usize| {
        rows.iter()
            .map(|(row, _)| row[i] * row[i])
            .sum::<f64>()
            .sqrt()
    };
    let scales: Vec<f64> = (0..unknowns).map(length).collect();
    if let Some(missing) = scales.iter().position(|s| *s == 0.0) {
        return Err(missing);
    }
    let mut matrix = vec![vec![0.0; unknowns + 1]; unknowns];
    for (row, value) in rows {
        for i in 0..unknowns {
            let weight = row[i] / scales[i];
            for j in 0..unknowns {
                matrix[i][j] += weight * row[j] / scales[j];
            }
            matrix[i][unknowns] += weight * value;
        }
    }
    eliminate(&mut matrix)?;
    Ok((0..unknowns)
        .map(|i| matrix[i][unknowns] / matrix[i][i] / scales[i])
        .collect())
}

/// Gauss and Jordan with pivots from the rows below.
fn eliminate(matrix: &mut [Vec<f64>]) -> Result<(), usize> {
    let unknowns = matrix.len();
    for column in 0..unknowns {
        let pivot = (column..unknowns)
            .max_by(|a, b| {
                matrix[*a][column]
                    .abs()
                    .total_cmp(&matrix[*b][column].abs())
            })
            .unwrap_or(column);
        if matrix[pivot][column].abs() < SMALLEST_PIVOT {
            return Err(column);
        }
        matrix.swap(column, pivot);
        let source = matrix[column].clone();
        for (i, row) in matrix.iter_mut().enumerate() {
            if i == column {
                continue;
            }
            let factor = row[column] / source[column];
            for (cell, above) in row.iter_mut().zip(&source).skip(column) {
                *cell -= factor * above;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_on_a_line_give_the_line_back() {
        let rows: Vec<(Vec<f64>, f64)> = [1.0, 2.0, 64.0, 512.0]
            .iter()
            .map(|n| (vec![1.0, *n], 10.0 + 1.16 * n))
            .collect();
        let line = solve(&rows, 2).unwrap();
        assert!((line[0] - 10.0).abs() < 1e-9 && (line[1] - 1.16).abs() < 1e-9);
    }

    #[test]
    fn scattered_points_give_the_line_of_least_squares() {
        // Mean of x 1, of y 2; covariance 1, variance 2/3.
        let rows = [(0.0, 1.0), (1.0, 1.0), (2.0, 4.0)].map(|(x, y)| (vec![1.0, x], y));
        let line = solve(&rows, 2).unwrap();
        assert!((line[0] - 0.5).abs() < 1e-9 && (line[1] - 1.5).abs() < 1e-9);
    }

    #[test]
    fn unknowns_that_no_row_tells_apart_are_named() {
        assert_eq!(solve(&[(vec![1.0, 0.0], 3.0)], 2), Err(1));
        let same = [(vec![1.0, 1.0], 3.0), (vec![2.0, 2.0], 6.0)];
        assert_eq!(solve(&same, 2), Err(1));
    }
}
