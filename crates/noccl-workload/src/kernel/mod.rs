// SPDX-License-Identifier: Apache-2.0
//! What the cores of a cluster compute on their own L1: a submatrix product and its like.
//!
//! Invariant: an operation is a function of the bytes it reads; it writes one range. So interpreter,
//! simulator and checker need to know no more than [`Operation::reads`], [`Operation::write`] and
//! [`Operation::apply`]. Numbers: 8- and 16-bit floats are widened to FP32 exactly, products are added
//! by fused multiply-add in ascending order of the inner index, in FP32 or FP64 ([`sum_element`]).

mod rows;

pub use rows::{FoldRows, RowWise};

use crate::ElementType;
use crate::number::{RowOperation, fold_rows, multiply_into, row_wise, transpose};
use noccl_net::TileSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The cores of every cluster of a group run the same operation on their own L1. Nobody waits for others.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Operation {
    /// A product of two submatrices.
    Multiply(Multiply),
    /// The largest element or the sum of every row.
    FoldRows(FoldRows),
    /// exp of every element less a number per row.
    Exponential(RowWise),
    /// Every element divided by a number per row.
    DivideRows(RowWise),
}

/// C = A·B or C = C + A·B on submatrices in L1, each stored row by row without gaps.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
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
    /// B is stored column by column: `columns` × `inner`, row by row.
    #[serde(default, skip_serializing_if = "is_false")]
    pub b_transposed: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_false(flag: &bool) -> bool {
    !*flag
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
        let width = sum_element(self.element).unwrap_or(self.element).bytes();
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

/// What is wrong with an operation: field, value found, what would be accepted.
type Problem = (&'static str, String, &'static str);

fn aligned(offsets: &[(&'static str, u64, ElementType)]) -> Option<Problem> {
    let torn = offsets
        .iter()
        .find(|(_, offset, e)| !offset.is_multiple_of(e.bytes()))?;
    Some((
        torn.0,
        torn.1.to_string(),
        "a multiple of its element's bytes",
    ))
}

fn apart(name: &'static str, result: Extent, input: Extent) -> Option<Problem> {
    let overlaps = result.overlaps(input);
    overlaps.then(|| {
        (
            name,
            result.offset.to_string(),
            "a range apart from the inputs",
        )
    })
}

impl Operation {
    /// Name in messages.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Operation::Multiply(_) => "multiply",
            Operation::FoldRows(_) => "fold_rows",
            Operation::Exponential(_) => "exponential",
            Operation::DivideRows(_) => "divide_rows",
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
            Operation::FoldRows(f) => vec![f.source()],
            Operation::Exponential(r) | Operation::DivideRows(r) => vec![r.source(), r.row()],
        }
    }

    /// What it writes.
    #[must_use]
    pub fn write(&self) -> Extent {
        match self {
            Operation::Multiply(m) => m.c(),
            Operation::FoldRows(f) => f.result(),
            Operation::Exponential(r) | Operation::DivideRows(r) => r.result(),
        }
    }

    /// What is impossible about it whatever the network: field, value found, what would be accepted.
    pub(crate) fn problem(&self) -> Option<Problem> {
        match self {
            Operation::Multiply(m) => m.problem(),
            Operation::FoldRows(f) => f.problem(),
            Operation::Exponential(r) | Operation::DivideRows(r) => r.problem(),
        }
    }

    /// The bytes it writes, from those it reads.
    #[must_use]
    pub fn apply(&self, reads: &[Vec<u8>]) -> Vec<u8> {
        match (self, reads) {
            (Operation::Multiply(m), [a, b, rest @ ..]) => {
                let mut c = match rest {
                    [c] if m.accumulate => c.clone(),
                    _ => vec![0; m.c().bytes as usize],
                };
                let [rows, columns, inner] = [m.rows, m.columns, m.inner].map(|n| n as usize);
                let by_rows = m
                    .b_transposed
                    .then(|| transpose(b, columns, inner, m.element));
                let b = by_rows.as_ref().unwrap_or(b);
                multiply_into(&mut c, a, b, [rows, columns, inner], m.element);
                c
            }
            (Operation::FoldRows(f), [source]) => {
                fold_rows(source, f.columns as usize, f.operator, f.element)
            }
            (Operation::Exponential(r), [source, row]) => {
                let columns = r.columns as usize;
                row_wise(source, row, columns, RowOperation::Exponential, r.element)
            }
            (Operation::DivideRows(r), [source, row]) => {
                let columns = r.columns as usize;
                row_wise(source, row, columns, RowOperation::Divide, r.element)
            }
            (
                Operation::Multiply(_)
                | Operation::FoldRows(_)
                | Operation::Exponential(_)
                | Operation::DivideRows(_),
                _,
            ) => Vec::new(),
        }
    }

    /// Multiply-adds per cluster (S1 Table 1 counts these as operations of a GEMM).
    #[must_use]
    pub fn multiply_adds(&self) -> u64 {
        match self {
            Operation::Multiply(m) => u64::from(m.rows) * u64::from(m.columns) * u64::from(m.inner),
            Operation::FoldRows(_) | Operation::Exponential(_) | Operation::DivideRows(_) => 0,
        }
    }
}
