// SPDX-License-Identifier: Apache-2.0
//! Operations with a number per row: what a softmax is made of.

use super::{Extent, Problem, aligned, apart, extent, sum_element};
use crate::{ElementType, Operator};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One number per row of a submatrix, in [`sum_element`] of its element.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FoldRows {
    /// Offset of the submatrix.
    pub source_offset: u64,
    /// Offset of the results, `rows` elements.
    pub result_offset: u64,
    /// Rows.
    pub rows: u32,
    /// Columns, at least 1.
    pub columns: u32,
    /// Element of the submatrix: FP64, FP32, FP16 or BF16.
    pub element: ElementType,
    /// Maximum or sum, from left to right.
    pub operator: Operator,
}

/// Something done to every element with a number per row. Source and row numbers are in [`sum_element`] of
/// `element`, results in `element`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RowWise {
    /// Offset of the submatrix.
    pub source_offset: u64,
    /// Offset of the numbers per row.
    pub row_offset: u64,
    /// Offset of the results; may be that of the source if elements are of one size.
    pub result_offset: u64,
    /// Rows.
    pub rows: u32,
    /// Columns.
    pub columns: u32,
    /// Element of the results: FP64, FP32, FP16 or BF16.
    pub element: ElementType,
}

impl FoldRows {
    fn sums(&self) -> ElementType {
        sum_element(self.element).unwrap_or(self.element)
    }

    pub(super) fn source(&self) -> Extent {
        extent(
            self.source_offset,
            self.rows,
            self.columns,
            self.element.bytes(),
        )
    }

    pub(super) fn result(&self) -> Extent {
        extent(self.result_offset, self.rows, 1, self.sums().bytes())
    }

    pub(super) fn problem(&self) -> Option<Problem> {
        match self.operator {
            Operator::Max | Operator::Sum => {}
            Operator::Min | Operator::And | Operator::Or => {
                return Some(("operator", self.operator.to_string(), "sum or max"));
            }
        }
        if self.columns == 0 {
            return Some(("columns", "0".to_owned(), "at least 1"));
        }
        let offsets = [
            ("source_offset", self.source_offset, self.element),
            ("result_offset", self.result_offset, self.sums()),
        ];
        wide_float(self.element)
            .or_else(|| aligned(&offsets))
            .or_else(|| apart("result_offset", self.result(), self.source()))
    }
}

impl RowWise {
    fn sums(&self) -> ElementType {
        sum_element(self.element).unwrap_or(self.element)
    }

    pub(super) fn source(&self) -> Extent {
        extent(
            self.source_offset,
            self.rows,
            self.columns,
            self.sums().bytes(),
        )
    }

    pub(super) fn row(&self) -> Extent {
        extent(self.row_offset, self.rows, 1, self.sums().bytes())
    }

    pub(super) fn result(&self) -> Extent {
        extent(
            self.result_offset,
            self.rows,
            self.columns,
            self.element.bytes(),
        )
    }

    pub(super) fn problem(&self) -> Option<Problem> {
        let offsets = [
            ("source_offset", self.source_offset, self.sums()),
            ("row_offset", self.row_offset, self.sums()),
            ("result_offset", self.result_offset, self.element),
        ];
        let is_in_place = self.result() == self.source();
        wide_float(self.element)
            .or_else(|| aligned(&offsets))
            .or_else(|| apart("result_offset", self.result(), self.row()))
            .or_else(|| {
                apart("result_offset", self.result(), self.source()).filter(|_| !is_in_place)
            })
    }
}

/// Element-wise operations round to their element, which FP8 and integers are too short for.
fn wide_float(element: ElementType) -> Option<Problem> {
    match element {
        ElementType::Fp64 | ElementType::Fp32 | ElementType::Fp16 | ElementType::Bf16 => None,
        ElementType::Fp8E4m3
        | ElementType::Fp8E5m2
        | ElementType::Int8
        | ElementType::Int16
        | ElementType::Int32
        | ElementType::Int64 => Some(("element", element.to_string(), "fp64, fp32, fp16 or bf16")),
    }
}
