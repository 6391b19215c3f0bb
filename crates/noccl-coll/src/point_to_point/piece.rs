// SPDX-License-Identifier: Apache-2.0
//! One piece of a payload on its path through the dimensions: cut from dimension to dimension, and put together again.

use super::cuts::Cuts;
use super::dataflow::Dataflow;
use super::dimensions::Dimension;
use super::line::{Form, Line, Part, Target};
use super::pairing::Pairing;
use crate::compose::Task;
use crate::layout::Layout;
use noccl_net::{Coord, TileRef};
use noccl_workload::{CollectiveKind, Place};
use std::collections::BTreeMap;

/// What a member holds of a sum: which part, and where.
pub(super) type Held = BTreeMap<Coord, (Part, u64)>;

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
    pub(super) part: Part,
    pub(super) cuts: Cuts,
}

impl Piece<'_> {
    pub(super) fn emit(&self, flow: &mut Dataflow<'_>, layout: &mut Layout) {
        match self.task.collective.kind {
            CollectiveKind::Multicast => {
                self.scatter(flow);
                self.gather(flow);
            }
            CollectiveKind::Reduce => self.reduce(flow, layout),
            CollectiveKind::AllReduce => self.all_reduce(flow, layout),
            CollectiveKind::AllGather => self.gather(flow),
            CollectiveKind::ReduceScatter => {
                self.sums(flow, layout);
            }
            CollectiveKind::Barrier | CollectiveKind::AllToAll => {}
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
    fn staged(&self, layout: &mut Layout) -> (Self, u64) {
        let scratch = layout.alloc(self.part.bytes);
        let staged = Self {
            output: scratch.wrapping_sub(self.part.start),
            cuts: self.cuts.clone(),
            ..*self
        };
        (staged, scratch)
    }

    fn all_reduce(&self, flow: &mut Dataflow<'_>, layout: &mut Layout) {
        if !self.is_staged() {
            self.sums(flow, layout);
            self.gather(flow);
            return;
        }
        let (staged, scratch) = self.staged(layout);
        staged.sums(flow, layout);
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

    fn reduce(&self, flow: &mut Dataflow<'_>, layout: &mut Layout) {
        let held = self.sums(flow, layout);
        if !self.is_staged() || !self.task.group.is_root_member() {
            self.collect(&held, flow);
            return;
        }
        let (staged, scratch) = self.staged(layout);
        staged.collect(&held, flow);
        let root = self.task.group.entry;
        flow.send(root, scratch, root, self.place(self.part), self.part.bytes);
    }

    fn place(&self, part: Part) -> u64 {
        self.output.wrapping_add(part.start)
    }

    /// Sums of parts at their members, at their places in the output.
    fn sums(&self, flow: &mut Dataflow<'_>, layout: &mut Layout) -> Held {
        let mut held = self.inputs();
        let collective = self.task.collective;
        // The output of a reduce-scatter is one block.
        let is_block = collective.kind == CollectiveKind::ReduceScatter;
        let to_output = |part: Part| match is_block {
            true => collective.output_offset,
            false => self.place(part),
        };
        // What a member receives for its output may lie there, if that is not its input: a ring's slots lie like the payload.
        let is_spare = collective.kind == CollectiveKind::AllReduce
            && collective.input_offset != collective.output_offset
            && self.forms.first() == Some(&Form::Ring);
        for (number, dimension) in self.dimensions.iter().enumerate() {
            let is_last = number + 1 == self.dimensions.len();
            let is_output = is_last && collective.kind != CollectiveKind::Reduce;
            let target: Target<'_> = if is_output { Some(&to_output) } else { None };
            let is_cut = self.cuts.is_cut[number];
            let own = self.forms[number];
            let form = if is_cut {
                own
            } else {
                whole_form(own, dimension.len())
            };
            let all_parts: Vec<Vec<Part>> = dimension
                .lines
                .iter()
                .map(|members| members.iter().map(|m| self.cuts.parts[number][m]).collect())
                .collect();
            let lines = dimension.lines.iter().zip(&all_parts);
            let lines = lines.map(|(members, parts)| dimension.line(members, parts));
            let lines: Vec<Line<'_>> = lines.collect();
            let needed = |line: &Line<'_>| match is_cut {
                true => line.slot_bytes(form),
                false => line.whole_slot_bytes(form),
            };
            let slots = match is_spare && number == 0 && is_cut {
                true => self.place(self.part),
                false => layout.alloc(lines.iter().map(needed).max().unwrap_or(0)),
            };
            for line in lines {
                if is_cut {
                    add_along(&line, form, slots, target, &mut held, flow);
                } else {
                    line.all_sums(flow, form, slots, target, &mut held);
                }
            }
        }
        if self.dimensions.is_empty() {
            for (member, (_, place)) in &held {
                let (from, to) = (place + self.part.start, self.place(self.part));
                if collective.kind == CollectiveKind::AllReduce {
                    flow.send(*member, from, *member, to, self.part.bytes);
                }
            }
        }
        held
    }

    /// Every member holds its input.
    fn inputs(&self) -> Held {
        let whole = Part {
            start: 0,
            bytes: u64::MAX,
        };
        let members = self.task.group.members.iter();
        members
            .map(|m| (*m, (whole, self.task.collective.input_offset)))
            .collect()
    }

    /// All parts to everybody: back through the dimensions in which the piece was cut.
    fn gather(&self, flow: &mut Dataflow<'_>) {
        for (number, dimension) in self.dimensions.iter().enumerate().rev() {
            if !self.cuts.is_cut[number] {
                continue;
            }
            for members in &dimension.lines {
                let parts: Vec<Part> = members.iter().map(|m| self.cuts.parts[number][m]).collect();
                let line = dimension.line(members, &parts);
                let place = |part: Part| self.place(part);
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
            let (known, place) = held[&member];
            let from = place + part.start - known.start;
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

/// A reduce-scatter along a line; then its members hold their parts.
fn add_along(
    line: &Line<'_>,
    form: Form,
    slots: u64,
    target: Target<'_>,
    held: &mut Held,
    flow: &mut Dataflow<'_>,
) {
    let places = {
        let source = |position: usize, part: Part| {
            let (known, place) = held[&line.members[position]];
            place + part.start - known.start
        };
        line.reduce_scatter(flow, form, source, slots, target)
    };
    for ((member, part), place) in line.members.iter().zip(line.parts).zip(places) {
        held.insert(*member, (*part, place));
    }
}

/// In pairs where the number allows it, else directly: a part that is not cut is short.
fn whole_form(form: Form, num: usize) -> Form {
    match form {
        Form::Pairs(pairing) => Form::Pairs(pairing),
        Form::Ring | Form::Both if num.is_power_of_two() => Form::Pairs(Pairing::Near),
        Form::Ring | Form::Both | Form::Direct => Form::Direct,
    }
}
