// SPDX-License-Identifier: Apache-2.0
//! Addition, multiplication, division and fused multiplication: native where that is right, else in software.
//!
//! Native arithmetic rounds to nearest even and tells no flags. It is right if the result is a normal number above the
//! smallest (or, of a sum, any finite one), and if no flag would change: the inexact one is raised already, or the
//! result is shown to be exact.

use super::format::Format;
use super::soft::Operands;
use super::{INEXACT, INVALID, Rounding, soft};
use rustc_apfloat::{Float, Status};

/// Whether only the inexact flag can be raised with this result of a native operation.
#[inline(always)]
fn is_ordinary<F: Format>(result: u64) -> bool {
    // Fields 0 (subnormal) and 1 (the smallest normal number may be rounded up to) are left to software.
    F::exponent(result).wrapping_sub(2) < F::EXPONENT_LIMIT - 2
}

/// a + b.
#[inline(always)]
pub(super) fn add<F: Format>(a: u64, b: u64, rounding: Rounding, flags: &mut u8) -> u64 {
    if rounding == Rounding::NearestEven {
        let sum = F::add(a, b);
        // A sum below the normal numbers is exact.
        let is_finite = F::exponent(sum) != F::EXPONENT_LIMIT;
        if is_finite && (*flags & INEXACT != 0 || F::is_exact_sum(a, b, sum)) {
            return sum;
        }
    }
    soft::compute::<F>(Operands::Add(a, b), rounding, flags)
}

/// a − b.
#[inline(always)]
pub(super) fn subtract<F: Format>(a: u64, b: u64, rounding: Rounding, flags: &mut u8) -> u64 {
    // The sign of a NaN does not matter, so this is a sum in all cases.
    add::<F>(a, b ^ F::SIGN, rounding, flags)
}

/// a × b.
#[inline(always)]
pub(super) fn multiply<F: Format>(a: u64, b: u64, rounding: Rounding, flags: &mut u8) -> u64 {
    if rounding == Rounding::NearestEven {
        let product = F::multiply(a, b);
        let is_exact = || F::significant_bits(a) + F::significant_bits(b) <= F::FRACTION_BITS + 1;
        if is_ordinary::<F>(product) && (*flags & INEXACT != 0 || is_exact()) {
            return product;
        }
        if F::is_zero(product) && (F::is_zero(a) || F::is_zero(b)) {
            return product;
        }
    }
    soft::compute::<F>(Operands::Multiply(a, b), rounding, flags)
}

/// a ÷ b.
#[inline(always)]
pub(super) fn divide<F: Format>(a: u64, b: u64, rounding: Rounding, flags: &mut u8) -> u64 {
    if rounding == Rounding::NearestEven {
        let quotient = F::divide(a, b);
        let is_exact = || {
            let bits = F::significant_bits(quotient) + F::significant_bits(b);
            bits <= F::FRACTION_BITS + 1 && F::multiply(quotient, b) == a
        };
        if is_ordinary::<F>(quotient) && (*flags & INEXACT != 0 || is_exact()) {
            return quotient;
        }
    }
    soft::compute::<F>(Operands::Divide(a, b), rounding, flags)
}

/// a × b + c, rounded once.
#[inline(always)]
pub(super) fn fused<F: Format>(a: u64, b: u64, c: u64, rounding: Rounding, flags: &mut u8) -> u64 {
    if rounding == Rounding::NearestEven && *flags & INEXACT != 0 {
        let result = F::fused(a, b, c);
        if is_ordinary::<F>(result) {
            return result;
        }
    }
    soft::compute::<F>(Operands::Fused(a, b, c), rounding, flags)
}

// Square roots in all rounding modes, from integers, which `rustc_apfloat` does not have.

/// The root, rounded.
pub(super) fn square_root<F: Format>(a: u64, rounding: Rounding, flags: &mut u8) -> u64 {
    if F::is_nan(a) || (a & F::SIGN != 0 && !F::is_zero(a)) {
        if !F::is_nan(a) || F::is_signalling(a) {
            *flags |= INVALID;
        }
        return F::CANONICAL_NAN;
    }
    if F::is_zero(a) || a == F::INFINITY {
        return a;
    }
    if rounding == Rounding::NearestEven && *flags & INEXACT != 0 {
        return F::square_root(a);
    }
    rounded::<F>(a, rounding, flags)
}

/// The root of a positive number: an integer with bits enough, and one more that says whether anything is lost.
fn rounded<F: Format>(a: u64, rounding: Rounding, flags: &mut u8) -> u64 {
    let field = F::exponent(a);
    let fraction = u128::from(a & F::FRACTION);
    let significand = if field == 0 {
        fraction
    } else {
        fraction | 1 << F::FRACTION_BITS
    };
    // a = significand × 2^exponent.
    let bias = (1 << (F::EXPONENT_BITS - 1)) - 1;
    let exponent = (field.max(1) as i32) - bias - F::FRACTION_BITS.cast_signed();
    // Shifted so that it has 125 or 126 bits and an even exponent: the root has 63.
    let spare = significand.leading_zeros().cast_signed() - 2;
    let shift = if (exponent - spare) % 2 == 0 {
        spare
    } else {
        spare - 1
    };
    let square = significand << shift;
    let root = square.isqrt();
    let is_lossy = root * root != square;
    let with_rest = root << 1 | u128::from(is_lossy);
    let result = F::Soft::from_u128_r(with_rest, rounding.soft());
    if result.status.contains(Status::INEXACT) {
        *flags |= INEXACT;
    }
    let halved = (exponent - shift) / 2 - 1;
    result.value.scalbn(halved).to_bits() as u64
}
