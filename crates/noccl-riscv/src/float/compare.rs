// SPDX-License-Identifier: Apache-2.0
//! Order of numbers, and what kind of number one is.

use super::INVALID;
use super::format::Format;

/// Quiet: only signalling NaNs are invalid.
pub(super) fn equal<F: Format>(a: u64, b: u64, flags: &mut u8) -> bool {
    note_signalling::<F>(a, b, flags);
    F::is_equal(a, b)
}

/// Any NaN is invalid.
pub(super) fn less<F: Format>(a: u64, b: u64, flags: &mut u8) -> bool {
    note_nan::<F>(a, b, flags);
    F::is_less(a, b)
}

/// Any NaN is invalid.
pub(super) fn less_or_equal<F: Format>(a: u64, b: u64, flags: &mut u8) -> bool {
    note_nan::<F>(a, b, flags);
    F::is_less(a, b) || F::is_equal(a, b)
}

/// The smaller number; of zeros the negative one, of a number and a NaN the number.
pub(super) fn minimum<F: Format>(a: u64, b: u64, flags: &mut u8) -> u64 {
    chosen::<F>(a, b, flags, |a, b| {
        F::is_less(a, b) || (F::is_equal(a, b) && a & F::SIGN != 0)
    })
}

/// The larger number; of zeros the positive one, of a number and a NaN the number.
pub(super) fn maximum<F: Format>(a: u64, b: u64, flags: &mut u8) -> u64 {
    chosen::<F>(a, b, flags, |a, b| {
        F::is_less(b, a) || (F::is_equal(a, b) && a & F::SIGN == 0)
    })
}

fn chosen<F: Format>(a: u64, b: u64, flags: &mut u8, is_first: impl Fn(u64, u64) -> bool) -> u64 {
    note_signalling::<F>(a, b, flags);
    match (F::is_nan(a), F::is_nan(b)) {
        (true, true) => F::CANONICAL_NAN,
        (true, false) => b,
        (false, true) => a,
        (false, false) if is_first(a, b) => a,
        (false, false) => b,
    }
}

fn note_signalling<F: Format>(a: u64, b: u64, flags: &mut u8) {
    if F::is_signalling(a) || F::is_signalling(b) {
        *flags |= INVALID;
    }
}

fn note_nan<F: Format>(a: u64, b: u64, flags: &mut u8) {
    if F::is_nan(a) || F::is_nan(b) {
        *flags |= INVALID;
    }
}

/// The class as one bit of ten: from negative infinity to positive infinity, then signalling and quiet NaNs.
pub(super) fn classify<F: Format>(a: u64) -> u64 {
    if F::is_nan(a) {
        return if F::is_signalling(a) { 1 << 8 } else { 1 << 9 };
    }
    let is_negative = a & F::SIGN != 0;
    let magnitude = a & !F::SIGN;
    let distance = if magnitude == F::INFINITY {
        3
    } else if F::exponent(a) != 0 {
        2
    } else if magnitude != 0 {
        1
    } else {
        0
    };
    if is_negative {
        1 << (3 - distance)
    } else {
        1 << (4 + distance)
    }
}
