// SPDX-License-Identifier: Apache-2.0
//! One piece of a payload on its path through the dimensions: cut from dimension to dimension, and put together again.

use super::cuts::Cuts;
use super::dataflow::Dataflow;
use super::dimensions::Dimension;
use super::line::{Form, LinePart};
use super::slots::Slots;
use crate::compose::Task;
use crate::whole::Whole;
use noccl_net::{Coord, TileRef};
use noccl_workload::{CollectiveKind, Place};
use std::collections::BTreeMap;

/// What a member holds of a sum: which part, and where.
pub(super) type Held = BTreeMap<Coord, (LinePart, u64)>;

/// Where a member holds a part, of which it holds at least that.
pub(super) fn place_held(held: &Held, member: Coord, part: LinePart) -> u64 {
    let (known, place) = held[&member];
    place + part.start - known.start
}

/// A piece with the dimensions in the order in which it takes them.
#[derive(Debug)]
pub(super) struct Piece<'a> {
    pub(super) task: &'a Task<'a>,
    /// By dimension.
    pub(super) forms: &'a [Form],
    pub(super) dimensions: &'a [&'a Dimension],
    /// Where the payload's first byte would lie in the output.
    pub(super) output: u64,
    /// All of it; of blocks nothing.
    pub(super) part: LinePart,
    pub(super) cuts: Cuts,
}

impl Piece<'_> {
    pub(super) fn emit(&self, flow: &mut Dataflow<'_>, slots: &mut Slots<'_>) {
        let kind = self.task.collective.kind;
        match Whole::of(kind) {
            Some(Whole::Multicast) => {
                self.scatter(flow);
                self.gather(flow);
            }
            Some(Whole::Reduce) => self.reduce(flow, slots),
            Some(Whole::AllReduce) => self.all_reduce(flow, slots),
            None if kind.reduces() => {
                self.sums(flow, slots);
            }
            None => self.gather(flow),
        }
    }

    /// In place a result must not come before its member has sent its operand. Parts that are not cut go to others of a line
    /// that do not say when they have it: then results go to scratch first.
    fn is_staged(&self) -> bool {
        let collective = self.task.collective;
        let is_in_place = collective.input_offset == collective.output_offset;
        is_in_place && !self.cuts.is_cut.iter().all(|is_cut| *is_cut)
    }

    /// The same with its output in scratch, and where that begins.
    fn staged(&self, slots: &mut Slots<'_>) -> (Self, u64) {
        let scratch = slots.layout.alloc(self.part.bytes);
        let staged = Self {
            output: scratch.wrapping_sub(self.part.start),
            cuts: self.cuts.clone(),
            ..*self
        };
        (staged, scratch)
    }

    fn all_reduce(&self, flow: &mut Dataflow<'_>, slots: &mut Slots<'_>) {
        if !self.is_staged() {
            self.sums(flow, slots);
            self.gather(flow);
            return;
        }
        let (staged, scratch) = self.staged(slots);
        staged.sums(flow, slots);
        staged.gather(flow);
        for member in &self.task.group.members {
            flow.send(
                *member,
                scratch,
                *member,
                self.place(self.part),
                self.part.bytes,
            );
        }
    }

    fn reduce(&self, flow: &mut Dataflow<'_>, slots: &mut Slots<'_>) {
        let held = self.sums(flow, slots);
        if !self.is_staged() || !self.task.group.is_root_member() {
            self.collect(&held, flow);
            return;
        }
        let (staged, scratch) = self.staged(slots);
        staged.collect(&held, flow);
        let root = self.task.group.entry;
        flow.send(root, scratch, root, self.place(self.part), self.part.bytes);
    }

    pub(super) fn place(&self, part: LinePart) -> u64 {
        self.output.wrapping_add(part.start)
    }

    /// All parts to everybody: back through the dimensions in which the piece was cut.
    fn gather(&self, flow: &mut Dataflow<'_>) {
        for (number, dimension) in self.dimensions.iter().enumerate().rev() {
            if !self.cuts.is_cut[number] {
                continue;
            }
            for (members, parts) in dimension.lines.iter().zip(self.parts_of(number)) {
                let line = dimension.line(members, &parts);
                let place = |part: LinePart| self.place(part);
                // A block begins in its member's input.
                let is_block = self.task.collective.kind == CollectiveKind::AllGather;
                let is_input = is_block && number + 1 == self.dimensions.len();
                let own = |position: usize| match is_input {
                    true => self.task.collective.input_offset,
                    false => place(parts[position]),
                };
                line.all_gather(flow, self.forms[number], own, place);
            }
        }
    }

    /// Every member's part from the root, which has all of it.
    fn scatter(&self, flow: &mut Dataflow<'_>) {
        let (group, collective) = (self.task.group, self.task.collective);
        let part_of = |member: &Coord| self.cuts.parts.last().map_or(self.part, |p| p[member]);
        if group.is_root_member() {
            let root = group.entry;
            let (from, to) = (
                collective.input_offset + self.part.start,
                self.place(self.part),
            );
            flow.has_all(root);
            flow.send(root, from, root, to, self.part.bytes);
            for member in group.members.iter().filter(|m| **m != root) {
                let part = part_of(member);
                let from = collective.input_offset + part.start;
                flow.send(root, from, *member, self.place(part), part.bytes);
            }
            return;
        }
        for member in &group.members {
            let part = part_of(member);
            let source = Place {
                tile: group.root,
                offset: collective.input_offset + part.start,
            };
            flow.pull(*member, source, self.place(part), part.bytes);
        }
    }

    /// Every part to the root, from the nearest of those that have it.
    fn collect(&self, held: &Held, flow: &mut Dataflow<'_>) {
        let group = self.task.group;
        let mut nearest: BTreeMap<u64, (u32, Coord)> = BTreeMap::new();
        for member in &group.members {
            let part = self
                .cuts
                .parts
                .last()
                .map_or(self.part, |parts| parts[member]);
            let near = (member.hops_to(group.entry), *member);
            if part.bytes > 0 {
                let known = nearest.entry(part.start).or_insert(near);
                *known = near.min(*known);
            }
        }
        for (_, member) in nearest.into_values() {
            let part = self
                .cuts
                .parts
                .last()
                .map_or(self.part, |parts| parts[&member]);
            let from = place_held(held, member, part);
            match group.root {
                TileRef::Cluster(root) if group.is_root_member() => {
                    flow.send(member, from, root, self.place(part), part.bytes);
                }
                tile @ (TileRef::Cluster(_) | TileRef::Memory(_)) => {
                    let to = Place {
                        tile,
                        offset: self.place(part),
                    };
                    flow.put(member, from, to, part.bytes);
                }
            }
        }
    }
}
