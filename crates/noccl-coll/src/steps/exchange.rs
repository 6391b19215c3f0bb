// SPDX-License-Identifier: Apache-2.0
//! Members that write to each other directly, at once or along rows and then along columns, and the root to all members.
//!
//! Ranks are the members in ascending order. Blocks lie one behind the other, by rank.

use super::{Builder, at, push, transfer};
use crate::entry::{Entry, Length, OnClusters, Parameters};
use crate::plan::exchange;
use crate::plan::exchange::{ByRowAndColumn, Moved, by_partners};
use crate::task::Task;
use crate::{Algorithm, CollError, GroupTraffic, messages};
use noccl_net::TileRef;
use noccl_workload::{Action, ActionKind, CollectiveKind, Destination, Place, Transfer};

/// A collective of blocks with one member: its block is its output.
pub(crate) fn alone(task: &Task<'_>) -> Result<Vec<Action>, CollError> {
    task.layout()?;
    let mut builder = Builder::default();
    for member in task.members() {
        let to = at(*member, task.output_block(0));
        let kind = push(*member, task.input_block(0), to, task.collective.bytes);
        builder.add(kind, &[*member]);
    }
    Ok(builder.finish())
}

pub(crate) const PAIRWISE: Entry = Entry {
    parameters: Parameters {
        lag: Some(2),
        ..Parameters::NONE
    },
    length: Length::Members,
    on_clusters: Some(OnClusters {
        traffic: |kind| (kind == CollectiveKind::AllToAll).then_some(GroupTraffic::Writes),
        ..OnClusters::new(
            |kind| matches!(kind, CollectiveKind::AllGather | CollectiveKind::AllToAll),
            pairwise,
        )
    }),
    on_cores: Some(messages::PAIRWISE),
    ..Entry::named("pairwise")
};

/// One write per pair, all of a member queued in its DMA at once.
fn pairwise(task: &Task<'_>) -> Result<Vec<Action>, CollError> {
    task.layout()?;
    let is_personal = task.collective.kind == CollectiveKind::AllToAll;
    let pairs = by_partners(task.members().len(), exchange::pairwise).flatten();
    let moved = pairs.map(|(from, to)| Moved {
        from,
        to,
        source: task.input_block(if is_personal { to } else { 0 }),
        destination: task.output_block(from),
        bytes: task.collective.bytes,
        rows: 1,
        stride: 0,
    });
    let mut builder = Builder::default();
    add_moved(task, moved.collect(), &mut builder);
    Ok(builder.finish())
}

/// All-to-all in two steps with a barrier between them: along the row to the right column, then along the column.
///
/// A member sends to each column once, all blocks of that column together, and to each row once: as many messages as the rows and columns have
/// members, not their product.
pub(super) fn row_column(task: &Task<'_>) -> Result<Vec<Action>, CollError> {
    let mut layout = task.layout()?;
    let (columns, rows) = task.columns_and_rows(Algorithm::RowColumn.name())?;
    let (columns, rows) = (columns.len(), rows.len());
    let plan = ByRowAndColumn {
        columns,
        rows,
        bytes: task.collective.bytes,
        input: task.input_block(0),
        between: layout.alloc(task.collective.bytes * task.members().len() as u64),
        output: task.output_block(0),
    };
    let mut builder = Builder::default();
    let along_rows = (0..columns).flat_map(|step| plan.along_rows(step, exchange::pairwise));
    add_moved(task, along_rows.collect(), &mut builder);
    builder.end_step();
    task.sync().emit(&mut builder);
    let along_columns = (0..rows).flat_map(|step| plan.along_columns(step, exchange::pairwise));
    add_moved(task, along_columns.collect(), &mut builder);
    task.check_layout(&layout)?;
    Ok(builder.finish())
}

/// Writes of each member in the order of the plan, member by member.
fn add_moved(task: &Task<'_>, mut moved: Vec<Moved>, builder: &mut Builder) {
    moved.sort_by_key(|one| one.from);
    for one in moved {
        let (from, to) = (task.members()[one.from], task.members()[one.to]);
        let destination = Destination::One(at(to, one.destination));
        let kind = ActionKind::Transfer(Transfer {
            rows: one.rows as u32,
            source_stride: one.stride,
            destination_stride: one.stride,
            ..transfer(from, at(from, one.source), destination, one.bytes)
        });
        builder.add(kind, &[from]);
    }
}

// Multicast by repeated unicasts (S3's iDMA): one engine writes to one member after the other.
//
// The baseline of every other form: it needs neither network nor other members, and its engine's port carries the
// payload as often as there are members.

pub(crate) const UNICAST: Entry = Entry {
    other_names: &["linear", "flat"],
    parameters: Parameters {
        lag: Some(0),
        ..Parameters::NONE
    },
    on_clusters: Some(OnClusters::new(
        |kind| kind == CollectiveKind::Multicast,
        by_unicasts,
    )),
    on_cores: Some(messages::UNICAST),
    ..Entry::named("unicast")
};

/// A copy per member, queued back to back in the root's engine. A memory tile has none: the entry fetches the payload and does it.
fn by_unicasts(task: &Task<'_>) -> Result<Vec<Action>, CollError> {
    let (group, collective) = (task.group, task.collective);
    task.layout()?;
    let (bytes, output) = (collective.bytes, collective.output_offset);
    let engine = match collective.root {
        TileRef::Cluster(root) => root,
        TileRef::Memory(_) => group.entry,
    };
    let mut builder = Builder::default();
    let mut source = task.input();
    let local = at(engine, output);
    let copy = |source: Place, to: Place| {
        ActionKind::Transfer(transfer(engine, source, Destination::One(to), bytes))
    };
    if source.tile != local.tile {
        builder.add(copy(source, local), &[engine]);
        builder.end_step();
        source = local;
    }
    for member in group.members.iter().filter(|m| **m != engine) {
        builder.add(copy(source, at(*member, output)), &[engine]);
    }
    if source != local && group.set.contains(&engine) {
        builder.add(copy(source, local), &[engine]);
    }
    builder.end_step();
    Ok(builder.finish())
}
