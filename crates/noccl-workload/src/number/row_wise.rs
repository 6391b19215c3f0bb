// SPDX-License-Identifier: Apache-2.0
//! Reductions of rows and operations of every element with a number per row: what a softmax is made of.
//!
//! Arithmetic is FP64 for FP64 and FP32 for shorter floats; results round once to their element.

use super::product::{read, write};
use super::{ElementType, Operator};
use half::{bf16, f16};

/// What [`row_wise`] does with an element x and its row's number r.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowOperation {
    /// exp(x - r).
    Exponential,
    /// x / r.
    Divide,
}

/// Maximum or sum of every row, from the left; results are FP64 or FP32. Other operators take the maximum.
#[must_use]
pub fn fold_rows(
    source: &[u8],
    columns: usize,
    operator: Operator,
    element: ElementType,
) -> Vec<u8> {
    let columns = columns.max(1);
    let is_sum = operator == Operator::Sum;
    let wide = |values: Vec<f64>| {
        let fold = if is_sum {
            |a: f64, b: f64| a + b
        } else {
            f64::max
        };
        values
            .chunks(columns)
            .filter_map(|row| row.iter().copied().reduce(fold))
            .flat_map(f64::to_le_bytes)
            .collect()
    };
    let single = |values: Vec<f32>| {
        let fold = if is_sum {
            |a: f32, b: f32| a + b
        } else {
            f32::max
        };
        values
            .chunks(columns)
            .filter_map(|row| row.iter().copied().reduce(fold))
            .flat_map(f32::to_le_bytes)
            .collect()
    };
    match element {
        ElementType::Fp64 => wide(read(source, f64::from_le_bytes)),
        ElementType::Fp32 => single(read(source, f32::from_le_bytes)),
        ElementType::Fp16 => single(read(source, |x| f16::from_le_bytes(x).to_f32())),
        ElementType::Bf16 => single(read(source, |x| bf16::from_le_bytes(x).to_f32())),
        ElementType::Fp8E4m3
        | ElementType::Fp8E5m2
        | ElementType::Int8
        | ElementType::Int16
        | ElementType::Int32
        | ElementType::Int64 => Vec::new(),
    }
}

/// The operation on every element of a matrix whose rows have a number each.
#[must_use]
pub fn row_wise(
    source: &[u8],
    row: &[u8],
    columns: usize,
    operation: RowOperation,
    element: ElementType,
) -> Vec<u8> {
    let columns = columns.max(1);
    if element == ElementType::Fp64 {
        let rows = read(row, f64::from_le_bytes);
        let mut values = read(source, f64::from_le_bytes);
        for (values, r) in values.chunks_mut(columns).zip(rows) {
            values.iter_mut().for_each(|x| {
                *x = match operation {
                    RowOperation::Exponential => (*x - r).exp(),
                    RowOperation::Divide => *x / r,
                }
            });
        }
        return encoded(&values, f64::to_le_bytes);
    }
    let rows = read(row, f32::from_le_bytes);
    let mut values = read(source, f32::from_le_bytes);
    for (values, r) in values.chunks_mut(columns).zip(rows) {
        values.iter_mut().for_each(|x| {
            *x = match operation {
                RowOperation::Exponential => (*x - r).exp(),
                RowOperation::Divide => *x / r,
            }
        });
    }
    match element {
        ElementType::Fp32 => encoded(&values, f32::to_le_bytes),
        ElementType::Fp16 => encoded(&values, |x| f16::from_f32(x).to_le_bytes()),
        ElementType::Bf16 => encoded(&values, |x| bf16::from_f32(x).to_le_bytes()),
        ElementType::Fp64
        | ElementType::Fp8E4m3
        | ElementType::Fp8E5m2
        | ElementType::Int8
        | ElementType::Int16
        | ElementType::Int32
        | ElementType::Int64 => Vec::new(),
    }
}

fn encoded<T: Copy, const N: usize>(values: &[T], encode: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    let mut bytes = vec![0; values.len() * N];
    write(&mut bytes, values, encode);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn singles(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    #[test]
    fn rows_are_reduced_apart_and_in_the_element_of_sums() {
        let halves: Vec<u8> = [1.5, -2.0, 3.0, 60_000.0, 60_000.0, 1.0]
            .iter()
            .flat_map(|v| f16::from_f32(*v).to_le_bytes())
            .collect();
        let fold = |operator| fold_rows(&halves, 3, operator, ElementType::Fp16);
        assert_eq!(fold(Operator::Max), singles(&[3.0, 60_000.0]));
        // 120001 is no FP16 number; 60000 is one.
        assert_eq!(fold(Operator::Sum), singles(&[2.5, 120_001.0]));
    }

    #[test]
    fn every_element_meets_its_own_rows_number_and_rounds_once() {
        let source = singles(&[1.0, 2.0, 3.0, 4.0]);
        let rows = singles(&[1.0, 4.0]);
        let divided = row_wise(&source, &rows, 2, RowOperation::Divide, ElementType::Fp32);
        assert_eq!(divided, singles(&[1.0, 2.0, 0.75, 1.0]));
        let powers = row_wise(
            &source,
            &rows,
            2,
            RowOperation::Exponential,
            ElementType::Bf16,
        );
        let expected: Vec<u8> = [0.0f32, 1.0, -1.0, 0.0]
            .iter()
            .flat_map(|x| bf16::from_f32(x.exp()).to_le_bytes())
            .collect();
        assert_eq!(powers, expected);
    }
}
