// SPDX-License-Identifier: Apache-2.0
//! One float format at a time: bits in, bits out.
//!
//! Sums of the 16-bit formats are computed in f32: with 24 ≥ 2p + 2 bits of precision (p = 11, 8)
//! rounding twice gives the same result as rounding once.

/// A float format whose values travel as unsigned integers of the same width.
pub(super) trait Float {
    /// Unsigned integer of the format's width.
    type Bits: Copy + Ord;
    /// Correctly rounded sum, canonical NaN.
    fn sum(a: Self::Bits, b: Self::Bits) -> Self::Bits;
    /// Is it a NaN of any kind?
    fn is_nan(a: Self::Bits) -> bool;
    /// Integer with the order of the numbers, -0 below +0.
    fn order_key(a: Self::Bits) -> Self::Bits;
    /// The NaN that results of operations are.
    const CANONICAL_NAN: Self::Bits;
}

/// `minimumNumber` of IEEE 754-2019.
#[inline]
pub(super) fn minimum<F: Float>(a: F::Bits, b: F::Bits) -> F::Bits {
    select::<F>(a, b, F::order_key(a) <= F::order_key(b))
}

/// `maximumNumber` of IEEE 754-2019.
#[inline]
pub(super) fn maximum<F: Float>(a: F::Bits, b: F::Bits) -> F::Bits {
    select::<F>(a, b, F::order_key(a) >= F::order_key(b))
}

#[inline]
fn select<F: Float>(a: F::Bits, b: F::Bits, prefer_a: bool) -> F::Bits {
    match (F::is_nan(a), F::is_nan(b)) {
        (true, true) => F::CANONICAL_NAN,
        (true, false) => b,
        (false, true) => a,
        (false, false) => {
            if prefer_a {
                a
            } else {
                b
            }
        }
    }
}

macro_rules! order_key {
    ($bits:ty, $signed:ty) => {
        #[inline]
        fn order_key(a: $bits) -> $bits {
            const SIGN: $bits = 1 << (<$bits>::BITS - 1);
            // Negative numbers: flip all bits; positive ones: move above the negative ones.
            a ^ ((a as $signed >> (<$bits>::BITS - 1)) as $bits | SIGN)
        }
    };
}
pub(super) use order_key;

/// IEEE 754 binary64.
pub(super) struct Fp64;

impl Float for Fp64 {
    type Bits = u64;
    const CANONICAL_NAN: u64 = 0x7ff8_0000_0000_0000;

    #[inline]
    fn sum(a: u64, b: u64) -> u64 {
        let sum = f64::from_bits(a) + f64::from_bits(b);
        if sum.is_nan() {
            Self::CANONICAL_NAN
        } else {
            sum.to_bits()
        }
    }

    #[inline]
    fn is_nan(a: u64) -> bool {
        f64::from_bits(a).is_nan()
    }

    order_key!(u64, i64);
}

/// IEEE 754 binary32.
pub(super) struct Fp32;

impl Float for Fp32 {
    type Bits = u32;
    const CANONICAL_NAN: u32 = 0x7fc0_0000;

    #[inline]
    fn sum(a: u32, b: u32) -> u32 {
        let sum = f32::from_bits(a) + f32::from_bits(b);
        if sum.is_nan() {
            Self::CANONICAL_NAN
        } else {
            sum.to_bits()
        }
    }

    #[inline]
    fn is_nan(a: u32) -> bool {
        f32::from_bits(a).is_nan()
    }

    order_key!(u32, i32);
}

/// IEEE 754 binary16.
pub(super) struct Fp16;

impl Float for Fp16 {
    type Bits = u16;
    const CANONICAL_NAN: u16 = 0x7e00;

    #[inline]
    fn sum(a: u16, b: u16) -> u16 {
        let sum = Self::widen(a) + Self::widen(b);
        if sum.is_nan() {
            Self::CANONICAL_NAN
        } else {
            Self::narrow(sum)
        }
    }

    #[inline]
    fn is_nan(a: u16) -> bool {
        a & 0x7fff > 0x7c00
    }

    order_key!(u16, i16);
}

/// Conversions without branches, so that a loop over a beat becomes vector code.
impl Fp16 {
    const SIGN: u16 = 0x8000;
    const INFINITY: u16 = 0x7c00;
    /// Difference of the exponent biases, in the exponent field of binary32.
    const REBIAS: u32 = (127 - 15) << 23;

    /// Exact, subnormals included.
    #[inline]
    fn widen(a: u16) -> f32 {
        let magnitude = a & !Self::SIGN;
        let wide = u32::from(magnitude) << 13;
        let finite = f32::from_bits(wide) * f32::from_bits((254 - 15) << 23);
        let special = magnitude >= Self::INFINITY;
        let bits = if special {
            wide | 0x7f80_0000
        } else {
            finite.to_bits()
        };
        f32::from_bits(bits | u32::from(a & Self::SIGN) << 16)
    }

    /// Rounds to nearest even; for all but NaN.
    #[inline]
    fn narrow(a: f32) -> u16 {
        const SMALLEST_NORMAL: u32 = (127 - 14) << 23;
        const TWO_TO_THE_16: u32 = (127 + 16) << 23;
        let bits = a.to_bits();
        let magnitude = bits & 0x7fff_ffff;
        // Next to 1/2, numbers are 2^-24 apart, as the subnormals are.
        let subnormal = (f32::from_bits(magnitude) + 0.5)
            .to_bits()
            .wrapping_sub(0.5f32.to_bits());
        let even = (magnitude >> 13) & 1;
        let normal = (magnitude
            .wrapping_sub(Self::REBIAS)
            .wrapping_add(0xfff + even))
            >> 13;
        let rounded = if magnitude < SMALLEST_NORMAL {
            subnormal
        } else {
            normal
        };
        let overflows = magnitude >= TWO_TO_THE_16;
        let finite = rounded as u16;
        (bits >> 16) as u16 & Self::SIGN | if overflows { Self::INFINITY } else { finite }
    }
}

/// bfloat16: the upper half of binary32.
pub(super) struct Bf16;

impl Float for Bf16 {
    type Bits = u16;
    const CANONICAL_NAN: u16 = 0x7fc0;

    #[inline]
    fn sum(a: u16, b: u16) -> u16 {
        let sum = f32::from_bits(u32::from(a) << 16) + f32::from_bits(u32::from(b) << 16);
        if sum.is_nan() {
            return Self::CANONICAL_NAN;
        }
        // Round to nearest even on the lower half; a carry out of the mantissa is the right exponent.
        let bits = sum.to_bits();
        ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16) as u16
    }

    #[inline]
    fn is_nan(a: u16) -> bool {
        a & 0x7fff > 0x7f80
    }

    order_key!(u16, i16);
}
