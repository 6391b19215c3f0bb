// SPDX-License-Identifier: Apache-2.0
//! Reduction of byte buffers. The type and operator are looked at once per call, not per element.

use super::float::{Bf16, Float, Fp16, Fp32, Fp64, maximum, minimum};
use super::float8::{E4M3_SUMS, E5M2_SUMS, Fp8E4m3, Fp8E5m2, SumTable};
use super::{ElementType, Operator};

/// `accumulator[i] = accumulator[i] op operand[i]` element by element, little endian.
///
/// Lengths are equal and a multiple of the element; what exceeds either is left as it is. `And` and
/// `Or` on a float type, which no checked schedule contains, fold the bits.
pub fn fold_into(accumulator: &mut [u8], operand: &[u8], operator: Operator, element: ElementType) {
    match operator {
        Operator::And | Operator::Or => fold_bits(accumulator, operand, operator),
        Operator::Sum => fold_sum(accumulator, operand, element),
        Operator::Min => fold_min(accumulator, operand, element),
        Operator::Max => fold_max(accumulator, operand, element),
    }
}

fn fold_bits(accumulator: &mut [u8], operand: &[u8], operator: Operator) {
    if matches!(operator, Operator::And) {
        each(accumulator, operand, |a: [u8; 1], b| [a[0] & b[0]]);
    } else {
        each(accumulator, operand, |a: [u8; 1], b| [a[0] | b[0]]);
    }
}

/// Applies `f` to elements of `N` bytes.
#[inline]
fn each<const N: usize>(
    accumulator: &mut [u8],
    operand: &[u8],
    f: impl Fn([u8; N], [u8; N]) -> [u8; N],
) {
    let (accumulator, _) = accumulator.as_chunks_mut::<N>();
    let (operand, _) = operand.as_chunks::<N>();
    for (a, b) in accumulator.iter_mut().zip(operand) {
        *a = f(*a, *b);
    }
}

macro_rules! each_as {
    ($accumulator:expr, $operand:expr, $number:ty, $f:expr) => {
        each($accumulator, $operand, |a, b| {
            let f = $f;
            f(<$number>::from_le_bytes(a), <$number>::from_le_bytes(b)).to_le_bytes()
        })
    };
}

fn fold_sum(acc: &mut [u8], operand: &[u8], element: ElementType) {
    match element {
        ElementType::Fp64 => each_as!(acc, operand, u64, Fp64::sum),
        ElementType::Fp32 => each_as!(acc, operand, u32, Fp32::sum),
        ElementType::Fp16 => each_as!(acc, operand, u16, Fp16::sum),
        ElementType::Bf16 => each_as!(acc, operand, u16, Bf16::sum),
        ElementType::Fp8E4m3 => look_up(acc, operand, &E4M3_SUMS),
        ElementType::Fp8E5m2 => look_up(acc, operand, &E5M2_SUMS),
        ElementType::Int8 => each_as!(acc, operand, u8, u8::wrapping_add),
        ElementType::Int16 => each_as!(acc, operand, u16, u16::wrapping_add),
        ElementType::Int32 => each_as!(acc, operand, u32, u32::wrapping_add),
        ElementType::Int64 => each_as!(acc, operand, u64, u64::wrapping_add),
    }
}

fn fold_min(acc: &mut [u8], operand: &[u8], element: ElementType) {
    match element {
        ElementType::Fp64 => each_as!(acc, operand, u64, minimum::<Fp64>),
        ElementType::Fp32 => each_as!(acc, operand, u32, minimum::<Fp32>),
        ElementType::Fp16 => each_as!(acc, operand, u16, minimum::<Fp16>),
        ElementType::Bf16 => each_as!(acc, operand, u16, minimum::<Bf16>),
        ElementType::Fp8E4m3 => each_as!(acc, operand, u8, minimum::<Fp8E4m3>),
        ElementType::Fp8E5m2 => each_as!(acc, operand, u8, minimum::<Fp8E5m2>),
        ElementType::Int8 => each_as!(acc, operand, i8, i8::min),
        ElementType::Int16 => each_as!(acc, operand, i16, i16::min),
        ElementType::Int32 => each_as!(acc, operand, i32, i32::min),
        ElementType::Int64 => each_as!(acc, operand, i64, i64::min),
    }
}

fn fold_max(acc: &mut [u8], operand: &[u8], element: ElementType) {
    match element {
        ElementType::Fp64 => each_as!(acc, operand, u64, maximum::<Fp64>),
        ElementType::Fp32 => each_as!(acc, operand, u32, maximum::<Fp32>),
        ElementType::Fp16 => each_as!(acc, operand, u16, maximum::<Fp16>),
        ElementType::Bf16 => each_as!(acc, operand, u16, maximum::<Bf16>),
        ElementType::Fp8E4m3 => each_as!(acc, operand, u8, maximum::<Fp8E4m3>),
        ElementType::Fp8E5m2 => each_as!(acc, operand, u8, maximum::<Fp8E5m2>),
        ElementType::Int8 => each_as!(acc, operand, i8, i8::max),
        ElementType::Int16 => each_as!(acc, operand, i16, i16::max),
        ElementType::Int32 => each_as!(acc, operand, i32, i32::max),
        ElementType::Int64 => each_as!(acc, operand, i64, i64::max),
    }
}

fn look_up(accumulator: &mut [u8], operand: &[u8], sums: &SumTable) {
    each(accumulator, operand, |a: [u8; 1], b| {
        [sums[usize::from(a[0]) << 8 | usize::from(b[0])]]
    });
}
