// SPDX-License-Identifier: Apache-2.0
//! All-gather and reduce-scatter by the network: everybody is the root of a multicast or a reduction.
//!
//! `in_network` serves the whole group at once. `in_network_lines` serves one dimension after the other:
//! a line has few members, so that all its transactions fit into the tables of a router at the same
//! time, and a reduction along a line meets no router with more than three inputs.

use crate::barrier::sync::SyncPlan;
use crate::builder::{Builder, tile_set};
use crate::entry::{Entry, Length, OnClusters};
use crate::exchange::blocks::{Blocks, at, push};
use crate::layout::Layout;
use crate::steps::transfer;
use crate::{Algorithm, CollError};
use noccl_net::{Coord, MultiAddress, TileRef};
use noccl_workload::{
    Action, ActionKind, Barrier, BarrierMechanism, CollectiveKind, Destination, as_multi_address,
};

pub(crate) const LINES: Entry = Entry {
    is_in_network: true,
    length: Length::MembersOfBlocks,
    on_clusters: Some(OnClusters::new(
        |kind| {
            matches!(
                kind,
                CollectiveKind::AllGather | CollectiveKind::ReduceScatter
            )
        },
        |task| match task.collective.kind.reduces() {
            true => Ok(task.in_blocks(reduce_scatter_lines)?.into()),
            false => Ok(task
                .in_blocks(|blocks, _, _| all_gather_lines(blocks))?
                .into()),
        },
    )),
    ..Entry::named("in_network_lines")
};

/// Every member multicasts its block, one transfer per multi-address of the group.
pub(crate) fn all_gather(blocks: Blocks<'_>) -> Vec<Action> {
    let mut builder = Builder::default();
    for (rank, member) in blocks.members().iter().enumerate() {
        let source = at(*member, blocks.input(0));
        for piece in &blocks.group.pieces {
            let destination = destination(*piece, blocks.output(rank));
            let kind = transfer(*member, source, destination, blocks.bytes());
            builder.add(ActionKind::Transfer(kind), &[*member]);
        }
    }
    builder.finish()
}

/// One multi-address, or the only tile of it.
fn destination(piece: MultiAddress, offset: u64) -> Destination {
    if piece.len() == 1 {
        Destination::One(at(piece.base, offset))
    } else {
        Destination::Multicast { set: piece, offset }
    }
}

/// One reduction per member and multi-address of the group. Several multi-addresses follow each other, with
/// barriers between them: the routers' stores have space for the reductions of one. The partial results
/// are reduced by the member's cores in their order.
pub(crate) fn reduce_scatter(
    blocks: Blocks<'_>,
    layout: &mut Layout,
    sync: &SyncPlan,
) -> Vec<Action> {
    let pieces = &blocks.group.pieces;
    let is_whole = pieces.len() == 1;
    let slots: Vec<u64> = pieces
        .iter()
        .map(|_| {
            if is_whole {
                blocks.output(0)
            } else {
                layout.alloc(blocks.bytes())
            }
        })
        .collect();
    let mut builder = Builder::default();
    for (piece, slot) in pieces.iter().zip(&slots) {
        let members: Vec<Coord> = piece.members().collect();
        for rank in in_issue_order(blocks.members()) {
            let (input, to) = (blocks.input(rank), at(blocks.members()[rank], *slot));
            let kind = if members.len() == 1 {
                push(piece.base, input, to, blocks.bytes())
            } else {
                blocks.reduction(*piece, input, to, blocks.bytes())
            };
            builder.add(kind, &members);
        }
        builder.end_step();
        if !is_whole {
            sync.emit(&mut builder);
        }
    }
    if !is_whole {
        for member in blocks.members() {
            let fold = blocks.fold(*member, slots.clone(), blocks.output(0));
            builder.add(ActionKind::LocalReduce(fold), &[*member]);
        }
    }
    builder.finish()
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
    fn new(blocks: Blocks<'_>) -> Result<Self, CollError> {
        let algorithm = Algorithm::InNetworkLines.name();
        let (columns, rows) = blocks.columns_and_rows(algorithm)?;
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
                collective: blocks.collective.kind.to_string(),
                reason: "a row or column of the group is no multi-address; accepted: aligned \
                         power-of-two sides, or in_network"
                    .to_owned(),
            })
    }
}

/// Along the columns each its block, then along the rows each its whole column.
pub(crate) fn all_gather_lines(blocks: Blocks<'_>) -> Result<Vec<Action>, CollError> {
    let lines = GatherLines::new(blocks)?;
    let num_rows = lines.rows.len();
    let line_bytes = num_rows as u64 * blocks.bytes();
    let mut builder = Builder::default();
    for (rank, member) in blocks.members().iter().enumerate() {
        let source = at(*member, blocks.input(0));
        let to = destination(lines.columns[rank / num_rows], blocks.output(rank));
        let kind = transfer(*member, source, to, blocks.bytes());
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
        for (rank, member) in blocks.members().iter().enumerate() {
            let offset = blocks.output(rank / num_rows * num_rows);
            let to = destination(lines.rows[rank % num_rows], offset);
            let kind = transfer(*member, at(*member, offset), to, line_bytes);
            builder.add(ActionKind::Transfer(kind), &[*member]);
        }
    }
    Ok(builder.finish())
}

/// Along the rows all blocks of a column to its member, then along the columns each block to its rank.
pub(crate) fn reduce_scatter_lines(
    blocks: Blocks<'_>,
    layout: &mut Layout,
    sync: &SyncPlan,
) -> Result<Vec<Action>, CollError> {
    let lines = GatherLines::new(blocks)?;
    let (num_columns, num_rows) = (lines.columns.len(), lines.rows.len());
    let line_bytes = num_rows as u64 * blocks.bytes();
    let is_one_column = num_columns == 1;
    let partial = if is_one_column {
        blocks.input(0)
    } else {
        layout.alloc(line_bytes)
    };
    let mut builder = Builder::default();
    if !is_one_column {
        for (column, line) in lines.columns.iter().enumerate() {
            for (row, root) in lines.rows.iter().zip(line.members()) {
                let members: Vec<Coord> = row.members().collect();
                let input = blocks.input(column * num_rows);
                let kind = blocks.reduction(*row, input, at(root, partial), line_bytes);
                builder.add(kind, &members);
            }
        }
        builder.end_step();
    }
    if num_rows == 1 {
        // The partial result of a row is all there is: it belongs to the output.
        for member in blocks.members() {
            let to = at(*member, blocks.output(0));
            builder.add(push(*member, partial, to, blocks.bytes()), &[*member]);
        }
        return Ok(builder.finish());
    }
    if !is_one_column {
        sync.emit(&mut builder);
    }
    for row in 0..num_rows {
        for (column, line) in lines.columns.iter().enumerate() {
            let members: Vec<Coord> = line.members().collect();
            let root = blocks.members()[column * num_rows + row];
            let from = partial + row as u64 * blocks.bytes();
            let to = at(root, blocks.output(0));
            let kind = blocks.reduction(*line, from, to, blocks.bytes());
            builder.add(kind, &members);
        }
    }
    Ok(builder.finish())
}
