// SPDX-License-Identifier: Apache-2.0
//! Addition, multiplication, division and fused multiplication: native where that is right, else in software.
//!
//! Native arithmetic rounds to nearest even and tells no flags. It is right if the result is a normal number above the
//! smallest (or, of a sum, any finite one), and if no flag would change: the inexact one is raised already, or the
//! result is shown to be exact.

use super::format::Format;
use super::soft::{self, Operands};
use super::{INEXACT, Rounding};

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
