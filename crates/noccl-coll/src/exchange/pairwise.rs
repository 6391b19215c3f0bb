// SPDX-License-Identifier: Apache-2.0
//! Everybody writes to everybody: directly, or along rows and then along columns.

use crate::barrier::sync::SyncPlan;
use crate::builder::Builder;
use crate::entry::{Entry, Length, OnClusters, Parameters};
use crate::exchange::blocks::{Blocks, at, push};
use crate::layout::Layout;
use crate::messages::forms;
use crate::steps::transfer;
use crate::{Algorithm, CollError};
use noccl_net::Coord;
use noccl_workload::{Action, ActionKind, CollectiveKind, Destination, Transfer};

pub(crate) const ENTRY: Entry = Entry {
    parameters: Parameters {
        lag: Some(2),
        ..Parameters::NONE
    },
    length: Length::Members,
    on_clusters: Some(OnClusters::new(
        |kind| matches!(kind, CollectiveKind::AllGather | CollectiveKind::AllToAll),
        |task| Ok(task.in_blocks(|blocks, _, _| Ok(pairwise(blocks)))?.into()),
    )),
    on_cores: Some(forms::PAIRWISE),
    ..Entry::named("pairwise")
};

/// The order in which a rank serves the others: by exclusive or where their number is a power of two, so
/// that pairs exchange, else by rotation. The rank itself comes first.
fn partners(rank: usize, num_ranks: usize) -> impl Iterator<Item = usize> {
    (0..num_ranks).map(move |step| {
        if num_ranks.is_power_of_two() {
            rank ^ step
        } else {
            (rank + step) % num_ranks
        }
    })
}

/// One write per pair, all of a member handed to its DMA at once.
pub(crate) fn pairwise(blocks: Blocks<'_>) -> Vec<Action> {
    let members = blocks.members();
    let is_personal = blocks.collective.kind == CollectiveKind::AllToAll;
    let mut builder = Builder::default();
    for (rank, member) in members.iter().enumerate() {
        for partner in partners(rank, members.len()) {
            let source = if is_personal {
                blocks.input(partner)
            } else {
                blocks.input(0)
            };
            let to = at(members[partner], blocks.output(rank));
            builder.add(push(*member, source, to, blocks.bytes()), &[*member]);
        }
    }
    builder.finish()
}

/// All-to-all in two steps: along the row to the right column, then along the column.
///
/// A member sends to each column once, all blocks of that column together, and to each row once: a line's
/// width of messages instead of its square. Between the steps stands a barrier.
pub(crate) fn row_column(
    blocks: Blocks<'_>,
    layout: &mut Layout,
    sync: &SyncPlan,
) -> Result<Vec<Action>, CollError> {
    let (columns, rows) = blocks.columns_and_rows(Algorithm::RowColumn.name())?;
    let num_rows = rows.len();
    let line_bytes = num_rows as u64 * blocks.bytes();
    // Blocks for this column, from all columns of the row.
    let scratch = layout.alloc(columns.len() as u64 * line_bytes);
    let mut builder = Builder::default();
    for (column, row) in product(columns.len(), num_rows) {
        let member = Coord::new(columns[column], rows[row]);
        for to in partners(column, columns.len()) {
            let place = at(
                Coord::new(columns[to], rows[row]),
                scratch + column as u64 * line_bytes,
            );
            let kind = push(member, blocks.input(to * num_rows), place, line_bytes);
            builder.add(kind, &[member]);
        }
    }
    builder.end_step();
    sync.emit(&mut builder);
    for (column, row) in product(columns.len(), num_rows) {
        let member = Coord::new(columns[column], rows[row]);
        for to in partners(row, num_rows) {
            let source = at(member, scratch + to as u64 * blocks.bytes());
            let place = at(Coord::new(columns[column], rows[to]), blocks.output(row));
            let kind = ActionKind::Transfer(Transfer {
                rows: columns.len() as u32,
                source_stride: line_bytes,
                destination_stride: line_bytes,
                ..transfer(member, source, Destination::One(place), blocks.bytes())
            });
            builder.add(kind, &[member]);
        }
    }
    Ok(builder.finish())
}

/// Columns by rows, column by column.
pub(crate) fn product(columns: usize, rows: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..columns).flat_map(move |c| (0..rows).map(move |r| (c, r)))
}
