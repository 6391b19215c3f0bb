// SPDX-License-Identifier: Apache-2.0
//! Software reduction: chunks run towards the root and are reduced at every member on the path
//! (S1 §4.2.3, Fig. 6, App. B.2).
//!
//! A member moves chunk c + 1 in while its cores fold chunk c, into two receive buffers in rotation.
//! Fold order: at every member its own operand (its input, or what it has reduced so far) is the left
//! one, what it received the right one.

use crate::group::Group;
use crate::layout::{Chunks, Layout};
use crate::order::{Phase, Stage};
use crate::steps::{Op, Steps, copy, fold};
use crate::{Forwarding, Inner};
use noccl_net::{Coord, TileRef};
use noccl_workload::{Collective, LocalReduce, Place};
use std::collections::BTreeMap;

/// One hand-over towards the root on all parallel lines: chunk c is moved in step `start + c` and
/// reduced in the step after.
#[derive(Debug)]
struct ReduceHop {
    edges: Stage,
    start: usize,
    first_buffer: usize,
}

/// A software reduction to the entry of a group.
#[derive(Debug)]
pub(crate) struct StepReduction<'a> {
    collective: &'a Collective,
    chunks: Chunks,
    forwarding: Forwarding,
    hops: Vec<ReduceHop>,
    /// First hop in which a member receives.
    first_receipt: BTreeMap<Coord, usize>,
    entry: Coord,
    /// Offset of the result at the entry.
    result: u64,
    /// Offset of the partial results of other members.
    partial: u64,
    /// Offsets of the receive buffers.
    receive: [u64; 2],
}

impl<'a> StepReduction<'a> {
    /// Plans hops and buffers; `result` is the result's offset at the entry.
    pub(crate) fn new(
        collective: &'a Collective,
        group: &Group,
        phases: Vec<Phase>,
        chunks: Chunks,
        forwarding: Forwarding,
        result: u64,
        layout: &mut Layout,
    ) -> Self {
        let hops = hops(phases, chunks.len());
        let mut first_receipt = BTreeMap::new();
        let mut is_twice = chunks.len() > 1;
        for (idx, hop) in hops.iter().enumerate() {
            for (to, _) in &hop.edges {
                is_twice |= first_receipt.contains_key(to);
                first_receipt.entry(*to).or_insert(idx);
            }
        }
        let partial = if first_receipt.keys().any(|to| *to != group.entry) {
            layout.alloc(collective.bytes)
        } else {
            0
        };
        let mut receive = [0; 2];
        if !first_receipt.is_empty() {
            receive = [layout.alloc(chunks.chunk_bytes()); 2];
        }
        if is_twice && !first_receipt.is_empty() {
            receive[1] = layout.alloc(chunks.chunk_bytes());
        }
        Self {
            collective,
            chunks,
            forwarding,
            hops,
            first_receipt,
            entry: group.entry,
            result,
            partial,
            receive,
        }
    }

    /// Adds all steps; then, chunk by chunk, the copy to a root outside the group, if given.
    pub(crate) fn emit(&self, steps: &mut Steps, outside: Option<Place>) {
        let num_chunks = self.chunks.len();
        let Some(last) = self.hops.last().map(|hop| hop.start + num_chunks) else {
            steps.step(self.alone(outside));
            return;
        };
        let reduced = last - num_chunks + 1;
        for step in 0..=last + usize::from(outside.is_some()) {
            let mut ops = Vec::new();
            for (idx, hop) in self.hops.iter().enumerate() {
                let Some(chunk) = step.checked_sub(hop.start) else {
                    continue;
                };
                if chunk < num_chunks {
                    ops.extend(hop.edges.iter().map(|e| self.moved(idx, *e, chunk)));
                }
                if chunk >= 1 && chunk <= num_chunks {
                    ops.extend(hop.edges.iter().map(|e| self.fold_op(idx, e.0, chunk - 1)));
                }
            }
            if let (Some(outside), Some(chunk)) = (outside, step.checked_sub(reduced + 1)) {
                ops.push(self.delivered(self.result, outside, chunk));
            }
            steps.step(ops);
        }
    }

    /// A group of one: its input is the result.
    fn alone(&self, outside: Option<Place>) -> Vec<Op> {
        let input = self.collective.input_offset;
        let to = outside.unwrap_or(self.at(self.entry, self.result));
        if to == self.at(self.entry, input) {
            return Vec::new();
        }
        vec![copy(
            self.entry,
            self.at(self.entry, input),
            to,
            self.chunks.bytes(),
        )]
    }

    fn moved(&self, hop: usize, (to, from): (Coord, Coord), chunk: usize) -> Op {
        let (start, bytes) = self.chunks.range(chunk);
        let source = self.at(from, self.operand(from, hop) + start);
        let destination = self.at(to, self.buffer(hop, chunk));
        let initiator = match self.forwarding {
            Forwarding::Pull => to,
            Forwarding::Push => from,
        };
        copy(initiator, source, destination, bytes)
    }

    fn fold_op(&self, hop: usize, at: Coord, chunk: usize) -> Op {
        let (start, bytes) = self.chunks.range(chunk);
        let reduce = LocalReduce {
            tile: TileRef::Cluster(at),
            inputs: vec![self.operand(at, hop) + start, self.buffer(hop, chunk)],
            output: self.partial_at(at) + start,
            bytes,
            operator: self.collective.operator,
            element: self.collective.element,
        };
        fold(reduce, at)
    }

    fn delivered(&self, from: u64, to: Place, chunk: usize) -> Op {
        let (start, bytes) = self.chunks.range(chunk);
        let to = Place {
            offset: to.offset + start,
            ..to
        };
        copy(self.entry, self.at(self.entry, from + start), to, bytes)
    }

    /// What a member holds before a hop: its input until it has reduced something.
    fn operand(&self, member: Coord, hop: usize) -> u64 {
        match self.first_receipt.get(&member) {
            Some(first) if *first < hop => self.partial_at(member),
            Some(_) | None => self.collective.input_offset,
        }
    }

    fn partial_at(&self, member: Coord) -> u64 {
        if member == self.entry {
            self.result
        } else {
            self.partial
        }
    }

    fn buffer(&self, hop: usize, chunk: usize) -> u64 {
        self.receive[(self.hops[hop].first_buffer + chunk) % 2]
    }

    fn at(&self, member: Coord, offset: u64) -> Place {
        Place {
            tile: TileRef::Cluster(member),
            offset,
        }
    }
}

/// When each hop starts: phases in multicast order, which a reduction runs backwards.
///
/// A chain's hops follow each other two steps apart: move, fold (S1 eq. (5)); the next dimension's
/// first move overlaps the last fold if there is more than one chunk (eq. (15)). A tree's levels
/// follow each other (eq. (6), (14)).
fn hops(phases: Vec<Phase>, num_chunks: usize) -> Vec<ReduceHop> {
    let mut out = Vec::new();
    let mut base = 0;
    let mut buffer = 0;
    for phase in phases.into_iter().rev().filter(|p| !p.stages.is_empty()) {
        let levels = phase.stages.len();
        let (stride, buffer_stride) = match phase.inner {
            Inner::Chain => (2, 0),
            Inner::Tree => (num_chunks + 1, num_chunks),
        };
        for (idx, edges) in phase.stages.into_iter().rev().enumerate() {
            out.push(ReduceHop {
                edges,
                start: base + idx * stride,
                first_buffer: (buffer + idx * buffer_stride) % 2,
            });
        }
        match phase.inner {
            Inner::Chain => {
                let steps = 2 * (levels - 1) + num_chunks + 1;
                base += steps - usize::from(num_chunks > 1);
                buffer += num_chunks;
            }
            Inner::Tree => {
                base += levels * (num_chunks + 1);
                buffer += levels * num_chunks;
            }
        }
    }
    out
}
