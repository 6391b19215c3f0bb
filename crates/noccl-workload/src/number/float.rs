// SPDX-License-Identifier: Apache-2.0
//! One float format at a time: bits in, bits out.
//!
//! Sums of the 16-bit formats are computed in f32: with 24 ≥ 2p + 2 bits of precision (p = 11, 8)
//! rounding twice gives the same result as rounding once.

use std::sync::LazyLock;

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

// The two OCP FP8 formats. Sums come from a table per format, made on first use from the arithmetic.

/// Layout of an 8-bit float.
struct Float8Layout {
    mantissa_bits: u32,
    bias: i32,
    /// Largest finite magnitude as bits; everything above it is infinity or NaN.
    max_finite: u8,
    /// What a magnitude beyond `max_finite` becomes: infinity or NaN.
    overflow: u8,
}

const E4M3: Float8Layout = Float8Layout {
    mantissa_bits: 3,
    bias: 7,
    max_finite: 0x7e,
    overflow: 0x7f,
};
const E5M2: Float8Layout = Float8Layout {
    mantissa_bits: 2,
    bias: 15,
    max_finite: 0x7b,
    overflow: 0x7c,
};

impl Float8Layout {
    /// Exact value, also of infinity; not for NaN.
    fn decode(&self, bits: u8) -> f64 {
        let magnitude = bits & 0x7f;
        let exponent = i32::from(magnitude >> self.mantissa_bits);
        let mantissa = f64::from(magnitude & ((1 << self.mantissa_bits) - 1));
        let scale = f64::from(1u32 << self.mantissa_bits);
        let value = if magnitude > self.max_finite {
            f64::INFINITY
        } else if exponent == 0 {
            mantissa / scale * 2f64.powi(1 - self.bias)
        } else {
            (1.0 + mantissa / scale) * 2f64.powi(exponent - self.bias)
        };
        if bits & 0x80 == 0 { value } else { -value }
    }

    /// Nearest even; the encodings of ascending magnitudes are consecutive integers.
    fn encode(&self, value: f64) -> u8 {
        let sign = if value.is_sign_negative() { 0x80 } else { 0 };
        let magnitude = value.abs();
        if magnitude.is_infinite() {
            return sign | self.overflow;
        }
        let smallest_exponent = 1 - self.bias;
        let exponent = (((magnitude.to_bits() >> 52) as i32) - 1023).max(smallest_exponent);
        let ulp = 2f64.powi(exponent - self.mantissa_bits as i32);
        // Exact: a power of two scales; at most 2^(mantissa_bits + 1).
        let steps = (magnitude / ulp).round_ties_even() as u32;
        let below = ((exponent - smallest_exponent) as u32) << self.mantissa_bits;
        match u8::try_from(below + steps) {
            Ok(bits) if bits <= self.max_finite => sign | bits,
            Ok(_) | Err(_) => sign | self.overflow,
        }
    }
}

/// OCP FP8 E4M3.
pub(super) struct Fp8E4m3;

/// OCP FP8 E5M2.
pub(super) struct Fp8E5m2;

impl Float for Fp8E4m3 {
    type Bits = u8;
    const CANONICAL_NAN: u8 = 0x7f;

    fn sum(a: u8, b: u8) -> u8 {
        if Self::is_nan(a) || Self::is_nan(b) {
            return Self::CANONICAL_NAN;
        }
        let sum = E4M3.encode(E4M3.decode(a) + E4M3.decode(b));
        if Self::is_nan(sum) {
            Self::CANONICAL_NAN
        } else {
            sum
        }
    }

    #[inline]
    fn is_nan(a: u8) -> bool {
        a & 0x7f == 0x7f
    }

    order_key!(u8, i8);
}

impl Float for Fp8E5m2 {
    type Bits = u8;
    const CANONICAL_NAN: u8 = 0x7e;

    fn sum(a: u8, b: u8) -> u8 {
        if Self::is_nan(a) || Self::is_nan(b) {
            return Self::CANONICAL_NAN;
        }
        let sum = E5M2.decode(a) + E5M2.decode(b);
        if sum.is_nan() {
            Self::CANONICAL_NAN
        } else {
            E5M2.encode(sum)
        }
    }

    #[inline]
    fn is_nan(a: u8) -> bool {
        a & 0x7f > 0x7c
    }

    order_key!(u8, i8);
}

/// Sums of all pairs, index `a << 8 | b`.
pub(super) type SumTable = [u8; 1 << 16];

/// Sums of FP8 E4M3.
pub(super) static E4M3_SUMS: LazyLock<Box<SumTable>> = LazyLock::new(table::<Fp8E4m3>);

/// Sums of FP8 E5M2.
pub(super) static E5M2_SUMS: LazyLock<Box<SumTable>> = LazyLock::new(table::<Fp8E5m2>);

fn table<F: Float<Bits = u8>>() -> Box<SumTable> {
    let mut sums = Box::new([0; 1 << 16]);
    for a in 0..=u8::MAX {
        for b in 0..=u8::MAX {
            sums[usize::from(a) << 8 | usize::from(b)] = F::sum(a, b);
        }
    }
    sums
}

/// Exact values of the finite numbers, for the error bound; NaN and infinity as they are.
pub(super) fn value_e4m3(bits: u8) -> f64 {
    if Fp8E4m3::is_nan(bits) {
        f64::NAN
    } else {
        E4M3.decode(bits)
    }
}

/// As [`value_e4m3`].
pub(super) fn value_e5m2(bits: u8) -> f64 {
    if Fp8E5m2::is_nan(bits) {
        f64::NAN
    } else {
        E5M2.decode(bits)
    }
}
