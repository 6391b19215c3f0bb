// SPDX-License-Identifier: Apache-2.0
//! Element types, operators and their exact arithmetic.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
}

/// `accumulator[i] = accumulator[i] op operand[i]` element by element. Lengths are equal and a multiple of the element.
pub fn fold_into(accumulator: &mut [u8], operand: &[u8], operator: Operator, element: ElementType) {
    let _ = element;
    for (a, b) in accumulator.chunks_exact_mut(8).zip(operand.chunks_exact(8)) {
        let x = i64::from_le_bytes(a.try_into().expect("chunk of eight"));
        let y = i64::from_le_bytes(b.try_into().expect("chunk of eight"));
        let z = match operator {
            Operator::Sum => x.wrapping_add(y),
            Operator::Min => x.min(y),
            Operator::Max => x.max(y),
            Operator::And => x & y,
            Operator::Or => x | y,
        };
        a.copy_from_slice(&z.to_le_bytes());
    }
}
