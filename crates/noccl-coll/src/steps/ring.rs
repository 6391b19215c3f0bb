// SPDX-License-Identifier: Apache-2.0
//! Ring algorithms: every member hands to the next one, all at the same time, step by step.
//!
//! Every port passes each block once, so that a ring is as good as a port allows for long blocks; it costs
//! a barrier per step.

use crate::entry::{Entry, Length, OnClusters, Parameters};
use crate::exchange::blocks::at;
use crate::group::Group;
use crate::layout::{Chunks, Layout};
use crate::order::ring_order;
use crate::position::rank_of;
use crate::steps::{Op, Steps, copy, fold};
use noccl_net::counts::max_or_zero;
use noccl_net::{Coord, TileRef};
use noccl_workload::{Collective, CollectiveKind, LocalReduce};

/// Where the part of a position lies: offset in the input, in the output, and its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part {
    input: u64,
    output: u64,
    bytes: u64,
}

/// A ring over a group.
#[derive(Debug)]
pub(crate) struct Ring<'a> {
    collective: &'a Collective,
    /// Members in ring order.
    order: Vec<Coord>,
    /// The part that belongs to each position; some may be empty.
    parts: Vec<Part>,
}

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
                true => Ok(task.in_steps()?.into()),
                false => Ok(task.by_ring()?.into()),
            },
        )
        .cut(|offer| offer.plain()),
    ),
    ..Entry::named("ring")
};

impl<'a> Ring<'a> {
    /// Parts are the blocks of the ranks, of an all-reduce the payload cut at beats.
    pub(crate) fn new(collective: &'a Collective, group: &Group, beat_bytes: u64) -> Self {
        let order = ring_order(&group.members);
        let (input, output) = (collective.input_offset, collective.output_offset);
        let cut = Chunks::new(collective.bytes, beat_bytes, order.len() as u32);
        let parts = order.iter().enumerate().map(|(position, member)| {
            let rank = rank_of(&group.members, member) as u64;
            let skip = rank * collective.bytes;
            let part = |input, output, bytes| Part {
                input,
                output,
                bytes,
            };
            if collective.kind.takes_blocks() {
                return part(input, output + skip, collective.bytes);
            }
            if collective.kind.gives_blocks() {
                return part(input + skip, output, collective.bytes);
            }
            let (start, bytes) = match position < cut.len() {
                true => cut.range(position),
                false => (0, 0),
            };
            part(input + start, output + start, bytes)
        });
        Self {
            collective,
            parts: parts.collect(),
            order,
        }
    }

    /// Every step each member writes the part it got last to its successor.
    fn all_gather(&self, steps: &mut Steps) {
        let num = self.order.len();
        let is_gather = self.collective.kind.takes_blocks();
        for step in 0..num.saturating_sub(1) {
            let mut ops = Vec::new();
            for (position, member) in self.order.iter().enumerate() {
                let part = self.parts[(position + num - step) % num];
                let is_own = step == 0 && is_gather;
                let from = if is_own { part.input } else { part.output };
                if is_own {
                    ops.push(copy(
                        *member,
                        at(*member, part.input),
                        at(*member, part.output),
                        part.bytes,
                    ));
                }
                let to = self.order[(position + 1) % num];
                if part.bytes > 0 {
                    let place = at(to, part.output);
                    ops.push(copy(*member, at(*member, from), place, part.bytes));
                }
            }
            steps.step(ops);
        }
    }

    /// Every step each member reads a partial sum of its predecessor and adds its own part into it.
    ///
    /// The part of position p begins at position p + 1 and comes to p in the last step. Own operand left.
    fn reduce_scatter(&self, layout: &mut Layout, steps: &mut Steps) {
        let num = self.order.len();
        let longest = max_or_zero(self.parts.iter().map(|p| p.bytes));
        let receive = layout.alloc(longest);
        let partial = [layout.alloc(longest), layout.alloc(longest)];
        for step in 0..num.saturating_sub(1) {
            let (mut moves, mut fold_ops) = (Vec::new(), Vec::new());
            for (position, member) in self.order.iter().enumerate() {
                // What arrives here began `step + 2` positions ahead of its owner's step.
                let part = self.parts[(position + 2 * num - step - 2) % num];
                if part.bytes == 0 {
                    continue;
                }
                let from = self.order[(position + num - 1) % num];
                let held = if step == 0 {
                    part.input
                } else {
                    partial[(step + 1) % 2]
                };
                moves.push(copy(
                    *member,
                    at(from, held),
                    at(*member, receive),
                    part.bytes,
                ));
                let output = if step + 2 == num {
                    part.output
                } else {
                    partial[step % 2]
                };
                fold_ops.push(self.fold_op(*member, [part.input, receive], output, part.bytes));
            }
            steps.step(moves);
            steps.step(fold_ops);
        }
    }

    fn fold_op(&self, member: Coord, inputs: [u64; 2], output: u64, bytes: u64) -> Op {
        let reduce = LocalReduce {
            tile: TileRef::Cluster(member),
            inputs: inputs.to_vec(),
            output,
            bytes,
            operator: self.collective.operator,
            element: self.collective.element,
        };
        fold(reduce, member)
    }

    /// The actions of the whole collective.
    pub(crate) fn emit(&self, layout: &mut Layout, steps: &mut Steps) {
        let kind = self.collective.kind;
        if kind.reduces() {
            self.reduce_scatter(layout, steps);
        }
        if !kind.gives_blocks() {
            self.all_gather(steps);
        }
    }
}
