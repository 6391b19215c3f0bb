// SPDX-License-Identifier: Apache-2.0
//! The two formats, as bits in the lower part of 64.
//!
//! All arithmetic is written once over [`Format`]. NaNs are the caller's: native arithmetic here may return any NaN.

use super::INVALID;
use rustc_apfloat::{Float, FloatConvert, Round, StatusAnd, ieee};

/// A binary format of IEEE 754 whose values are handled as bits.
pub(crate) trait Format: Copy {
    /// The same format in software.
    type Soft: Float;
    /// Bits of the fraction.
    const FRACTION_BITS: u32;
    /// Bits of the exponent.
    const EXPONENT_BITS: u32;
    /// Sign.
    const SIGN: u64 = 1 << (Self::FRACTION_BITS + Self::EXPONENT_BITS);
    /// Largest value of the exponent's field: infinities and NaNs.
    const EXPONENT_LIMIT: u64 = (1 << Self::EXPONENT_BITS) - 1;
    /// The fraction.
    const FRACTION: u64 = (1 << Self::FRACTION_BITS) - 1;
    /// Infinity.
    const INFINITY: u64 = Self::EXPONENT_LIMIT << Self::FRACTION_BITS;
    /// The NaN that operations return.
    const CANONICAL_NAN: u64 = Self::INFINITY | 1 << (Self::FRACTION_BITS - 1);

    /// The value in a register; canonical NaN if the register holds no value of this format.
    fn unboxed(register: u64) -> u64;
    /// The register that holds a value.
    fn boxed(bits: u64) -> u64;
    /// A register's lower bits as an integer of this width, sign extended.
    fn sign_extended(register: u64) -> u64;
    /// From a wider format, rounded.
    fn from_wide(value: ieee::X87DoubleExtended, round: Round) -> StatusAnd<Self::Soft>;
    /// The value, exactly.
    fn to_f64(bits: u64) -> f64;
    /// The nearest value, ties to even.
    fn from_f64(value: f64) -> u64;
    /// Sum, rounded to nearest even.
    fn add(a: u64, b: u64) -> u64;
    /// Whether that sum, which is finite, is the exact one. May deny it near the largest number.
    fn is_exact_sum(a: u64, b: u64, sum: u64) -> bool;
    /// Product, rounded to nearest even.
    fn multiply(a: u64, b: u64) -> u64;
    /// Quotient, rounded to nearest even.
    fn divide(a: u64, b: u64) -> u64;
    /// Fused product and sum, rounded to nearest even.
    fn fused(a: u64, b: u64, c: u64) -> u64;
    /// Square root, rounded to nearest even.
    fn square_root(a: u64) -> u64;
    /// Order of numbers; false with NaNs.
    fn is_less(a: u64, b: u64) -> bool;
    /// Equality of numbers; false with NaNs.
    fn is_equal(a: u64, b: u64) -> bool;

    /// The exponent's field.
    fn exponent(bits: u64) -> u64 {
        bits >> Self::FRACTION_BITS & Self::EXPONENT_LIMIT
    }

    /// No number.
    fn is_nan(bits: u64) -> bool {
        bits & !Self::SIGN > Self::INFINITY
    }

    /// A NaN that raises the invalid flag.
    fn is_signalling(bits: u64) -> bool {
        Self::is_nan(bits) && bits >> (Self::FRACTION_BITS - 1) & 1 == 0
    }

    /// Either zero.
    fn is_zero(bits: u64) -> bool {
        bits & !Self::SIGN == 0
    }

    /// How many bits a number's significand has from its first to its last one; at most, for subnormal numbers.
    fn significant_bits(bits: u64) -> u32 {
        let significand = bits & Self::FRACTION | 1 << Self::FRACTION_BITS;
        Self::FRACTION_BITS + 1 - significand.trailing_zeros()
    }
}

/// Single precision.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Single;
/// Double precision.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Double;

macro_rules! native_arithmetic {
    ($native:ty, $bits:ty) => {
        fn from_wide(value: ieee::X87DoubleExtended, round: Round) -> StatusAnd<Self::Soft> {
            let mut loses = false;
            value.convert_r(round, &mut loses)
        }

        #[inline(always)]
        fn add(a: u64, b: u64) -> u64 {
            let sum = <$native>::from_bits(a as $bits) + <$native>::from_bits(b as $bits);
            u64::from(sum.to_bits())
        }

        // Knuth's error of a sum (The Art of Computer Programming, volume 2, 4.2.2, theorem B).
        #[inline(always)]
        fn is_exact_sum(a: u64, b: u64, sum: u64) -> bool {
            let (a, b) = (
                <$native>::from_bits(a as $bits),
                <$native>::from_bits(b as $bits),
            );
            let sum = <$native>::from_bits(sum as $bits);
            let of_b = sum - a;
            let error = (a - (sum - of_b)) + (b - of_b);
            error == 0.0
        }

        #[inline(always)]
        fn multiply(a: u64, b: u64) -> u64 {
            let product = <$native>::from_bits(a as $bits) * <$native>::from_bits(b as $bits);
            u64::from(product.to_bits())
        }

        #[inline(always)]
        fn divide(a: u64, b: u64) -> u64 {
            let quotient = <$native>::from_bits(a as $bits) / <$native>::from_bits(b as $bits);
            u64::from(quotient.to_bits())
        }

        #[inline(always)]
        fn fused(a: u64, b: u64, c: u64) -> u64 {
            let (a, b) = (
                <$native>::from_bits(a as $bits),
                <$native>::from_bits(b as $bits),
            );
            u64::from(a.mul_add(b, <$native>::from_bits(c as $bits)).to_bits())
        }

        #[inline(always)]
        fn square_root(a: u64) -> u64 {
            u64::from(<$native>::from_bits(a as $bits).sqrt().to_bits())
        }

        #[inline(always)]
        fn is_less(a: u64, b: u64) -> bool {
            <$native>::from_bits(a as $bits) < <$native>::from_bits(b as $bits)
        }

        #[inline(always)]
        fn is_equal(a: u64, b: u64) -> bool {
            <$native>::from_bits(a as $bits) == <$native>::from_bits(b as $bits)
        }
    };
}

impl Format for Single {
    type Soft = ieee::Single;
    const FRACTION_BITS: u32 = 23;
    const EXPONENT_BITS: u32 = 8;

    #[inline(always)]
    fn unboxed(register: u64) -> u64 {
        if register >> 32 == 0xffff_ffff {
            register & 0xffff_ffff
        } else {
            Self::CANONICAL_NAN
        }
    }

    #[inline(always)]
    fn boxed(bits: u64) -> u64 {
        bits | 0xffff_ffff_0000_0000
    }

    fn sign_extended(register: u64) -> u64 {
        i64::from(register as u32 as i32).cast_unsigned()
    }

    #[inline(always)]
    fn to_f64(bits: u64) -> f64 {
        f64::from(f32::from_bits(bits as u32))
    }

    #[inline(always)]
    fn from_f64(value: f64) -> u64 {
        u64::from((value as f32).to_bits())
    }

    native_arithmetic!(f32, u32);
}

impl Format for Double {
    type Soft = ieee::Double;
    const FRACTION_BITS: u32 = 52;
    const EXPONENT_BITS: u32 = 11;

    #[inline(always)]
    fn unboxed(register: u64) -> u64 {
        register
    }

    #[inline(always)]
    fn boxed(bits: u64) -> u64 {
        bits
    }

    fn sign_extended(register: u64) -> u64 {
        register
    }

    #[inline(always)]
    fn to_f64(bits: u64) -> f64 {
        f64::from_bits(bits)
    }

    #[inline(always)]
    fn from_f64(value: f64) -> u64 {
        value.to_bits()
    }

    native_arithmetic!(f64, u64);
}

// Order of numbers, and what kind of number one is.

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
