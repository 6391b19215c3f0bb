// SPDX-License-Identifier: Apache-2.0
//! What the cores of a cluster compute on their own L1: a submatrix product and its like.
//!
//! Invariant: an operation is a function of the bytes it reads; it writes one range. So interpreter,
//! simulator and checker need to know no more than [`Operation::reads`], [`Operation::write`] and
//! [`Operation::apply`]. Numbers: 8- and 16-bit floats are widened to FP32 exactly, products are added
//! by fused multiply-add in ascending order of the inner index, in FP32 or FP64 ([`sum_element`]).

use crate::ElementType;
use crate::number::multiply_into;
use noccl_net::TileSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The cores of every cluster of a group run the same operation on their own L1. Nobody waits for others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// Clusters.
    pub group: TileSet,
    /// Cycles when nobody else uses the FPUs, from first to last instruction.
    pub cycles: u64,
    /// What is computed.
    pub operation: Operation,
}

/// What a kernel computes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Operation {
    /// A product of two submatrices.
    Multiply(Multiply),
}

/// C = A·B or C = C + A·B on submatrices in L1, each stored row by row without gaps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Multiply {
    /// Offset of A, `rows` × `inner`.
    pub a_offset: u64,
    /// Offset of B, `inner` × `columns`.
    pub b_offset: u64,
    /// Offset of C, `rows` × `columns`, elements of [`sum_element`].
    pub c_offset: u64,
    /// Rows of A and C.
    pub rows: u32,
    /// Columns of B and C.
    pub columns: u32,
    /// Columns of A and rows of B.
    pub inner: u32,
    /// Element of A and B, a floating-point type.
    pub element: ElementType,
    /// Add to what C holds instead of overwriting it.
    pub accumulate: bool,
}

/// Offset and length of a range in L1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Extent {
    /// Do the two ranges share a byte?
    #[must_use]
    pub fn overlaps(self, other: Self) -> bool {
        let end = |e: Self| u128::from(e.offset) + u128::from(e.bytes);
        u128::from(self.offset) < end(other) && u128::from(other.offset) < end(self)
    }
}

/// Element in which sums of products of `element` are kept; `None` for integers.
#[must_use]
pub const fn sum_element(element: ElementType) -> Option<ElementType> {
    match element {
        ElementType::Fp64 => Some(ElementType::Fp64),
        ElementType::Fp32
        | ElementType::Fp16
        | ElementType::Bf16
        | ElementType::Fp8E4m3
        | ElementType::Fp8E5m2 => Some(ElementType::Fp32),
        ElementType::Int8 | ElementType::Int16 | ElementType::Int32 | ElementType::Int64 => None,
    }
}

impl Multiply {
    fn problem(&self) -> Option<(&'static str, String, &'static str)> {
        let Some(sum) = sum_element(self.element) else {
            return Some(("element", self.element.to_string(), "a floating-point type"));
        };
        let offsets = [
            ("a_offset", self.a_offset, self.element),
            ("b_offset", self.b_offset, self.element),
            ("c_offset", self.c_offset, sum),
        ];
        let torn = offsets
            .into_iter()
            .find(|(_, o, e)| !o.is_multiple_of(e.bytes()));
        if let Some((name, offset, _)) = torn {
            return Some((
                name,
                offset.to_string(),
                "a multiple of its element's bytes",
            ));
        }
        let c = self.c();
        let width = self.element.bytes();
        let inputs = [
            (
                "a_offset",
                extent(self.a_offset, self.rows, self.inner, width),
            ),
            (
                "b_offset",
                extent(self.b_offset, self.inner, self.columns, width),
            ),
        ];
        let overlapping = inputs.into_iter().find(|(_, e)| e.overlaps(c));
        let (name, extent) = overlapping?;
        Some((name, extent.offset.to_string(), "a range apart from C"))
    }

    fn c(&self) -> Extent {
        let width = sum_element(self.element).map_or(0, ElementType::bytes);
        extent(self.c_offset, self.rows, self.columns, width)
    }
}

const fn extent(offset: u64, rows: u32, columns: u32, element_bytes: u64) -> Extent {
    Extent {
        offset,
        bytes: (rows as u64)
            .saturating_mul(columns as u64)
            .saturating_mul(element_bytes),
    }
}

impl Operation {
    /// Name in messages.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Operation::Multiply(_) => "multiply",
        }
    }

    /// What it reads, in the order in which [`Operation::apply`] takes it.
    #[must_use]
    pub fn reads(&self) -> Vec<Extent> {
        match self {
            Operation::Multiply(m) => {
                let width = m.element.bytes();
                let mut reads = vec![
                    extent(m.a_offset, m.rows, m.inner, width),
                    extent(m.b_offset, m.inner, m.columns, width),
                ];
                reads.extend(m.accumulate.then(|| m.c()));
                reads
            }
        }
    }

    /// What it writes.
    #[must_use]
    pub fn write(&self) -> Extent {
        match self {
            Operation::Multiply(m) => m.c(),
        }
    }

    /// What is impossible about it whatever the network: field, value found, what would be accepted.
    pub(crate) fn problem(&self) -> Option<(&'static str, String, &'static str)> {
        match self {
            Operation::Multiply(m) => m.problem(),
        }
    }

    /// The bytes it writes, from those it reads.
    #[must_use]
    pub fn apply(&self, reads: &[Vec<u8>]) -> Vec<u8> {
        match self {
            Operation::Multiply(m) => {
                let [a, b, rest @ ..] = reads else {
                    return Vec::new();
                };
                let mut c = match rest {
                    [c] if m.accumulate => c.clone(),
                    _ => vec![0; m.c().bytes as usize],
                };
                let shape = [m.rows, m.columns, m.inner].map(|n| n as usize);
                multiply_into(&mut c, a, b, shape, m.element);
                c
            }
        }
    }

    /// Multiply-adds per cluster (S1 Table 1 counts these as operations of a GEMM).
    #[must_use]
    pub fn multiply_adds(&self) -> u64 {
        match self {
            Operation::Multiply(m) => u64::from(m.rows) * u64::from(m.columns) * u64::from(m.inner),
        }
    }
}
