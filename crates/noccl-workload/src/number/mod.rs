// SPDX-License-Identifier: Apache-2.0
//! Element types, operators and their exact arithmetic.
//!
//! A collective's result is compared bit by bit with the fold in the documented order, so every
//! operation has exactly one result on every machine: sums round to nearest even, a NaN result is
//! always the canonical quiet NaN (as in RISC-V), subnormals are kept, integers wrap.
//!
//! Choices that the formats leave open:
//! - FP8 E4M3 has no infinity; a sum beyond 448 after rounding is NaN (the non-saturating mode).
//!   FP8 E5M2, like FP16, overflows to infinity.
//! - Minimum and maximum are IEEE 754-2019 `minimumNumber` and `maximumNumber`: a NaN loses against any
//!   number, two NaN give the canonical one, -0 is smaller than +0. So they are commutative,
//!   associative and total; their result is one operand's bits.

use float::{
    Bf16, E4M3_SUMS, E5M2_SUMS, Float, Fp8E4m3, Fp8E5m2, Fp16, Fp32, Fp64, SumTable, maximum,
    minimum,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use name::UnknownName;
pub use row_wise::{RowOperation, fold_rows, multiply_into, row_wise, transpose};
pub use sum_bound::{SumError, check_sum};

pub(crate) use name::find;

mod float;
mod name;
mod row_wise;
mod sum_bound;

/// Element type of a reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ElementType {
    /// IEEE 754 binary64.
    Fp64,
    /// IEEE 754 binary32.
    Fp32,
    /// IEEE 754 binary16.
    Fp16,
    /// bfloat16.
    Bf16,
    /// OCP FP8 E4M3 (no infinity, S.1111.111 is NaN).
    Fp8E4m3,
    /// OCP FP8 E5M2 (IEEE-like).
    Fp8E5m2,
    /// Two's complement, 8 bit.
    Int8,
    /// Two's complement, 16 bit.
    Int16,
    /// Two's complement, 32 bit.
    Int32,
    /// Two's complement, 64 bit.
    Int64,
}

/// Operator of a reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Operator {
    /// Addition; integers wrap.
    Sum,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
    /// Bitwise and; integers only.
    And,
    /// Bitwise or; integers only.
    Or,
}

impl ElementType {
    /// All element types, in the order in which they are listed to users.
    pub const ALL: [ElementType; 10] = [
        ElementType::Fp64,
        ElementType::Fp32,
        ElementType::Fp16,
        ElementType::Bf16,
        ElementType::Fp8E4m3,
        ElementType::Fp8E5m2,
        ElementType::Int8,
        ElementType::Int16,
        ElementType::Int32,
        ElementType::Int64,
    ];

    /// Bytes per element.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        match self {
            ElementType::Fp64 | ElementType::Int64 => 8,
            ElementType::Fp32 | ElementType::Int32 => 4,
            ElementType::Fp16 | ElementType::Bf16 | ElementType::Int16 => 2,
            ElementType::Fp8E4m3 | ElementType::Fp8E5m2 | ElementType::Int8 => 1,
        }
    }

    /// Is it a floating-point type, whose additions depend on their order?
    #[must_use]
    pub const fn is_float(self) -> bool {
        match self {
            ElementType::Fp64
            | ElementType::Fp32
            | ElementType::Fp16
            | ElementType::Bf16
            | ElementType::Fp8E4m3
            | ElementType::Fp8E5m2 => true,
            ElementType::Int8 | ElementType::Int16 | ElementType::Int32 | ElementType::Int64 => {
                false
            }
        }
    }
}

impl Operator {
    /// All operators.
    pub const ALL: [Operator; 5] = [
        Operator::Sum,
        Operator::Min,
        Operator::Max,
        Operator::And,
        Operator::Or,
    ];

    /// Does it work on bits, whatever number they are?
    #[must_use]
    pub const fn is_bitwise(self) -> bool {
        match self {
            Operator::Sum | Operator::Min | Operator::Max => false,
            Operator::And | Operator::Or => true,
        }
    }

    /// Is the operator defined for this element type? Bitwise ones are for integers only.
    #[must_use]
    pub const fn accepts(self, element: ElementType) -> bool {
        !self.is_bitwise() || !element.is_float()
    }
}

// Test data for collectives: reproducible, and for floats finite and of similar magnitude, so that an
// error bound of their sum says something.

/// `bytes` bytes of random elements: integers over their whole range, floats of either sign with a
/// magnitude from 1/4 up to 2 (all mantissas equally likely). A function of its arguments only.
#[must_use]
pub fn random_elements(seed: u64, bytes: usize, element: ElementType) -> Vec<u8> {
    let mut state = seed ^ 0x6e6f_6363_6c00_0000;
    let mut data = Vec::with_capacity(bytes + 8);
    while data.len() < bytes {
        let random = mix(state);
        state = state.wrapping_add(GOLDEN_RATIO);
        data.extend_from_slice(&element_word(random, element));
    }
    data.truncate(bytes);
    data
}

/// Eight bytes of elements from eight random bytes.
fn element_word(random: u64, element: ElementType) -> [u8; 8] {
    let (width, mantissa_bits, bias) = match element {
        ElementType::Int8 | ElementType::Int16 | ElementType::Int32 | ElementType::Int64 => {
            return random.to_le_bytes();
        }
        ElementType::Fp64 => (64, 52, 1023),
        ElementType::Fp32 => (32, 23, 127),
        ElementType::Fp16 => (16, 10, 15),
        ElementType::Bf16 => (16, 7, 127),
        ElementType::Fp8E4m3 => (8, 3, 7),
        ElementType::Fp8E5m2 => (8, 2, 15),
    };
    let mut word = 0;
    for start in (0..64).step_by(width) {
        let bits = random >> start;
        let mantissa = bits & ((1 << mantissa_bits) - 1);
        // Exponent -2, -1 or 0 (the last twice as likely), from the two bits below the sign.
        let exponent = bias - [2, 1, 0, 0][((bits >> (width - 3)) & 3) as usize];
        let sign = (bits >> (width - 1)) & 1;
        let number = sign << (width - 1) | exponent << mantissa_bits | mantissa;
        word |= number << start;
    }
    word.to_le_bytes()
}

/// What SplitMix64 adds to its state from one number to the next: 2⁶⁴ divided by the golden ratio, odd.
pub const GOLDEN_RATIO: u64 = 0x9e37_79b9_7f4a_7c15;

/// The number of SplitMix64 after this state: a good hash of a counter or key, behind every seeded choice.
#[must_use]
pub const fn mix(key: u64) -> u64 {
    let mut z = key.wrapping_add(GOLDEN_RATIO);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Is a case drawn that comes up `per_256` times in 256? A function of seed and key: no state, so that draws depend on no order.
#[must_use]
#[inline]
pub const fn is_drawn(seed: u64, key: u64, per_256: u32) -> bool {
    per_256 > 0 && mix(seed ^ key.wrapping_mul(GOLDEN_RATIO)) % 256 < per_256 as u64
}

// Reduction of byte buffers. The type and operator are looked at once per call, not per element.

/// `accumulator[i] = accumulator[i] op operand[i]` element by element, little endian.
///
/// Lengths are equal and a multiple of the element; what exceeds either is left as it is. `And` and
/// `Or` on a float type, which no checked schedule contains, fold the bits.
pub fn fold_into(accumulator: &mut [u8], operand: &[u8], operator: Operator, element: ElementType) {
    match operator {
        Operator::And | Operator::Or => fold_bits(accumulator, operand, operator),
        Operator::Sum => fold_sum(accumulator, operand, element),
        Operator::Min => fold_min(accumulator, operand, element),
        Operator::Max => fold_max(accumulator, operand, element),
    }
}

fn fold_bits(accumulator: &mut [u8], operand: &[u8], operator: Operator) {
    if matches!(operator, Operator::And) {
        each(accumulator, operand, |a: [u8; 1], b| [a[0] & b[0]]);
    } else {
        each(accumulator, operand, |a: [u8; 1], b| [a[0] | b[0]]);
    }
}

/// Applies `f` to elements of `N` bytes.
#[inline]
fn each<const N: usize>(
    accumulator: &mut [u8],
    operand: &[u8],
    f: impl Fn([u8; N], [u8; N]) -> [u8; N],
) {
    let (accumulator, _) = accumulator.as_chunks_mut::<N>();
    let (operand, _) = operand.as_chunks::<N>();
    for (a, b) in accumulator.iter_mut().zip(operand) {
        *a = f(*a, *b);
    }
}

macro_rules! each_as {
    ($accumulator:expr, $operand:expr, $number:ty, $f:expr) => {
        each($accumulator, $operand, |a, b| {
            let f = $f;
            f(<$number>::from_le_bytes(a), <$number>::from_le_bytes(b)).to_le_bytes()
        })
    };
}

fn fold_sum(acc: &mut [u8], operand: &[u8], element: ElementType) {
    match element {
        ElementType::Fp64 => each_as!(acc, operand, u64, Fp64::sum),
        ElementType::Fp32 => each_as!(acc, operand, u32, Fp32::sum),
        ElementType::Fp16 => each_as!(acc, operand, u16, Fp16::sum),
        ElementType::Bf16 => each_as!(acc, operand, u16, Bf16::sum),
        ElementType::Fp8E4m3 => look_up(acc, operand, &E4M3_SUMS),
        ElementType::Fp8E5m2 => look_up(acc, operand, &E5M2_SUMS),
        ElementType::Int8 => each_as!(acc, operand, u8, u8::wrapping_add),
        ElementType::Int16 => each_as!(acc, operand, u16, u16::wrapping_add),
        ElementType::Int32 => each_as!(acc, operand, u32, u32::wrapping_add),
        ElementType::Int64 => each_as!(acc, operand, u64, u64::wrapping_add),
    }
}

fn fold_min(acc: &mut [u8], operand: &[u8], element: ElementType) {
    match element {
        ElementType::Fp64 => each_as!(acc, operand, u64, minimum::<Fp64>),
        ElementType::Fp32 => each_as!(acc, operand, u32, minimum::<Fp32>),
        ElementType::Fp16 => each_as!(acc, operand, u16, minimum::<Fp16>),
        ElementType::Bf16 => each_as!(acc, operand, u16, minimum::<Bf16>),
        ElementType::Fp8E4m3 => each_as!(acc, operand, u8, minimum::<Fp8E4m3>),
        ElementType::Fp8E5m2 => each_as!(acc, operand, u8, minimum::<Fp8E5m2>),
        ElementType::Int8 => each_as!(acc, operand, i8, i8::min),
        ElementType::Int16 => each_as!(acc, operand, i16, i16::min),
        ElementType::Int32 => each_as!(acc, operand, i32, i32::min),
        ElementType::Int64 => each_as!(acc, operand, i64, i64::min),
    }
}

fn fold_max(acc: &mut [u8], operand: &[u8], element: ElementType) {
    match element {
        ElementType::Fp64 => each_as!(acc, operand, u64, maximum::<Fp64>),
        ElementType::Fp32 => each_as!(acc, operand, u32, maximum::<Fp32>),
        ElementType::Fp16 => each_as!(acc, operand, u16, maximum::<Fp16>),
        ElementType::Bf16 => each_as!(acc, operand, u16, maximum::<Bf16>),
        ElementType::Fp8E4m3 => each_as!(acc, operand, u8, maximum::<Fp8E4m3>),
        ElementType::Fp8E5m2 => each_as!(acc, operand, u8, maximum::<Fp8E5m2>),
        ElementType::Int8 => each_as!(acc, operand, i8, i8::max),
        ElementType::Int16 => each_as!(acc, operand, i16, i16::max),
        ElementType::Int32 => each_as!(acc, operand, i32, i32::max),
        ElementType::Int64 => each_as!(acc, operand, i64, i64::max),
    }
}

fn look_up(accumulator: &mut [u8], operand: &[u8], sums: &SumTable) {
    each(accumulator, operand, |a: [u8; 1], b| {
        [sums[usize::from(a[0]) << 8 | usize::from(b[0])]]
    });
}
