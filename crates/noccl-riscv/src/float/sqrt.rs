// SPDX-License-Identifier: Apache-2.0
//! Square roots in all rounding modes, from integers, which `rustc_apfloat` does not have.

use super::format::Format;
use super::{INEXACT, INVALID, Rounding};
use rustc_apfloat::{Float, Status};

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
