// SPDX-License-Identifier: Apache-2.0
//! Is a sum right, whatever the order of its additions?
//!
//! Integers: equal to the wrapped sum. Floats: for n summands rounded to nearest in any order,
//! |result - exact| ≤ (n - 1) · u · Σ|x|, with u the unit roundoff. There is no underflow
//! term: an addition whose result is subnormal is exact. The exact sum is kept as a list of
//! non-overlapping f64 (Shewchuk's expansion), so the check itself does not round away an error.

use super::float::{value_e4m3, value_e5m2};
use super::{ElementType, Operator, fold_into};
use half::{bf16, f16};
use thiserror::Error;

/// A sum that no order of additions explains.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SumError {
    /// The buffers differ in length.
    #[error("contribution {contribution} has {found} bytes, the result has {expected}")]
    Length {
        /// Index of the contribution.
        contribution: usize,
        /// Its length.
        found: usize,
        /// Length of the result.
        expected: usize,
    },
    /// A contribution, the result or the sum of magnitudes is NaN or infinite, so there is no bound.
    #[error("element {index}: a value is not finite, so no error bound applies")]
    NotFinite {
        /// Index of the element.
        index: usize,
    },
    /// The result is too far from the exact sum.
    #[error(
        "element {index}: {found} differs from the exact sum by {error}, more than the bound {bound}"
    )]
    OutOfBound {
        /// Index of the element.
        index: usize,
        /// Value found.
        found: f64,
        /// Distance from the exact sum.
        error: f64,
        /// Largest distance that rounding explains.
        bound: f64,
    },
    /// An integer sum is wrong.
    #[error("byte {index} of the integer sum is wrong")]
    Integer {
        /// Index of the byte.
        index: usize,
    },
}

/// Checks `result` against the sum of `contributions`; returns the largest error as a fraction of its bound.
///
/// # Errors
/// [`SumError`] naming the first wrong element.
pub fn check_sum(
    contributions: &[&[u8]],
    result: &[u8],
    element: ElementType,
) -> Result<f64, SumError> {
    for (contribution, bytes) in contributions.iter().enumerate() {
        if bytes.len() != result.len() {
            return Err(SumError::Length {
                contribution,
                found: bytes.len(),
                expected: result.len(),
            });
        }
    }
    let Some((roundoff, value)) = float_format(element) else {
        return check_integers(contributions, result, element);
    };
    let width = element.bytes() as usize;
    let mut worst: f64 = 0.0;
    for index in 0..result.len() / width {
        let at = index * width..(index + 1) * width;
        let summands = contributions.iter().map(|c| value(bits(&c[at.clone()])));
        worst = worst.max(check_element(
            summands,
            value(bits(&result[at.clone()])),
            roundoff,
            index,
        )?);
    }
    Ok(worst)
}

fn check_integers(
    contributions: &[&[u8]],
    result: &[u8],
    element: ElementType,
) -> Result<f64, SumError> {
    let mut sum = vec![0; result.len()];
    for bytes in contributions {
        fold_into(&mut sum, bytes, Operator::Sum, element);
    }
    match sum.iter().zip(result).position(|(a, b)| a != b) {
        Some(index) => Err(SumError::Integer { index }),
        None => Ok(0.0),
    }
}

fn check_element(
    summands: impl Iterator<Item = f64>,
    found: f64,
    roundoff: f64,
    index: usize,
) -> Result<f64, SumError> {
    let mut difference = vec![-found];
    let mut magnitude = 0.0;
    let mut count = 0.0;
    for x in summands {
        grow(&mut difference, x);
        magnitude += x.abs();
        count += 1.0;
    }
    // Smallest parts first: the parts do not overlap, so this sum is right to one part in 2^52.
    let error = difference.iter().sum::<f64>().abs();
    // The magnitude is rounded too; the allowance covers that and nothing that matters.
    let bound = (count - 1.0) * roundoff * magnitude * (1.0 + count * f64::EPSILON);
    if !(error.is_finite() && bound.is_finite()) {
        return Err(SumError::NotFinite { index });
    }
    if error > bound {
        return Err(SumError::OutOfBound {
            index,
            found,
            error,
            bound,
        });
    }
    Ok(if bound > 0.0 { error / bound } else { 0.0 })
}

/// Adds `x` to an expansion (parts of ascending magnitude, non-overlapping) without error.
fn grow(expansion: &mut Vec<f64>, x: f64) {
    let mut carry = x;
    expansion.retain_mut(|part| {
        let (sum, rest) = two_sum(carry, *part);
        carry = sum;
        *part = rest;
        rest != 0.0
    });
    expansion.push(carry);
}

/// Sum and its rounding error.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// Unit roundoff (half the distance from 1 to the next number) and exact value of a bit pattern.
type FloatFormat = (f64, fn(u64) -> f64);

/// `None` for integers, which do not round.
fn float_format(element: ElementType) -> Option<FloatFormat> {
    let (precision, value): (i32, fn(u64) -> f64) = match element {
        ElementType::Fp64 => (53, f64::from_bits),
        ElementType::Fp32 => (24, |bits| f64::from(f32::from_bits(bits as u32))),
        ElementType::Fp16 => (11, |bits| f16::from_bits(bits as u16).to_f64()),
        ElementType::Bf16 => (8, |bits| bf16::from_bits(bits as u16).to_f64()),
        ElementType::Fp8E4m3 => (4, |bits| value_e4m3(bits as u8)),
        ElementType::Fp8E5m2 => (3, |bits| value_e5m2(bits as u8)),
        ElementType::Int8 | ElementType::Int16 | ElementType::Int32 | ElementType::Int64 => {
            return None;
        }
    };
    Some((2f64.powi(-precision), value))
}

/// Up to eight bytes, little endian.
fn bits(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |word, byte| word << 8 | u64::from(*byte))
}
