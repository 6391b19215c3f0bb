// SPDX-License-Identifier: Apache-2.0
//! Two binary trees, each with half of the payload.
//!
//! In one tree half of the members are leaves: they receive and never send. The second tree is the
//! first one moved on by one member, so that leaves and inner members change places, and every member sends
//! about as much as it receives. Chunks run through the levels in a pipeline, as in a chain, but the
//! pipeline is only as long as the trees are high.

use super::entries;
use crate::Forwarding;
use crate::Inner;
use crate::entry::{Entry, OnClusters, Stages};
use crate::exchange::blocks::at;
use crate::group::Group;
use crate::layout::{Chunks, Layout};
use crate::order::by_rows;
use crate::steps::{Op, Steps, copy, fold};
use crate::whole::Whole;
use noccl_net::counts::max_or_zero;
use noccl_net::{Coord, TileRef};
use noccl_workload::{Collective, LocalReduce, Place};

/// A member with those it serves.
#[derive(Debug, Clone, PartialEq, Eq)]
struct TreeMember {
    parent: Coord,
    children: Vec<Coord>,
}

/// One tree with its part of the payload.
#[derive(Debug)]
struct Half {
    /// Families by level; the first level is the entry with the tree's root.
    levels: Vec<Vec<TreeMember>>,
    /// First byte of its part.
    skip: u64,
    chunks: Chunks,
    /// Receive buffers: side, then chunk modulo 2.
    receive: [[u64; 2]; 2],
    /// Partial sums of inner members.
    partial: u64,
}

/// Both trees of a group.
#[derive(Debug)]
pub(crate) struct DoubleTree<'a> {
    collective: &'a Collective,
    entry: Coord,
    forwarding: Forwarding,
    halves: Vec<Half>,
}

pub(crate) const ENTRY: Entry = Entry {
    parameters: entries::parameters(Stages::Fixed(Inner::Tree)),
    on_clusters: Some(
        OnClusters::new(Whole::includes, |task| match task.is_alone() {
            true => Ok(task.in_steps()?.into()),
            false => task.by_double_tree(),
        })
        .cut(|offer| offer.by_chunks()),
    ),
    ..Entry::named("double_tree")
};

impl<'a> DoubleTree<'a> {
    pub(crate) fn new(
        collective: &'a Collective,
        group: &Group,
        beat_bytes: u64,
        chunks: u32,
        forwarding: Forwarding,
    ) -> Self {
        let mut line = by_rows(&group.members);
        line.retain(|c| *c != group.entry);
        let first = collective.bytes.div_ceil(beat_bytes).div_ceil(2) * beat_bytes;
        let first = first.min(collective.bytes);
        let half = |line: &[Coord], skip: u64, bytes: u64| Half {
            levels: levels(group.entry, line),
            skip,
            chunks: Chunks::new(bytes, beat_bytes, chunks),
            receive: [[0; 2]; 2],
            partial: 0,
        };
        let mut halves = vec![half(&line, 0, first)];
        if first < collective.bytes {
            if !line.is_empty() {
                line.rotate_left(1);
            }
            halves.push(half(&line, first, collective.bytes - first));
        }
        Self {
            collective,
            entry: group.entry,
            forwarding,
            halves,
        }
    }

    /// Most chunks of a half.
    pub(crate) fn num_chunks(&self) -> usize {
        max_or_zero(self.halves.iter().map(|h| h.chunks.len()))
    }

    /// Chunk c passes level l in step c + l; a source outside the group is read by the entry before.
    pub(crate) fn multicast(&self, source: Place, output: u64, steps: &mut Steps) {
        let is_outside = source.tile != TileRef::Cluster(self.entry);
        let lead = usize::from(is_outside);
        let last = self
            .halves
            .iter()
            .map(|h| h.levels.len() + lead + h.chunks.len());
        for step in 0..max_or_zero(last) {
            let mut ops = Vec::new();
            for half in &self.halves {
                if is_outside && step < half.chunks.len() {
                    let to = at(self.entry, output);
                    ops.push(half.moved(self.entry, source, to, step));
                } else if !is_outside && step == 0 && source.offset != output {
                    let to = at(self.entry, output);
                    let all = (0..half.chunks.len()).map(|c| half.moved(self.entry, source, to, c));
                    ops.extend(all);
                }
                for (level, families) in half.levels.iter().enumerate() {
                    let Some(chunk) = step.checked_sub(level + lead) else {
                        break;
                    };
                    if chunk < half.chunks.len() {
                        let from = |c: Coord| {
                            let is_source = c == self.entry && !is_outside;
                            at(c, if is_source { source.offset } else { output })
                        };
                        ops.extend(edges(families).map(|(parent, child, _)| {
                            let agent = self.agent(parent, child);
                            half.moved(agent, from(parent), at(child, output), chunk)
                        }));
                    }
                }
            }
            steps.step(ops);
        }
    }

    /// Chunk c leaves level l, counted from the leaves, in step 2l + c and is reduced in the step after:
    /// own input, first child, second child. Then, chunk by chunk, the copy to a root outside the group.
    pub(crate) fn reduce(
        &mut self,
        result: u64,
        outside: Option<Place>,
        layout: &mut Layout,
        steps: &mut Steps,
    ) {
        for half in &mut self.halves {
            half.partial = layout.alloc(half.chunks.bytes());
            for buffer in half.receive.as_flattened_mut() {
                *buffer = layout.alloc(half.chunks.chunk_bytes());
            }
        }
        let length = |h: &Half| 2 * h.levels.len() + h.chunks.len() + 1;
        for step in 0..max_or_zero(self.halves.iter().map(length)) {
            let mut ops = Vec::new();
            for half in &self.halves {
                for (up, families) in half.levels.iter().rev().enumerate() {
                    let Some(chunk) = step.checked_sub(2 * up) else {
                        break;
                    };
                    if chunk < half.chunks.len() {
                        ops.extend(edges(families).map(|(parent, child, side)| {
                            let from = at(child, self.operand(half, child));
                            let to = at(parent, half.receive[side][chunk % 2]);
                            half.received(self.agent(parent, child), from, to, chunk)
                        }));
                    }
                    if chunk >= 1 && chunk <= half.chunks.len() {
                        let fold_ops = families.iter();
                        ops.extend(fold_ops.map(|f| self.fold_op(half, f, result, chunk - 1)));
                    }
                }
                let done = 2 * half.levels.len();
                if let (Some(to), Some(chunk)) = (outside, step.checked_sub(done))
                    && chunk < half.chunks.len()
                {
                    ops.push(half.moved(self.entry, at(self.entry, result), to, chunk));
                }
            }
            steps.step(ops);
        }
    }

    fn agent(&self, parent: Coord, child: Coord) -> Coord {
        match self.forwarding {
            Forwarding::Push => parent,
            Forwarding::Pull => child,
        }
    }

    /// What a member hands on: its partial sum, or its input if it is a leaf.
    fn operand(&self, half: &Half, member: Coord) -> u64 {
        let mut inner = half.levels.iter().flatten();
        if inner.any(|f| f.parent == member) {
            half.partial
        } else {
            self.collective.input_offset + half.skip
        }
    }

    fn fold_op(&self, half: &Half, family: &TreeMember, result: u64, chunk: usize) -> Op {
        let (start, bytes) = half.chunks.range(chunk);
        let mut inputs = vec![self.collective.input_offset + half.skip + start];
        let sides = 0..family.children.len();
        inputs.extend(sides.map(|side| half.receive[side][chunk % 2]));
        let output = if family.parent == self.entry {
            result + half.skip
        } else {
            half.partial
        };
        let reduce = LocalReduce {
            tile: TileRef::Cluster(family.parent),
            inputs,
            output: output + start,
            bytes,
            operator: self.collective.operator,
            element: self.collective.element,
        };
        fold(reduce, family.parent)
    }
}

impl Half {
    /// One chunk from its place in one copy of the payload to its place in another.
    fn moved(&self, agent: Coord, from: Place, to: Place, chunk: usize) -> Op {
        let (start, bytes) = self.chunks.range(chunk);
        let within = |place: Place| Place {
            offset: place.offset + self.skip + start,
            ..place
        };
        copy(agent, within(from), within(to), bytes)
    }

    /// One chunk of an operand, which holds this half only, to a receive buffer.
    fn received(&self, agent: Coord, from: Place, to: Place, chunk: usize) -> Op {
        let (start, bytes) = self.chunks.range(chunk);
        let from = Place {
            offset: from.offset + start,
            ..from
        };
        copy(agent, from, to, bytes)
    }
}

/// Parent, child and the child's side.
fn edges(families: &[TreeMember]) -> impl Iterator<Item = (Coord, Coord, usize)> + '_ {
    families.iter().flat_map(|f| {
        let children = f.children.iter().enumerate();
        children.map(|(side, child)| (f.parent, *child, side))
    })
}

/// The entry serves the middle of the line; whoever serves a stretch stands in its middle and serves the
/// middles of what is left and right of it.
fn levels(entry: Coord, line: &[Coord]) -> Vec<Vec<TreeMember>> {
    let mut out = Vec::new();
    let mut open: Vec<(Coord, Vec<&[Coord]>)> = vec![(entry, vec![line])];
    while open
        .iter()
        .any(|(_, parts)| parts.iter().any(|p| !p.is_empty()))
    {
        let (mut families, mut next) = (Vec::new(), Vec::new());
        for (parent, parts) in open {
            let mut children = Vec::new();
            for part in parts.into_iter().filter(|p| !p.is_empty()) {
                let (left, rest) = part.split_at(part.len() / 2);
                if let Some((middle, right)) = rest.split_first() {
                    children.push(*middle);
                    next.push((*middle, vec![left, right]));
                }
            }
            if !children.is_empty() {
                families.push(TreeMember { parent, children });
            }
        }
        out.push(families);
        open = next;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn line(len: u16) -> Vec<Coord> {
        (1..=len).map(|x| Coord::new(x, 0)).collect()
    }

    fn parents(levels: &[Vec<TreeMember>]) -> BTreeSet<Coord> {
        levels.iter().flatten().map(|f| f.parent).collect()
    }

    #[test]
    fn every_member_has_one_parent_and_trees_are_as_low_as_they_can_be() {
        for len in 0..70u16 {
            let levels = levels(Coord::new(0, 0), &line(len));
            let mut children: Vec<Coord> = levels
                .iter()
                .flatten()
                .flat_map(|f| f.children.clone())
                .collect();
            children.sort_unstable();
            assert_eq!(children, line(len));
            assert!(levels.iter().flatten().all(|f| f.children.len() <= 2));
            assert_eq!(levels.len() as u32, u16::BITS - len.leading_zeros());
        }
    }

    #[test]
    fn inner_members_of_one_full_tree_are_leaves_of_the_other() {
        for len in [3, 7, 15, 63] {
            let first = line(len);
            let mut second = first.clone();
            second.rotate_left(1);
            let entry = Coord::new(0, 0);
            let inner = parents(&levels(entry, &first));
            let other = parents(&levels(entry, &second));
            let both: Vec<_> = inner.intersection(&other).collect();
            assert_eq!(both, [&entry], "{len}");
        }
    }
}
