// SPDX-License-Identifier: Apache-2.0
//! All-gather and reduce-scatter by the network: everybody is the root of a multicast or a reduction.
//!
//! `in_network` serves the whole group at once. `in_network_lines` serves one dimension after the other:
//! a line has few members, so that all its transactions fit into the tables of a router at the same
//! time, and a reduction along a line meets no router with more than three inputs.

use super::to_set;
use crate::entry::{Entry, Length, OnClusters};
use crate::steps::{Builder, at, local_reduce, network_reduction, push, tile_set, transfer};
use crate::task::Task;
use crate::{Algorithm, CollError, GroupTraffic};
use noccl_net::{Coord, MultiAddress, TileRef};
use noccl_workload::{
    Action, ActionKind, Barrier, BarrierMechanism, CollectiveKind, Place, as_multi_address,
};

pub(crate) const LINES: Entry = Entry {
    is_in_network: true,
    length: Length::MembersOfBlocks,
    on_clusters: Some(OnClusters {
        traffic: |kind| {
            Some(match kind.reduces() {
                true => GroupTraffic::ReductionsByLines,
                false => GroupTraffic::MulticastsByLines,
            })
        },
        ..OnClusters::new(
            |kind| {
                matches!(
                    kind,
                    CollectiveKind::AllGather | CollectiveKind::ReduceScatter
                )
            },
            |task| match task.collective.kind.reduces() {
                true => reduce_scatter_lines(task),
                false => all_gather_lines(task),
            },
        )
    }),
    ..Entry::named("in_network_lines")
};

/// Every member multicasts its block, one transfer per multi-address of the group.
pub(super) fn all_gather(task: &Task<'_>) -> Result<Vec<Action>, CollError> {
    task.layout()?;
    let mut builder = Builder::default();
    for (rank, member) in task.members().iter().enumerate() {
        let source = at(*member, task.input_block(0));
        for set in &task.group.cover {
            let destination = to_set(*set, task.output_block(rank));
            let kind = transfer(*member, source, destination, task.collective.bytes);
            builder.add(ActionKind::Transfer(kind), &[*member]);
        }
    }
    Ok(builder.finish())
}

/// One reduction per member and multi-address of the group. Several multi-addresses follow each other, with
/// barriers between them: the routers' stores have space for the reductions of one. The partial results
/// are reduced by the member's cores in their order.
pub(super) fn reduce_scatter(task: &Task<'_>) -> Result<Vec<Action>, CollError> {
    let mut layout = task.layout()?;
    let sets = &task.group.cover;
    let is_whole = sets.len() == 1;
    let slots: Vec<u64> = sets
        .iter()
        .map(|_| {
            if is_whole {
                task.output_block(0)
            } else {
                layout.alloc(task.collective.bytes)
            }
        })
        .collect();
    let mut builder = Builder::default();
    for (set, slot) in sets.iter().zip(&slots) {
        let members: Vec<Coord> = set.members().collect();
        for rank in in_issue_order(task.members()) {
            let (input, to) = (task.input_block(rank), at(task.members()[rank], *slot));
            let kind = if members.len() == 1 {
                push(set.base, input, to, task.collective.bytes)
            } else {
                reduction(task, *set, input, to, task.collective.bytes)
            };
            builder.add(kind, &members);
        }
        builder.end_step();
        if !is_whole {
            task.sync().emit(&mut builder);
        }
    }
    if !is_whole {
        for member in task.members() {
            let (output, bytes) = (task.output_block(0), task.collective.bytes);
            let fold = local_reduce(task.collective, *member, slots.clone(), output, bytes);
            builder.add(ActionKind::LocalReduce(fold), &[*member]);
        }
    }
    task.check_layout(&layout)?;
    Ok(builder.finish())
}

/// A reduction by the network over a set of contributors.
fn reduction(
    task: &Task<'_>,
    group: MultiAddress,
    source_offset: u64,
    root: Place,
    bytes: u64,
) -> ActionKind {
    let collective = task.collective;
    let reduction = network_reduction(collective, group, source_offset, root, bytes);
    ActionKind::InNetworkReduction(reduction)
}

/// Roots of consecutive reductions stand on a diagonal, so that no row or column has them all.
fn in_issue_order(members: &[Coord]) -> Vec<usize> {
    let height = members.iter().map(|c| c.y + 1).max().unwrap_or(1);
    let mut order: Vec<usize> = (0..members.len()).collect();
    order.sort_by_key(|rank| {
        let at = members[*rank];
        ((at.y + height - at.x % height) % height, at.x)
    });
    order
}

/// The lines of a group that is columns × rows, each one multi-address.
struct GatherLines {
    columns: Vec<MultiAddress>,
    rows: Vec<MultiAddress>,
}

impl GatherLines {
    fn new(task: &Task<'_>) -> Result<Self, CollError> {
        let algorithm = Algorithm::InNetworkLines.name();
        let (columns, rows) = task.columns_and_rows(algorithm)?;
        let column = |x: &u16| rows.iter().map(|y| Coord::new(*x, *y)).collect::<Vec<_>>();
        let row = |y: &u16| {
            columns
                .iter()
                .map(|x| Coord::new(*x, *y))
                .collect::<Vec<_>>()
        };
        let lines = |lines: Vec<Vec<Coord>>| -> Option<Vec<MultiAddress>> {
            lines.iter().map(|line| as_multi_address(line)).collect()
        };
        lines(columns.iter().map(column).collect())
            .zip(lines(rows.iter().map(row).collect()))
            .map(|(columns, rows)| Self { columns, rows })
            .ok_or_else(|| CollError::Unsupported {
                algorithm: algorithm.to_owned(),
                collective: task.collective.kind.to_string(),
                reason: "a row or column of the group is no multi-address; accepted: aligned \
                         power-of-two sides, or in_network"
                    .to_owned(),
            })
    }
}

/// Along the columns each its block, then along the rows each its whole column.
fn all_gather_lines(task: &Task<'_>) -> Result<Vec<Action>, CollError> {
    task.layout()?;
    let lines = GatherLines::new(task)?;
    let num_rows = lines.rows.len();
    let line_bytes = num_rows as u64 * task.collective.bytes;
    let mut builder = Builder::default();
    for (rank, member) in task.members().iter().enumerate() {
        let source = at(*member, task.input_block(0));
        let to = to_set(lines.columns[rank / num_rows], task.output_block(rank));
        let kind = transfer(*member, source, to, task.collective.bytes);
        builder.add(ActionKind::Transfer(kind), &[*member]);
    }
    builder.end_step();
    if num_rows > 1 {
        for column in &lines.columns {
            let members: Vec<Coord> = column.members().collect();
            let barrier = Barrier {
                group: tile_set(&members),
                counter: TileRef::Cluster(members[members.len() / 2]),
                mechanism: BarrierMechanism::InNetwork,
            };
            builder.add(ActionKind::Barrier(barrier), &members);
        }
        builder.end_step();
    }
    if lines.columns.len() > 1 {
        for (rank, member) in task.members().iter().enumerate() {
            let offset = task.output_block(rank / num_rows * num_rows);
            let to = to_set(lines.rows[rank % num_rows], offset);
            let kind = transfer(*member, at(*member, offset), to, line_bytes);
            builder.add(ActionKind::Transfer(kind), &[*member]);
        }
    }
    Ok(builder.finish())
}

/// Along the rows all blocks of a column to its member, then along the columns each block to its rank.
fn reduce_scatter_lines(task: &Task<'_>) -> Result<Vec<Action>, CollError> {
    let mut layout = task.layout()?;
    let lines = GatherLines::new(task)?;
    let (num_columns, num_rows) = (lines.columns.len(), lines.rows.len());
    let line_bytes = num_rows as u64 * task.collective.bytes;
    let is_one_column = num_columns == 1;
    let partial = if is_one_column {
        task.input_block(0)
    } else {
        layout.alloc(line_bytes)
    };
    let mut builder = Builder::default();
    if !is_one_column {
        for (column, line) in lines.columns.iter().enumerate() {
            for (row, root) in lines.rows.iter().zip(line.members()) {
                let members: Vec<Coord> = row.members().collect();
                let input = task.input_block(column * num_rows);
                let kind = reduction(task, *row, input, at(root, partial), line_bytes);
                builder.add(kind, &members);
            }
        }
        builder.end_step();
    }
    if num_rows == 1 {
        // The partial result of a row is all there is: it belongs to the output.
        for member in task.members() {
            let to = at(*member, task.output_block(0));
            builder.add(
                push(*member, partial, to, task.collective.bytes),
                &[*member],
            );
        }
        task.check_layout(&layout)?;
        return Ok(builder.finish());
    }
    if !is_one_column {
        task.sync().emit(&mut builder);
    }
    for row in 0..num_rows {
        for (column, line) in lines.columns.iter().enumerate() {
            let members: Vec<Coord> = line.members().collect();
            let root = task.members()[column * num_rows + row];
            let from = partial + row as u64 * task.collective.bytes;
            let to = at(root, task.output_block(0));
            let kind = reduction(task, *line, from, to, task.collective.bytes);
            builder.add(kind, &members);
        }
    }
    task.check_layout(&layout)?;
    Ok(builder.finish())
}
