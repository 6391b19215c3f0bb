// SPDX-License-Identifier: Apache-2.0
//! Reductions of rows and operations of every element with a number per row: what a softmax is made of.
//!
//! Arithmetic is FP64 for FP64 and FP32 for shorter floats; results round once to their element.

use super::float::{value_e4m3, value_e5m2};
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

// Products of small matrices in the arithmetic that the clusters have.

/// `c += a·b`; `[rows, columns, inner]`. Matrices are stored row by row, little endian. Sums are FP64 for
/// FP64 and FP32 for shorter floats, by fused multiply-add in ascending order of the inner index. Integer
/// types, which no checked schedule contains, leave `c` as it is.
pub fn multiply_into(c: &mut [u8], a: &[u8], b: &[u8], shape: [usize; 3], element: ElementType) {
    match element {
        ElementType::Fp64 => {
            let (a, b) = (read(a, f64::from_le_bytes), read(b, f64::from_le_bytes));
            let mut sums = read(c, f64::from_le_bytes);
            accumulate(&mut sums, &a, &b, shape, f64::mul_add);
            write(c, &sums, f64::to_le_bytes);
        }
        ElementType::Fp32 => single(c, a, b, shape, f32::from_le_bytes),
        ElementType::Fp16 => single(c, a, b, shape, |x| f16::from_le_bytes(x).to_f32()),
        ElementType::Bf16 => single(c, a, b, shape, |x| bf16::from_le_bytes(x).to_f32()),
        ElementType::Fp8E4m3 => single(c, a, b, shape, |x: [u8; 1]| value_e4m3(x[0]) as f32),
        ElementType::Fp8E5m2 => single(c, a, b, shape, |x: [u8; 1]| value_e5m2(x[0]) as f32),
        ElementType::Int8 | ElementType::Int16 | ElementType::Int32 | ElementType::Int64 => {}
    }
}

/// A matrix of `rows` × `columns` as its transpose, element by element.
#[must_use]
pub fn transpose(matrix: &[u8], rows: usize, columns: usize, element: ElementType) -> Vec<u8> {
    let width = element.bytes() as usize;
    (0..columns)
        .flat_map(|c| (0..rows).map(move |r| (r * columns + c) * width))
        .flat_map(|at| matrix[at..at + width].iter().copied())
        .collect()
}

fn single<const N: usize>(
    c: &mut [u8],
    a: &[u8],
    b: &[u8],
    shape: [usize; 3],
    widen: impl Fn([u8; N]) -> f32,
) {
    let (a, b) = (read(a, &widen), read(b, &widen));
    let mut sums = read(c, f32::from_le_bytes);
    accumulate(&mut sums, &a, &b, shape, f32::mul_add);
    write(c, &sums, f32::to_le_bytes);
}

fn accumulate<T: Copy>(
    c: &mut [T],
    a: &[T],
    b: &[T],
    [rows, columns, inner]: [usize; 3],
    multiply_add: impl Fn(T, T, T) -> T,
) {
    for row in 0..rows {
        let sums = &mut c[row * columns..(row + 1) * columns];
        for i in 0..inner {
            let factor = a[row * inner + i];
            let line = &b[i * columns..(i + 1) * columns];
            for (sum, value) in sums.iter_mut().zip(line) {
                *sum = multiply_add(factor, *value, *sum);
            }
        }
    }
}

pub(super) fn read<T, const N: usize>(bytes: &[u8], decode: impl Fn([u8; N]) -> T) -> Vec<T> {
    let (elements, _) = bytes.as_chunks::<N>();
    elements.iter().map(|e| decode(*e)).collect()
}

pub(super) fn write<T: Copy, const N: usize>(
    bytes: &mut [u8],
    values: &[T],
    encode: impl Fn(T) -> [u8; N],
) {
    let (elements, _) = bytes.as_chunks_mut::<N>();
    for (element, value) in elements.iter_mut().zip(values) {
        *element = encode(*value);
    }
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

    #[test]
    fn product_adds_to_what_is_there_in_every_float_type() {
        // [1 2 3; 4 5 6] · [1 0; 2 1; 0.5 2] + 1
        let a = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let b = [1.0, 0.0, 2.0, 1.0, 0.5, 2.0];
        let expected = [7.5, 9.0, 18.0, 18.0];
        let shape = [2, 2, 3];
        let bytes = |v: &[f64]| v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>();
        let mut c = bytes(&[1.0; 4]);
        multiply_into(&mut c, &bytes(&a), &bytes(&b), shape, ElementType::Fp64);
        assert_eq!(c, bytes(&expected));
        let single = |v: &[f64]| {
            v.iter()
                .flat_map(|x| (*x as f32).to_le_bytes())
                .collect::<Vec<_>>()
        };
        let halves = |v: &[f64]| {
            v.iter()
                .flat_map(|x| f16::from_f64(*x).to_le_bytes())
                .collect::<Vec<_>>()
        };
        let brains = |v: &[f64]| {
            v.iter()
                .flat_map(|x| bf16::from_f64(*x).to_le_bytes())
                .collect::<Vec<_>>()
        };
        for (element, a, b) in [
            (ElementType::Fp32, single(&a), single(&b)),
            (ElementType::Fp16, halves(&a), halves(&b)),
            (ElementType::Bf16, brains(&a), brains(&b)),
        ] {
            let mut c = single(&[1.0; 4]);
            multiply_into(&mut c, &a, &b, shape, element);
            assert_eq!(c, single(&expected), "{element:?}");
        }
    }

    #[test]
    fn products_of_short_floats_do_not_round_before_they_are_added() {
        // 448² = 200704 is no E4M3 number; 0x7e is 448.
        let mut c = 1f32.to_le_bytes();
        multiply_into(&mut c, &[0x7e], &[0x7e], [1, 1, 1], ElementType::Fp8E4m3);
        assert_eq!(f32::from_le_bytes(c), 200_705.0);
    }
}
