// SPDX-License-Identifier: Apache-2.0
//! Arithmetic in software, with all rounding modes and flags.
//!
//! The results are LLVM's (`rustc_apfloat`). Three things are RISC-V's own: results that are NaN are canonical, a
//! multiplication of infinity by zero is invalid even if a quiet NaN is added, and a result is tiny if it is so *after*
//! rounding as if the exponent had no lower end (the manual, 11.2).

use super::format::Format;
use super::{DIVIDE_BY_ZERO, INEXACT, INVALID, OVERFLOW, Rounding, UNDERFLOW};
use crate::instruction::IntegerType;
use rustc_apfloat::ieee::X87DoubleExtended as Wide;
use rustc_apfloat::{Float, FloatConvert, Round, Status, StatusAnd};

/// An operation with its operands.
#[derive(Debug, Clone, Copy)]
pub(super) enum Operands {
    Add(u64, u64),
    Multiply(u64, u64),
    Divide(u64, u64),
    /// Product of the first two and the third.
    Fused(u64, u64, u64),
    /// The value of a wider format.
    Narrow(f64),
}

impl Rounding {
    /// The same for the software.
    pub(super) const fn soft(self) -> Round {
        match self {
            Self::NearestEven => Round::NearestTiesToEven,
            Self::TowardZero => Round::TowardZero,
            Self::Down => Round::TowardNegative,
            Self::Up => Round::TowardPositive,
            Self::NearestAway => Round::NearestTiesToAway,
        }
    }
}

/// The result's bits.
#[cold]
#[inline(never)]
pub(super) fn compute<F: Format>(operands: Operands, rounding: Rounding, flags: &mut u8) -> u64 {
    if let Some(nan) = nan_operand::<F>(operands, flags) {
        return nan;
    }
    let round = rounding.soft();
    let result = match operands {
        Operands::Narrow(value) => F::from_wide(wide(value), round),
        Operands::Add(..) | Operands::Multiply(..) | Operands::Divide(..) | Operands::Fused(..) => {
            apply::<F::Soft>(operands, |bits| F::Soft::from_bits(u128::from(bits)), round)
        }
    };
    let bits = result.value.to_bits() as u64;
    raise(result.status, flags);
    if result.status.contains(Status::INEXACT) {
        if is_tiny::<F>(operands, bits, rounding) {
            *flags |= UNDERFLOW;
        }
        if is_huge::<F>(operands, bits) {
            *flags |= OVERFLOW;
        }
    }
    if F::is_nan(bits) {
        F::CANONICAL_NAN
    } else {
        bits
    }
}

/// The result if an operand is no number.
fn nan_operand<F: Format>(operands: Operands, flags: &mut u8) -> Option<u64> {
    let (a, b, c) = match operands {
        Operands::Add(a, b) | Operands::Multiply(a, b) | Operands::Divide(a, b) => (a, b, None),
        Operands::Fused(a, b, c) => (a, b, Some(c)),
        Operands::Narrow(value) => return narrowed_nan::<F>(value, flags),
    };
    // 0: an operand that is not there, like any number, is no NaN.
    let all = [a, b, c.unwrap_or(0)];
    if !all.iter().any(|bits| F::is_nan(*bits)) {
        return None;
    }
    let is_infinite = |bits: u64| bits & !F::SIGN == F::INFINITY;
    let is_undefined_product =
        (is_infinite(a) && F::is_zero(b)) || (is_infinite(b) && F::is_zero(a));
    if all.iter().any(|bits| F::is_signalling(*bits)) || (c.is_some() && is_undefined_product) {
        *flags |= INVALID;
    }
    Some(F::CANONICAL_NAN)
}

fn narrowed_nan<F: Format>(value: f64, flags: &mut u8) -> Option<u64> {
    if !value.is_nan() {
        return None;
    }
    if super::Double::is_signalling(value.to_bits()) {
        *flags |= INVALID;
    }
    Some(F::CANONICAL_NAN)
}

fn wide(value: f64) -> Wide {
    let mut loses = false;
    let double = rustc_apfloat::ieee::Double::from_bits(u128::from(value.to_bits()));
    double.convert_r(Round::TowardZero, &mut loses).value
}

fn apply<T: Float>(operands: Operands, value: impl Fn(u64) -> T, round: Round) -> StatusAnd<T> {
    match operands {
        Operands::Add(a, b) => value(a).add_r(value(b), round),
        Operands::Multiply(a, b) => value(a).mul_r(value(b), round),
        Operands::Divide(a, b) => value(a).div_r(value(b), round),
        Operands::Fused(a, b, c) => value(a).mul_add_r(value(b), value(c), round),
        Operands::Narrow(wide) => Status::OK.and(value(wide.to_bits())),
    }
}

fn raise(status: Status, flags: &mut u8) {
    let pairs = [
        (Status::INEXACT, INEXACT),
        (Status::OVERFLOW, OVERFLOW),
        (Status::DIV_BY_ZERO, DIVIDE_BY_ZERO),
        (Status::INVALID_OP, INVALID),
    ];
    for (found, flag) in pairs {
        if status.contains(found) {
            *flags |= flag;
        }
    }
}

/// Whether an inexact result would be below the normal numbers if the exponent had no lower end.
fn is_tiny<F: Format>(operands: Operands, bits: u64, rounding: Rounding) -> bool {
    let smallest_normal = 1 << F::FRACTION_BITS;
    let magnitude = bits & !F::SIGN;
    if magnitude != smallest_normal {
        return magnitude < smallest_normal;
    }
    // Rounded to the smallest normal number. From below, with more bits, it may have become the number before it.
    // With 64 bits, cut off there, it lies on the same side of any bound with few bits.
    let StatusAnd { value, status } = cut_magnitude::<F>(operands);
    let below = |quarters: i32| smallest_less::<F>(quarters);
    match rounding {
        // A tie goes to the smallest normal number, which is even.
        Rounding::NearestEven | Rounding::NearestAway => value < below(1),
        Rounding::TowardZero => false,
        Rounding::Down | Rounding::Up => {
            value < below(2) || (value == below(2) && !status.contains(Status::INEXACT))
        }
    }
}

/// Whether an inexact result that was rounded to the largest number would be above it if the exponent had no upper end.
/// LLVM raises the flag only where the result is infinite.
fn is_huge<F: Format>(operands: Operands, bits: u64) -> bool {
    if bits & !F::SIGN != F::INFINITY - 1 {
        return false;
    }
    let limit = Wide::from_u128(1).value.scalbn(1 << (F::EXPONENT_BITS - 1));
    cut_magnitude::<F>(operands).value >= limit
}

/// The exact result without its sign, cut off after 64 bits.
fn cut_magnitude<F: Format>(operands: Operands) -> StatusAnd<Wide> {
    let cut = match operands {
        Operands::Narrow(value) => Status::OK.and(wide(value)),
        Operands::Add(..) | Operands::Multiply(..) | Operands::Divide(..) | Operands::Fused(..) => {
            apply::<Wide>(operands, |bits| wide(F::to_f64(bits)), Round::TowardZero)
        }
    };
    let is_negative = cut.value.is_negative();
    cut.map(|value| if is_negative { -value } else { value })
}

/// The smallest normal number less some quarters of the distance between numbers there.
fn smallest_less<F: Format>(quarters: i32) -> Wide {
    let exponent = 2 - (1 << (F::EXPONENT_BITS - 1));
    let one = Wide::from_u128(1).value;
    let quarter = Wide::from_u128(quarters.unsigned_abs().into()).value;
    let distance = quarter.scalbn(exponent - F::FRACTION_BITS.cast_signed() - 2);
    (one.scalbn(exponent) - distance).value
}

// Between formats, and between numbers and integers.

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
    compute::<F>(Operands::Narrow(value), rounding, flags)
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
