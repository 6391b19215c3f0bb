// SPDX-License-Identifier: Apache-2.0
//! Ring algorithms: every member sends to the next one, all at the same time, step by step.
//!
//! Every port passes each block once, so that a ring is as good as a port allows for long blocks; it costs
//! a barrier per step.

use super::trees::in_steps;
use super::{Steps, at, copy, fold, local_reduce};
use crate::CollError;
use crate::entry::{Entry, Length, OnClusters, Parameters};
use crate::layout::{Chunks, Layout};
use crate::plan::line::{ring_all_gather, ring_reduce_scatter};
use crate::plan::mesh_order::ring_order;
use crate::task::{Task, rank_of};
use noccl_net::Coord;
use noccl_net::counts::max_or_zero;
use noccl_workload::{Action, CollectiveKind};

pub(crate) const ENTRY: Entry = Entry {
    parameters: Parameters {
        has_steps: true,
        ..Parameters::NONE
    },
    length: Length::Members,
    on_clusters: Some(
        OnClusters::new(
            |kind| {
                use CollectiveKind::{AllGather, AllReduce, ReduceScatter};
                matches!(kind, AllReduce | AllGather | ReduceScatter)
            },
            |task| match task.is_alone() {
                true => in_steps(task),
                false => by_ring(task),
            },
        )
        .cut(|offer| offer.plain()),
    ),
    ..Entry::named("ring")
};

/// Where the part of a position lies: offset in the input, in the output, and its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part {
    input: u64,
    output: u64,
    bytes: u64,
}

/// A ring over a group.
struct Ring<'a> {
    task: &'a Task<'a>,
    /// Members in ring order.
    order: Vec<Coord>,
    /// The part that belongs to each position; some may be empty.
    parts: Vec<Part>,
}

/// A ring over all members.
fn by_ring(task: &Task<'_>) -> Result<Vec<Action>, CollError> {
    let mut layout = task.layout()?;
    let mut steps = Steps::new(task.sync(), false);
    let ring = Ring::new(task);
    let kind = task.collective.kind;
    if kind.reduces() {
        ring.reduce_scatter(&mut layout, &mut steps);
    }
    if !kind.gives_blocks() {
        ring.all_gather(&mut steps);
    }
    task.check_layout(&layout)?;
    Ok(steps.finish())
}

impl<'a> Ring<'a> {
    /// Parts are the blocks of the ranks, of an all-reduce the payload cut at beats.
    fn new(task: &'a Task<'a>) -> Self {
        let order = ring_order(task.members());
        let collective = task.collective;
        let cut = Chunks::new(collective.bytes, task.beat_bytes(), order.len() as u32);
        let parts = order.iter().enumerate().map(|(position, member)| {
            let rank = rank_of(task.members(), member);
            let kind = collective.kind;
            let (start, bytes) = if kind.has_blocks() {
                (0, collective.bytes)
            } else if position < cut.len() {
                cut.range(position)
            } else {
                (0, 0)
            };
            // Inputs or outputs of all ranks, or the only one.
            Part {
                input: start + task.input_block(if kind.gives_blocks() { rank } else { 0 }),
                output: start + task.output_block(if kind.takes_blocks() { rank } else { 0 }),
                bytes,
            }
        });
        Self {
            parts: parts.collect(),
            order,
            task,
        }
    }

    fn positions(&self) -> Vec<usize> {
        (0..self.order.len()).collect()
    }

    /// Every step each member writes the part it got last to its successor.
    fn all_gather(&self, steps: &mut Steps) {
        let num_steps = self.order.len().saturating_sub(1);
        let has_blocks = self.task.collective.kind.takes_blocks();
        for (step, mut sends) in ring_all_gather(&self.positions(), num_steps).enumerate() {
            let mut ops = Vec::new();
            sends.sort_by_key(|send| send.from);
            for send in sends {
                let (from, to) = (self.order[send.from], self.order[send.to]);
                let part = self.parts[send.blocks[0]];
                let is_local = step == 0 && has_blocks;
                let source = at(from, if is_local { part.input } else { part.output });
                if is_local {
                    ops.push(copy(from, source, at(from, part.output), part.bytes));
                }
                if part.bytes > 0 {
                    ops.push(copy(from, source, at(to, part.output), part.bytes));
                }
            }
            steps.step(ops);
        }
    }

    /// Every step each member reads a partial sum of its predecessor and adds its own part into it, own operand left.
    fn reduce_scatter(&self, layout: &mut Layout, steps: &mut Steps) {
        let longest = max_or_zero(self.parts.iter().map(|p| p.bytes));
        let receive = layout.alloc(longest);
        let partial = [layout.alloc(longest), layout.alloc(longest)];
        let num_steps = self.order.len().saturating_sub(1);
        for (step, mut sends) in ring_reduce_scatter(&self.positions()).enumerate() {
            let (mut moves, mut sums) = (Vec::new(), Vec::new());
            sends.sort_by_key(|send| send.to);
            for send in sends {
                let (from, to) = (self.order[send.from], self.order[send.to]);
                let part = self.parts[send.blocks[0]];
                if part.bytes == 0 {
                    continue;
                }
                let source = match step {
                    0 => part.input,
                    _ => partial[(step + 1) % 2],
                };
                let output = match step + 1 == num_steps {
                    true => part.output,
                    false => partial[step % 2],
                };
                moves.push(copy(to, at(from, source), at(to, receive), part.bytes));
                let inputs = vec![part.input, receive];
                let sum = local_reduce(self.task.collective, to, inputs, output, part.bytes);
                sums.push(fold(sum, to));
            }
            steps.step(moves);
            steps.step(sums);
        }
    }
}
