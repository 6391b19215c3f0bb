// SPDX-License-Identifier: Apache-2.0
//! Integer operations that the main loop does not hold.
//!
//! Division never traps: by zero the quotient has all bits set and the remainder is the dividend; the one quotient that
//! overflows wraps (the manual, 7.2).

use crate::instruction::IntegerOperation;

/// The result of an operation; shifts by a constant take it from `immediate`.
pub(super) fn compute(operation: IntegerOperation, a: u64, b: u64, immediate: i32) -> u64 {
    let (word_a, word_b) = (a as u32, b as u32);
    let (signed_a, signed_b) = (a.cast_signed(), b.cast_signed());
    let distance = immediate.cast_unsigned();
    match operation {
        IntegerOperation::ShiftLeftWordImmediate => extended(word_a << (distance & 31)),
        IntegerOperation::ShiftRightWordImmediate => extended(word_a >> (distance & 31)),
        IntegerOperation::ShiftRightArithmeticWordImmediate => {
            extended((word_a.cast_signed() >> (distance & 31)).cast_unsigned())
        }
        IntegerOperation::ShiftLeftWord => extended(word_a << (word_b & 31)),
        IntegerOperation::ShiftRightWord => extended(word_a >> (word_b & 31)),
        IntegerOperation::ShiftRightArithmeticWord => {
            extended((word_a.cast_signed() >> (word_b & 31)).cast_unsigned())
        }
        IntegerOperation::MultiplyWord => extended(word_a.wrapping_mul(word_b)),
        IntegerOperation::MultiplyHigh => {
            high((i128::from(signed_a) * i128::from(signed_b)).cast_unsigned())
        }
        IntegerOperation::MultiplyHighSignedUnsigned => {
            high((i128::from(signed_a) * i128::from(b)).cast_unsigned())
        }
        IntegerOperation::MultiplyHighUnsigned => high(u128::from(a) * u128::from(b)),
        IntegerOperation::Divide if b == 0 => u64::MAX,
        IntegerOperation::Divide => signed_a.wrapping_div(signed_b).cast_unsigned(),
        IntegerOperation::DivideUnsigned => a.checked_div(b).unwrap_or(u64::MAX),
        IntegerOperation::Remainder if b == 0 => a,
        IntegerOperation::Remainder => signed_a.wrapping_rem(signed_b).cast_unsigned(),
        IntegerOperation::RemainderUnsigned => a.checked_rem(b).unwrap_or(a),
        IntegerOperation::DivideWord if word_b == 0 => u64::MAX,
        IntegerOperation::DivideWord => {
            let quotient = word_a.cast_signed().wrapping_div(word_b.cast_signed());
            extended(quotient.cast_unsigned())
        }
        IntegerOperation::DivideWordUnsigned => {
            extended(word_a.checked_div(word_b).unwrap_or(u32::MAX))
        }
        IntegerOperation::RemainderWord if word_b == 0 => extended(word_a),
        IntegerOperation::RemainderWord => {
            let rest = word_a.cast_signed().wrapping_rem(word_b.cast_signed());
            extended(rest.cast_unsigned())
        }
        IntegerOperation::RemainderWordUnsigned => {
            extended(word_a.checked_rem(word_b).unwrap_or(word_a))
        }
    }
}

/// A word in a register.
#[inline(always)]
pub(super) fn extended(word: u32) -> u64 {
    i64::from(word.cast_signed()).cast_unsigned()
}

fn high(product: u128) -> u64 {
    (product >> 64) as u64
}
