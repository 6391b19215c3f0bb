// SPDX-License-Identifier: Apache-2.0
//! Two matrices of small integers, cut into submatrices.

use noccl_coll::gemm::{Matrix, SubmatrixShape};
use noccl_workload::ElementType;

pub const SHAPE: SubmatrixShape = SubmatrixShape {
    rows: 3,
    columns: 5,
    inner: 7,
    element: ElementType::Fp64,
};

/// Bytes of the part of the product that begins in this row and column, with so many columns of A.
pub fn product((row, column): (u64, u64), inner: u64) -> Vec<u8> {
    let sum = |r, c| -> f64 {
        let terms = (0..inner).map(|i| element(Matrix::A, r, i) * element(Matrix::B, i, c));
        terms.sum()
    };
    (row..row + u64::from(SHAPE.rows))
        .flat_map(|r| (column..column + u64::from(SHAPE.columns)).map(move |c| (r, c)))
        .flat_map(|(r, c)| sum(r, c).to_le_bytes())
        .collect()
}

/// Element (row, column) of a matrix; small integers, so that sums are exact.
pub fn element(matrix: Matrix, row: u64, column: u64) -> f64 {
    let salt = match matrix {
        Matrix::A => 3,
        Matrix::B => 11,
    };
    ((row * 31 + column * 17 + salt) % 13) as f64 - 6.0
}

/// Bytes of the submatrix of a line and iteration.
pub fn submatrix(matrix: Matrix, line: u16, iteration: u32) -> Vec<u8> {
    let (rows, columns) = match matrix {
        Matrix::A => (SHAPE.rows, SHAPE.inner),
        Matrix::B => (SHAPE.inner, SHAPE.columns),
    };
    let (from_row, from_column) = match matrix {
        Matrix::A => (u64::from(line) * u64::from(rows), iteration * columns),
        Matrix::B => (u64::from(iteration * rows), u32::from(line) * columns),
    };
    (0..u64::from(rows))
        .flat_map(|r| (0..u64::from(columns)).map(move |c| (r, c)))
        .flat_map(|(r, c)| element(matrix, from_row + r, u64::from(from_column) + c).to_le_bytes())
        .collect()
}
