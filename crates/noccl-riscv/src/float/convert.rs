// SPDX-License-Identifier: Apache-2.0
//! Between formats, and between numbers and integers.

use super::format::Format;
use super::soft::{self, Operands};
use super::{INEXACT, INVALID, Rounding};
use crate::instruction::IntegerType;
use rustc_apfloat::{Float, Status};

/// A value of format `O` in format `F`.
pub(super) fn between<O: Format, F: Format>(a: u64, rounding: Rounding, flags: &mut u8) -> u64 {
    if O::is_nan(a) {
        if O::is_signalling(a) {
            *flags |= INVALID;
        }
        return F::CANONICAL_NAN;
    }
    let value = O::to_f64(a);
    let nearest = F::from_f64(value);
    // Compared as bits: a zero keeps its sign.
    if F::to_f64(nearest).to_bits() == value.to_bits() {
        return nearest;
    }
    soft::compute::<F>(Operands::Narrow(value), rounding, flags)
}

/// What an integer register holds, as an integer of some type.
pub(super) fn integer(kind: IntegerType, register: u64) -> i128 {
    match kind {
        IntegerType::Word => i128::from(register as i32),
        IntegerType::WordUnsigned => i128::from(register as u32),
        IntegerType::Long => i128::from(register.cast_signed()),
        IntegerType::LongUnsigned => i128::from(register),
    }
}

/// The number of an integer.
pub(super) fn from_integer<F: Format>(value: i128, rounding: Rounding, flags: &mut u8) -> u64 {
    if value.unsigned_abs() <= 1 << (F::FRACTION_BITS + 1) {
        return F::from_f64(value as f64);
    }
    let result = F::Soft::from_i128_r(value, rounding.soft());
    if result.status.contains(Status::INEXACT) {
        *flags |= INEXACT;
    }
    result.value.to_bits() as u64
}

/// The integer of a number, as the register that holds it. What has none becomes the nearest end of the range, a NaN
/// the upper one; both are invalid.
pub(super) fn to_integer(kind: IntegerType, value: f64, rounding: Rounding, flags: &mut u8) -> u64 {
    // Integers near the ends of the range of 64 bits are exact here, since f64 has none between.
    let whole = match rounding {
        Rounding::NearestEven => value.round_ties_even(),
        Rounding::TowardZero => value.trunc(),
        Rounding::Down => value.floor(),
        Rounding::Up => value.ceil(),
        Rounding::NearestAway => value.round(),
    };
    let (lowest, limit) = match kind {
        IntegerType::Word => (-2_147_483_648.0, 2_147_483_648.0),
        IntegerType::WordUnsigned => (0.0, 4_294_967_296.0),
        IntegerType::Long => (-9_223_372_036_854_775_808.0, 9_223_372_036_854_775_808.0),
        IntegerType::LongUnsigned => (0.0, 18_446_744_073_709_551_616.0),
    };
    if !(lowest..limit).contains(&whole) {
        *flags |= INVALID;
    } else if whole != value {
        *flags |= INEXACT;
    }
    // Rust's conversion ends at the ends of the range; a NaN is left.
    let wide = |word: i32| i64::from(word).cast_unsigned();
    match kind {
        IntegerType::Word if value.is_nan() => wide(i32::MAX),
        IntegerType::Word => wide(whole as i32),
        IntegerType::WordUnsigned if value.is_nan() => u64::MAX,
        IntegerType::WordUnsigned => wide((whole as u32).cast_signed()),
        IntegerType::Long if value.is_nan() => i64::MAX.cast_unsigned(),
        IntegerType::Long => (whole as i64).cast_unsigned(),
        IntegerType::LongUnsigned if value.is_nan() => u64::MAX,
        IntegerType::LongUnsigned => whole as u64,
    }
}
