// SPDX-License-Identifier: Apache-2.0
//! All-to-all by rows and columns: blocks for a whole column travel along the row together, then those for one tile along the column.
//!
//! A rank sends a message to each other tile of its row and of its column, in place of one to each rank: for short blocks what a message
//! costs counts, and not its words, of which there are twice as many. Nothing is packed: the input has the blocks of a column side by side,
//! and the messages of the second half are gathered and scattered in rows.

use super::Work;
use super::exchange::Sent;
use super::program::MessagePart;
use crate::CollError;
use noccl_workload::MessageRows;

/// A group of columns and rows, whose ranks go up the columns, and where its blocks lie.
#[derive(Debug, Clone, Copy)]
struct CoreLines {
    columns: usize,
    rows: usize,
    /// Bytes of a block.
    bytes: u64,
    input: u64,
    /// What the tiles of a row have for this column: a block by sender's column and receiver's row.
    between: u64,
    output: u64,
}

impl Work<'_> {
    /// Messages step by step, and the first step in which what was received is passed on.
    pub(super) fn row_column_steps(&self) -> Result<(Vec<Vec<Sent>>, u32), CollError> {
        let collective = self.collective;
        if collective.lengths.is_some() {
            return Err(self.unsupported(
                "blocks for a column do not lie side by side if their lengths differ; accepted: blocks of one length",
            ));
        }
        let (columns, rows) = self.grid()?;
        let mut layout = self.layout()?;
        let between = if columns == 1 {
            collective.input_offset
        } else if rows == 1 {
            collective.output_offset
        } else {
            layout.alloc(collective.bytes * self.members.len() as u64)
        };
        self.check_layout(&layout)?;
        let lines = CoreLines {
            columns,
            rows,
            bytes: collective.bytes,
            input: collective.input_offset,
            between,
            output: collective.output_offset,
        };
        let along_rows = (1..=columns).filter(|_| columns > 1 || rows == 1);
        let mut steps: Vec<Vec<Sent>> = along_rows.map(|step| lines.along_rows(step)).collect();
        let passed_on = steps.len() as u32;
        let along_columns = (1..=rows).filter(|_| rows > 1);
        steps.extend(along_columns.map(|step| lines.along_columns(step)));
        Ok((steps, passed_on))
    }
}

impl CoreLines {
    /// To the tile so many columns on, around the edge: the blocks for its column. The last step is a rank's own column.
    fn along_rows(self, step: usize) -> Vec<Sent> {
        // Of a single tile the blocks have no column to go along.
        let to = if self.rows == 1 {
            self.output
        } else {
            self.between
        };
        let bytes = self.bytes * self.rows as u64;
        let sent = self.tiles().map(|(column, row)| {
            let other = (column + step) % self.columns;
            let part = MessagePart {
                from: self.input + other as u64 * bytes,
                to: to + column as u64 * bytes,
                bytes,
            };
            (
                (self.rank(column, row), self.rank(other, row)),
                (part, None),
            )
        });
        sent.collect()
    }

    /// To the tile so many rows on, around the edge: what the own row has for it, a block of each column. The last step is a rank's own.
    fn along_columns(self, step: usize) -> Vec<Sent> {
        let stride = self.bytes * self.rows as u64;
        let rows = (self.columns > 1).then_some(MessageRows {
            count: self.columns as u32,
            source_stride: stride,
            destination_stride: stride,
        });
        let sent = self.tiles().map(|(column, row)| {
            let other = (row + step) % self.rows;
            let part = MessagePart {
                from: self.between + other as u64 * self.bytes,
                to: self.output + row as u64 * self.bytes,
                bytes: self.bytes,
            };
            (
                (self.rank(column, row), self.rank(column, other)),
                (part, rows),
            )
        });
        sent.collect()
    }

    fn tiles(self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.columns).flat_map(move |column| (0..self.rows).map(move |row| (column, row)))
    }

    const fn rank(self, column: usize, row: usize) -> usize {
        column * self.rows + row
    }
}
