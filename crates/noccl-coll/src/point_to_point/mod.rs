// SPDX-License-Identifier: Apache-2.0
//! Algorithms by messages from member to member, without barriers.
//!
//! A delivery wakes its destination, which then goes on by itself. So there are no steps: what a member does depends on the
//! bytes that it needs and on nothing else, and additions run during transfers.

mod candidates;
mod chunks;
pub(crate) mod dataflow;
mod dimensions;
mod file_order;
mod line;
mod reuse;
mod scan;
mod scatter_gather;
mod straight;
mod trees;

use crate::entry::{Entry, OnClusters, Parameters};
use crate::layout::Layout;
use crate::plan::exchange::{ByRowAndColumn, rotation};
use crate::plan::line::dissemination;
use crate::plan::mesh_order::by_rows;
use crate::task::Task;
use crate::{Algorithm, CollError, LineForm, PointForm};
use chunks::by_lines;
use dataflow::{Dataflow, FLAG_BYTES, Rows};
use dimensions::{Dimension, dimensions};
use file_order::Priority;
use noccl_workload::{Action, CollectiveKind, Holders};
use reuse::Slots;
use scan::by_scan;
use scatter_gather::scatter_or_gather;
use straight::{by_copies, custom};
use trees::{by_parts, by_trees};

/// Chunks that have slots of their own at a time: all if memory suffices, else as many of these as fit.
const CHUNKS_AT_A_TIME: [Option<u32>; 4] = [None, Some(4), Some(2), Some(1)];

/// Beats of a payload or block from which on an exchange keeps the order in which members take each other.
const MIN_BEATS_IN_ROTATION: u64 = 4;
/// Members from which on it does.
const MIN_MEMBERS_IN_ROTATION: usize = 9;

pub(crate) const ENTRY: Entry = Entry {
    parameters: Parameters {
        has_chunks: true,
        has_form: true,
        ..Parameters::NONE
    },
    on_clusters: Some(OnClusters {
        is_cut: |kind| Family::of(kind).is_cut(),
        candidates: candidates::candidates,
        ..OnClusters::new(|_| true, by_messages)
    }),
    ..Entry::named("point_to_point")
};

/// The actions of `point_to_point`.
fn by_messages(task: &Task<'_>) -> Result<Vec<Action>, CollError> {
    let mut chunks = CHUNKS_AT_A_TIME.into_iter();
    loop {
        let made = with_slots(task, chunks.next().flatten());
        let may_fit = task.choice.chunks > 1 && chunks.len() > 0;
        if !(may_fit && matches!(made, Err(CollError::DoesNotFit { .. }))) {
            return made;
        }
    }
}

fn with_slots(task: &Task<'_>, chunks: Option<u32>) -> Result<Vec<Action>, CollError> {
    let mut layout = task.layout()?;
    let mut flow = Dataflow::new(task.network, task.collective);
    let form = task.choice.point;
    match Family::of(task.collective.kind) {
        Family::Flags => by_flags(task, &mut flow, &mut layout)?,
        Family::Exchange => exchange(task, &mut flow, &mut layout)?,
        Family::ScatterGather => scatter_or_gather(task, &mut flow, &mut layout)?,
        Family::Scan => by_scan(task, &mut flow, &mut Slots::new(&mut layout, chunks))?,
        Family::Defined => custom(task, &mut flow, &mut layout)?,
        Family::Parts => match form {
            PointForm::Trees(_) | PointForm::Rotated(_) => {
                by_trees(task, form, &mut flow, &mut layout)?;
            }
            PointForm::Combine(most) if is_rooted(task.collective.kind) => {
                by_parts(task, most, &mut flow, &mut Slots::new(&mut layout, chunks));
            }
            PointForm::Ring
            | PointForm::Lines(..)
            | PointForm::Radix(_)
            | PointForm::Combine(_) => {
                by_lines(task, form, &mut flow, &mut Slots::new(&mut layout, chunks))?;
            }
        },
    }
    task.check_layout(&layout)?;
    if is_in_rotation(task) {
        return Ok(flow.finish_as_added());
    }
    Ok(flow.finish(priority(task)))
}

/// Where everybody sends several beats to everybody, each to another one first: an order by estimates would have all send to the same ones
/// (a scan of 256 bytes over 4x4 223 cycles instead of 199). What is shorter gains by estimates (8 bytes 97 instead of 121), and so do
/// few members (4x2 93 instead of 97).
fn is_in_rotation(task: &Task<'_>) -> bool {
    let kind = task.collective.kind;
    let adds = kind.reduces() && kind.output_holders() == Holders::Members;
    let is_combined = matches!(task.choice.point, PointForm::Combine(_));
    let (members, bytes) = (task.group.members.len(), task.collective.bytes);
    let is_long = bytes >= MIN_BEATS_IN_ROTATION * task.network.beat_bytes();
    adds && is_combined && is_long && members >= MIN_MEMBERS_IN_ROTATION
}

/// Trees and radix forms, whose chunks are many and short, gain by chunks in order; rings lose (8x8, 1 to 32 KiB: -10 % and +8 %). So do
/// scatters, which have none (8x8, 64 and 512 bytes: +16 % and +5 %).
const fn priority(task: &Task<'_>) -> Priority {
    match (task.collective.kind, task.choice.point) {
        (CollectiveKind::Scatter, _) | (_, PointForm::Ring | PointForm::Lines(..)) => {
            Priority::Path
        }
        (
            _,
            PointForm::Radix(_)
            | PointForm::Combine(_)
            | PointForm::Trees(_)
            | PointForm::Rotated(_),
        ) => Priority::PathAndQueue,
    }
}

/// Does its payload start or end at one tile?
const fn is_rooted(kind: CollectiveKind) -> bool {
    matches!(kind, CollectiveKind::Multicast | CollectiveKind::Reduce)
}

// How `point_to_point` carries out each kind of collective: the only place of the library that matches all kinds by name.

/// Collectives that deliveries carry out in the same form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// Flags alone.
    Flags,
    /// A block from everybody to everybody.
    Exchange,
    /// Blocks between the root and every member.
    ScatterGather,
    /// The sum of a rank and of all before it.
    Scan,
    /// What a definition asks for, straight from where it is.
    Defined,
    /// Parts of payloads or blocks along lines, trees and rings.
    Parts,
}

impl Family {
    pub(crate) const fn of(kind: CollectiveKind) -> Self {
        match kind {
            CollectiveKind::Barrier => Self::Flags,
            CollectiveKind::AllToAll => Self::Exchange,
            CollectiveKind::Scatter | CollectiveKind::Gather => Self::ScatterGather,
            CollectiveKind::Scan => Self::Scan,
            CollectiveKind::Custom => Self::Defined,
            CollectiveKind::Multicast
            | CollectiveKind::Reduce
            | CollectiveKind::AllReduce
            | CollectiveKind::AllGather
            | CollectiveKind::ReduceScatter => Self::Parts,
        }
    }

    /// Do blocks and chunks go straight, unless another form is named? Its algorithms bring to scratch first what would overwrite an input that
    /// somebody still needs.
    pub(crate) const fn is_straight(self) -> bool {
        matches!(self, Self::ScatterGather | Self::Defined)
    }

    /// Can a payload or block be cut? Others are sent as they are.
    pub(crate) const fn is_cut(self) -> bool {
        !self.is_straight() && !matches!(self, Self::Exchange)
    }
}

// All-to-all along rows and then along columns: a member goes on when what it has to pass on has come. Groups that are no products of
// columns and rows exchange straight.

/// Blocks for a column together to that column, then each to its row.
pub(super) fn exchange(
    task: &Task<'_>,
    flow: &mut Dataflow<'_>,
    layout: &mut Layout,
) -> Result<(), CollError> {
    if task.choice.point == PointForm::Lines(LineForm::Direct, LineForm::Direct)
        || task.group.columns_and_rows().is_none()
    {
        return by_copies(task, flow, layout);
    }
    if task.choice.point != PointForm::default() {
        return Err(task.unsupported(
            "an all-to-all goes along rows and columns, or straight; accepted: point_to_point, \
             point_to_point:direct",
        ));
    }
    let (columns, rows) = task.columns_and_rows(Algorithm::PointToPoint.name())?;
    let plan = ByRowAndColumn {
        columns: columns.len(),
        rows: rows.len(),
        bytes: task.collective.bytes,
        input: task.input_block(0),
        between: layout.alloc(task.collective.bytes * task.members().len() as u64),
        output: task.output_block(0),
    };
    let along_rows = (0..plan.columns).flat_map(|step| plan.along_rows(step, rotation));
    let along_columns = (0..plan.rows).flat_map(|step| plan.along_columns(step, rotation));
    for one in along_rows.chain(along_columns) {
        let (from, to) = (task.members()[one.from], task.members()[one.to]);
        let rows = Rows {
            bytes: one.bytes,
            count: one.rows as u32,
            stride: one.stride,
        };
        flow.send_rows(from, one.source, to, one.destination, rows);
    }
    Ok(())
}

// A barrier by flags: every member signals others at doubling distances that it has come this far (dissemination).

/// In round r a member signals the one 2^r places on, when the flags of all rounds before have come: then it speaks for
/// 2^r members. A flag of its own that is never written is what it sends.
fn by_flags(
    task: &Task<'_>,
    flow: &mut Dataflow<'_>,
    layout: &mut Layout,
) -> Result<(), CollError> {
    if task.choice.chunks > 1 {
        return Err(no_such_barrier(task));
    }
    match task.choice.point {
        PointForm::Combine(_) => {
            by_many_flags(task, flow, layout);
            return Ok(());
        }
        PointForm::Lines(LineForm::Ring, LineForm::Ring) => {}
        PointForm::Ring
        | PointForm::Lines(..)
        | PointForm::Radix(_)
        | PointForm::Trees(_)
        | PointForm::Rotated(_) => return Err(no_such_barrier(task)),
    }
    let members = by_rows(&task.group.members);
    let rounds = dissemination(members.len());
    let source = layout.alloc(FLAG_BYTES * (rounds.len() as u64 + 1));
    let slots = source + FLAG_BYTES;
    for (round, partners) in (0_u64..).zip(rounds) {
        let slot = slots + FLAG_BYTES * round;
        for (member, to) in members.iter().zip(partners) {
            flow.signal(*member, source, (slots, slot), members[to], slot);
        }
    }
    Ok(())
}

/// Everybody of a line signals everybody of it, when the flags of all dimensions before have come.
fn by_many_flags(task: &Task<'_>, flow: &mut Dataflow<'_>, layout: &mut Layout) {
    let all = dimensions(task.group, task.choice.point);
    let num_flags: usize = all.iter().map(Dimension::len).sum();
    let source = layout.alloc(FLAG_BYTES * (num_flags as u64 + 1));
    let slots = source + FLAG_BYTES;
    let mut before = slots;
    for dimension in &all {
        let num = dimension.len();
        for step in 1..num {
            for line in &dimension.lines {
                for (position, member) in line.iter().enumerate() {
                    let (to, slot) = (
                        line[(position + step) % num],
                        before + FLAG_BYTES * position as u64,
                    );
                    flow.signal(*member, source, (slots, before), to, slot);
                }
            }
        }
        before += FLAG_BYTES * num as u64;
    }
}

fn no_such_barrier(task: &Task<'_>) -> CollError {
    task.unsupported(
        "a barrier goes on when flags have come; accepted: point_to_point, point_to_point:combine=COUNT",
    )
}
