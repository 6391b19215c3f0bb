// SPDX-License-Identifier: Apache-2.0
//! Products of small matrices in the arithmetic that the clusters have.

use super::ElementType;
use super::float8::{value_e4m3, value_e5m2};
use half::{bf16, f16};

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
