// SPDX-License-Identifier: Apache-2.0
//! All-to-all along rows and then along columns: a member goes on when what it has to pass on has come. Groups that are no products of
//! columns and rows exchange straight.

use super::dataflow::{Dataflow, Lines};
use crate::compose::Task;
use crate::exchange::blocks::Blocks;
use crate::exchange::pairwise::product;
use crate::layout::Layout;
use crate::{Algorithm, CollError, LineForm, PointForm};
use noccl_net::Coord;

impl Task<'_> {
    /// Blocks for a column together to that column, then each to its row.
    pub(super) fn exchange(
        &self,
        flow: &mut Dataflow<'_>,
        layout: &mut Layout,
    ) -> Result<(), CollError> {
        if self.choice.point == PointForm::Lines(LineForm::Direct, LineForm::Direct)
            || self.group.columns_and_rows().is_none()
        {
            return self.straight(flow, layout);
        }
        if self.choice.point != PointForm::default() {
            return Err(self.unsupported(
                "an all-to-all goes along rows and columns, or straight; accepted: point_to_point, \
                 point_to_point:direct",
            ));
        }
        let blocks = Blocks {
            network: self.network,
            group: self.group,
            collective: self.collective,
        };
        let (columns, rows) = blocks.columns_and_rows(Algorithm::PointToPoint.name())?;
        let (num_columns, num_rows) = (columns.len(), rows.len());
        let column_bytes = num_rows as u64 * blocks.bytes();
        let scratch = layout.alloc(num_columns as u64 * column_bytes);
        let member = |column: usize, row: usize| Coord::new(columns[column], rows[row]);
        for step in 0..num_columns {
            for (column, row) in product(num_columns, num_rows) {
                let to = (column + step) % num_columns;
                let slot = scratch + column as u64 * column_bytes;
                let source = blocks.input(to * num_rows);
                flow.send(
                    member(column, row),
                    source,
                    member(to, row),
                    slot,
                    column_bytes,
                );
            }
        }
        for step in 0..num_rows {
            for (column, row) in product(num_columns, num_rows) {
                let to = (row + step) % num_rows;
                let lines = Lines {
                    bytes: blocks.bytes(),
                    rows: num_columns as u32,
                    source_stride: column_bytes,
                    destination_stride: column_bytes,
                };
                let source = scratch + to as u64 * blocks.bytes();
                let place = blocks.output(row);
                flow.send_lines(
                    member(column, row),
                    source,
                    member(column, to),
                    place,
                    lines,
                );
            }
        }
        Ok(())
    }
}
