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

mod float;
mod float8;
mod fold;
mod name;
mod product;
mod random;
mod row_wise;
mod sum_bound;

pub use fold::fold_into;
pub use name::UnknownName;
pub(crate) use name::find;
pub use product::{multiply_into, transpose};
pub use random::{GOLDEN_RATIO, is_drawn, mix, random_elements};
pub use row_wise::{RowOperation, fold_rows, row_wise};
pub use sum_bound::{SumError, check_sum};

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
