// SPDX-License-Identifier: Apache-2.0
//! Layouts of int8 matrices in a memory: which byte lies where, and the pattern that reads it (S3 §IV-E).
//!
//! A stream of beats reads a matrix in blocks of 8x8, row of blocks by row of blocks, whatever its layout: that is how a
//! chain whose source and destinations have patterns of different layouts rearranges a matrix on its path.

use crate::AccessPattern;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Rows and columns of the block that one beat holds.
const BLOCK: u64 = 8;

/// Order of a matrix of one-byte elements in a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Rows and columns of its submatrices; none: it is stored row by row.
    submatrix: Option<(u64, u64)>,
}

/// Why a matrix has no pattern in a layout.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LayoutError {
    /// Not a layout.
    #[error(
        "layout '{0}': accepted: MN, a matrix row by row, or MNMaNb, submatrices of a rows and b columns, both multiples of 8, as MNM16N8"
    )]
    Name(String),
    /// The submatrices do not cover the matrix.
    #[error(
        "a matrix of {rows} x {columns} in the layout {layout}: accepted: whole submatrices, at least one, of fewer than 2^63 bytes \
         in all; in MN rows and columns in multiples of 8"
    )]
    Shape {
        /// The layout.
        layout: Layout,
        /// Rows of the matrix.
        rows: u64,
        /// Columns of the matrix.
        columns: u64,
    },
    /// Outside of the matrix.
    #[error("element ({row}, {column}): accepted: rows below {rows}, columns below {columns}")]
    Element {
        /// Its row.
        row: u64,
        /// Its column.
        column: u64,
        /// Rows of the matrix.
        rows: u64,
        /// Columns of the matrix.
        columns: u64,
    },
}

impl Layout {
    /// A matrix row by row: `MN`.
    pub const ROWS: Self = Self { submatrix: None };

    /// Submatrices of `rows` x `columns`, behind each other along a row of them: `MNMaNb`.
    ///
    /// # Errors
    /// [`LayoutError::Name`] unless both are multiples of 8 above 0.
    pub fn of_submatrices(rows: u64, columns: u64) -> Result<Self, LayoutError> {
        let is_whole = |side: u64| side > 0 && side.is_multiple_of(BLOCK);
        if is_whole(rows) && is_whole(columns) {
            return Ok(Self {
                submatrix: Some((rows, columns)),
            });
        }
        Err(LayoutError::Name(format!("MNM{rows}N{columns}")))
    }

    /// Rows and columns of its submatrices; none where the matrix is stored row by row.
    #[must_use]
    pub const fn submatrix(self) -> Option<(u64, u64)> {
        self.submatrix
    }

    /// Rows and columns of the submatrices in a matrix of that shape, if they cover it.
    fn submatrix_in(self, (rows, columns): (u64, u64)) -> Result<(u64, u64), LayoutError> {
        let (a, b) = self.submatrix.unwrap_or((BLOCK, columns));
        let is_covered = rows > 0
            && columns > 0
            && rows.is_multiple_of(a)
            && columns.is_multiple_of(b)
            && columns.is_multiple_of(BLOCK);
        let is_small = rows.checked_mul(columns).is_some_and(|n| n < 1 << 63);
        if is_covered && is_small {
            Ok((a, b))
        } else {
            Err(LayoutError::Shape {
                layout: self,
                rows,
                columns,
            })
        }
    }

    /// Bytes from the start of a matrix to the element in a row and column.
    ///
    /// # Errors
    /// [`LayoutError::Shape`] if the submatrices do not cover the matrix, [`LayoutError::Element`] if the element is outside.
    pub fn element_offset(
        self,
        shape: (u64, u64),
        (row, column): (u64, u64),
    ) -> Result<u64, LayoutError> {
        let (a, b) = self.submatrix_in(shape)?;
        let (rows, columns) = shape;
        if row >= rows || column >= columns {
            return Err(LayoutError::Element {
                row,
                column,
                rows,
                columns,
            });
        }
        let before = row / a * columns * a + column / b * a * b;
        Ok(before + row % a * b + column % b)
    }

    /// The pattern that reads a matrix in beats of 8x8.
    ///
    /// # Errors
    /// [`LayoutError::Shape`] if the submatrices do not cover the matrix.
    pub fn pattern(self, offset: u64, shape: (u64, u64)) -> Result<AccessPattern, LayoutError> {
        let submatrix = self.submatrix_in(shape)?;
        Ok(AccessPattern::blocked(offset, shape, submatrix))
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.submatrix {
            None => f.write_str("MN"),
            Some((rows, columns)) => write!(f, "MNM{rows}N{columns}"),
        }
    }
}

impl FromStr for Layout {
    type Err = LayoutError;

    fn from_str(name: &str) -> Result<Self, LayoutError> {
        if name == "MN" {
            return Ok(Self::ROWS);
        }
        let refused = || LayoutError::Name(name.to_owned());
        let sides = name.strip_prefix("MNM").and_then(|s| s.split_once('N'));
        let (rows, columns) = sides.ok_or_else(refused)?;
        let side = |text: &str| text.parse::<u64>().ok();
        let (rows, columns) = side(rows).zip(side(columns)).ok_or_else(refused)?;
        let layout = Self::of_submatrices(rows, columns).map_err(|_| refused())?;
        // One name per layout: no sign, no leading zero.
        (layout.to_string() == name)
            .then_some(layout)
            .ok_or_else(refused)
    }
}
