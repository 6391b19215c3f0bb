// SPDX-License-Identifier: Apache-2.0
//! The two OCP FP8 formats. Sums come from a table per format, made on first use from the arithmetic.

use super::float::{Float, order_key};
use std::sync::LazyLock;

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
