// SPDX-License-Identifier: Apache-2.0
//! One piece of a payload on its path through the dimensions: cut from dimension to dimension, and put together again.

use super::dataflow::Dataflow;
use super::line::{Form, Part, Target};
use super::lines::{Dimension, Held, add_along};
use super::pairing::Pairing;
use crate::compose::Task;
use crate::layout::{Chunks, Layout};
use noccl_net::{Coord, TileRef};
use noccl_workload::{CollectiveKind, Place};
use std::collections::BTreeMap;

/// A piece with the dimensions in the order in which it takes them.
pub(super) struct Piece<'a> {
    pub(super) task: &'a Task<'a>,
    pub(super) form: Form,
    pub(super) dimensions: Vec<&'a Dimension>,
    pub(super) is_reversed: bool,
    pub(super) part: Part,
}

/// Which part each member is left with after each dimension.
struct Cuts {
    /// By dimension: the part of each member behind it.
    parts: Vec<BTreeMap<Coord, Part>>,
    /// By dimension: is a part cut, or does every member of a line get all of it?
    is_cut: Vec<bool>,
}

impl Piece<'_> {
    pub(super) fn emit(&self, flow: &mut Dataflow<'_>, layout: &mut Layout) {
        let cuts = self.cuts();
        match self.task.collective.kind {
            CollectiveKind::Multicast => {
                self.scatter(&cuts, flow);
                self.gather(&cuts, flow);
            }
            CollectiveKind::Reduce => {
                let held = self.sums(&cuts, flow, layout);
                self.collect(&cuts, &held, flow);
            }
            CollectiveKind::AllReduce => {
                self.sums(&cuts, flow, layout);
                self.gather(&cuts, flow);
            }
            CollectiveKind::Barrier
            | CollectiveKind::AllGather
            | CollectiveKind::ReduceScatter
            | CollectiveKind::AllToAll => {}
        }
    }

    /// Cuts the piece along one dimension after the other, as long as every member gets a beat.
    fn cuts(&self) -> Cuts {
        let beat_bytes = self.task.network.beat_bytes();
        let members = self.task.group.members.iter();
        let mut known: BTreeMap<Coord, Part> = members.map(|m| (*m, self.part)).collect();
        let mut cuts = Cuts {
            parts: Vec::new(),
            is_cut: Vec::new(),
        };
        for dimension in &self.dimensions {
            let fits =
                |line: &Vec<Coord>| known[&line[0]].bytes.div_ceil(beat_bytes) >= line.len() as u64;
            let is_cut = dimension.lines.iter().all(fits);
            if is_cut {
                for line in &dimension.lines {
                    let parts = self.cut(known[&line[0]], line.len());
                    known.extend(line.iter().copied().zip(parts));
                }
            }
            cuts.is_cut.push(is_cut);
            cuts.parts.push(known.clone());
        }
        cuts
    }

    /// A part in pieces for the members of a line: those that go together lie one behind the other.
    fn cut(&self, part: Part, num: usize) -> Vec<Part> {
        let chunks = Chunks::new(part.bytes, self.task.network.beat_bytes(), num as u32);
        let order = match self.form {
            Form::Pairs(pairing) => Pairing::kept(&pairing.steps(num), 0, 0),
            Form::Ring | Form::Direct => (0..num).collect(),
        };
        let mut parts = vec![Part { start: 0, bytes: 0 }; num];
        for (at, position) in order.into_iter().enumerate() {
            let (start, bytes) = if at < chunks.len() {
                chunks.range(at)
            } else {
                (part.bytes, 0)
            };
            parts[position] = Part {
                start: part.start + start,
                bytes,
            };
        }
        parts
    }

    fn place(&self, part: Part) -> u64 {
        self.task.collective.output_offset + part.start
    }

    /// Sums of parts at their members, at their places in the output.
    fn sums(&self, cuts: &Cuts, flow: &mut Dataflow<'_>, layout: &mut Layout) -> Held {
        let mut held = self.task.inputs();
        let collective = self.task.collective;
        let to_output = |part: Part| self.place(part);
        // What a member receives for its output may lie there, if that is not its input: a ring's slots lie like the payload.
        let is_spare = collective.kind == CollectiveKind::AllReduce
            && collective.input_offset != collective.output_offset
            && self.form == Form::Ring;
        for (number, dimension) in self.dimensions.iter().enumerate() {
            let is_last = number + 1 == self.dimensions.len();
            let is_output = is_last && collective.kind == CollectiveKind::AllReduce;
            let target: Target<'_> = if is_output { Some(&to_output) } else { None };
            let mut slots = None;
            for members in &dimension.lines {
                let parts: Vec<Part> = members.iter().map(|m| cuts.parts[number][m]).collect();
                let line = dimension.line(members, &parts, self.is_reversed);
                if !cuts.is_cut[number] {
                    let form = self.whole_form(members.len());
                    let bytes = line.whole_slot_bytes(form);
                    let slots = *slots.get_or_insert_with(|| layout.alloc(bytes));
                    line.all_sums(flow, form, slots, target, &mut held);
                    continue;
                }
                let slots = *slots.get_or_insert_with(|| match is_spare && number == 0 {
                    true => self.place(self.part),
                    false => layout.alloc(line.slot_bytes(self.form)),
                });
                add_along(&line, self.form, slots, target, &mut held, flow);
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

    /// In pairs where the number allows it, else directly: a part that is not cut is short.
    fn whole_form(&self, num: usize) -> Form {
        match self.form {
            Form::Pairs(pairing) => Form::Pairs(pairing),
            Form::Ring if num.is_power_of_two() => Form::Pairs(Pairing::Near),
            Form::Ring | Form::Direct => Form::Direct,
        }
    }

    /// All parts to everybody: back through the dimensions in which the piece was cut.
    fn gather(&self, cuts: &Cuts, flow: &mut Dataflow<'_>) {
        for (number, dimension) in self.dimensions.iter().enumerate().rev() {
            if !cuts.is_cut[number] {
                continue;
            }
            for members in &dimension.lines {
                let parts: Vec<Part> = members.iter().map(|m| cuts.parts[number][m]).collect();
                let line = dimension.line(members, &parts, self.is_reversed);
                let place = |part: Part| self.place(part);
                line.all_gather(flow, self.form, |p| place(parts[p]), place);
            }
        }
    }

    /// Every member's part from the root.
    fn scatter(&self, cuts: &Cuts, flow: &mut Dataflow<'_>) {
        let (group, collective) = (self.task.group, self.task.collective);
        for member in &group.members {
            let part = cuts.parts.last().map_or(self.part, |parts| parts[member]);
            let from = collective.input_offset + part.start;
            if group.is_root_member() {
                flow.send(group.entry, from, *member, self.place(part), part.bytes);
            } else {
                let source = Place {
                    tile: group.root,
                    offset: from,
                };
                flow.pull(*member, source, self.place(part), part.bytes);
            }
        }
    }

    /// Every part to the root, from the nearest of those that have it.
    fn collect(&self, cuts: &Cuts, held: &Held, flow: &mut Dataflow<'_>) {
        let group = self.task.group;
        let mut nearest: BTreeMap<u64, (u32, Coord)> = BTreeMap::new();
        for member in &group.members {
            let part = cuts.parts.last().map_or(self.part, |parts| parts[member]);
            let near = (member.hops_to(group.entry), *member);
            if part.bytes > 0 {
                let known = nearest.entry(part.start).or_insert(near);
                *known = near.min(*known);
            }
        }
        for (_, member) in nearest.into_values() {
            let part = cuts.parts.last().map_or(self.part, |parts| parts[&member]);
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
