// SPDX-License-Identifier: Apache-2.0
//! Collectives line by line: along one dimension, then along the other.
//!
//! A reduce-scatter along rows leaves a part of the payload at each column, one along columns cuts that part again; all-gathers go
//! back. A multicast scatters and gathers, a reduction scatters sums and collects them. A payload is cut into chunks that take
//! the dimensions in different orders, blocks into those of some rows each, so that one chunk is sent while another one is added.

use super::dataflow::Dataflow;
use super::dimensions::{Axis, Cuts, Dimension, Shared, dimensions};
use super::line::{Form, Line, LinePart, Target};
use super::reuse::Slots;
use crate::entry::Whole;
use crate::plan::line::Pairing;
use crate::task::Task;
use crate::{CollError, LineForm, PointForm};
use noccl_net::counts::max_or_zero;
use noccl_net::{Coord, TileRef};
use noccl_workload::{CollectiveKind, Place};
use std::collections::{BTreeMap, BTreeSet};

/// A collective by lines.
pub(super) fn by_lines(
    task: &Task<'_>,
    form: PointForm,
    flow: &mut Dataflow<'_>,
    slots: &mut Slots<'_>,
) -> Result<(), CollError> {
    let all = dimensions(task.group, form);
    if task.collective.kind.has_blocks() {
        let order: Vec<&Dimension> = all.iter().collect();
        let forms = forms(task, form, &order)?;
        for owners in passes(task, &all) {
            let blocks = blocks_of(task, &owners);
            let chunk = RoutedChunk {
                task,
                output: task.collective.output_offset,
                forms: &forms,
                dimensions: &order,
                part: LinePart { start: 0, bytes: 0 },
                cuts: Cuts::of_blocks(blocks, &order),
            };
            chunk.emit(flow, slots);
        }
        return Ok(());
    }
    let chunks = task.chunks();
    let is_alike = !matches!(form, PointForm::Lines(first, second) if first != second);
    for number in 0..chunks.len() {
        let (start, bytes) = chunks.range(number);
        let part = LinePart { start, bytes };
        let mut order: Vec<&Dimension> = all.iter().collect();
        // Where both dimensions go alike, every second chunk takes Y before X, near before far in both.
        if is_alike && number % 2 == 1 {
            order.sort_by_key(|d| d.axis == Axis::X);
        }
        let forms = forms(task, form, &order)?;
        let shared = Shared {
            part,
            forms: &forms,
            dimensions: &order,
            number: match is_alike {
                true => (number / 2, chunks.len().div_ceil(2)),
                false => (number, chunks.len()),
            },
            beat_bytes: task.network.beat_bytes(),
            may_cut: !matches!(form, PointForm::Combine(_)),
        };
        let chunk = RoutedChunk {
            task,
            output: task.collective.output_offset,
            forms: &forms,
            dimensions: &order,
            part,
            cuts: Cuts::of_payload(&task.group.members, &shared),
        };
        chunk.emit(flow, slots);
    }
    Ok(())
}

/// The form along each dimension; pairs need a power of two.
fn forms(task: &Task<'_>, form: PointForm, order: &[&Dimension]) -> Result<Vec<Form>, CollError> {
    let axis = order.first().map(|d| d.axis);
    let forms = order.iter().map(|dimension| {
        let line = match form {
            PointForm::Ring | PointForm::Trees(_) | PointForm::Rotated(_) => LineForm::Ring,
            PointForm::Radix(_) | PointForm::Combine(_) => LineForm::Direct,
            PointForm::Lines(first, _) if Some(dimension.axis) == axis => first,
            PointForm::Lines(_, second) => second,
        };
        form_along(task, line, dimension)
    });
    forms.collect()
}

fn form_along(task: &Task<'_>, line: LineForm, dimension: &Dimension) -> Result<Form, CollError> {
    let pairing = match line {
        LineForm::Ring => return Ok(Form::Ring),
        LineForm::Both => return Ok(Form::Both),
        LineForm::Direct => return Ok(Form::Direct),
        // Far ones first leaves blocks that lie one behind the other; near ones first has the most to send over short paths.
        LineForm::Halving if task.collective.kind.has_blocks() => Pairing::Far,
        LineForm::Halving => Pairing::Near,
        LineForm::Swing => Pairing::Swing,
        LineForm::Bine => Pairing::Bine,
    };
    if dimension.len().is_power_of_two() {
        return Ok(Form::Pairs(pairing));
    }
    Err(task.unsupported(
        "members of a line exchange in pairs; accepted: columns and rows whose numbers are powers of two, or \
         the forms ring, rings, both, direct, radix and trees",
    ))
}

/// Members whose blocks go through all dimensions together: those of some rows. Of far members only equals go together, so that what
/// near ones exchange lies one behind the other.
fn passes(task: &Task<'_>, all: &[Dimension]) -> Vec<BTreeSet<Coord>> {
    let of_axis = |axis: Axis| all.iter().filter(move |d| d.axis == axis);
    let far: Vec<&Dimension> = of_axis(Axis::X)
        .skip(1)
        .chain(of_axis(Axis::Y).skip(1))
        .collect();
    let rows = of_axis(Axis::Y).next();
    let num_rows = rows.map_or(1, Dimension::len);
    let wanted = (task.choice.chunks as usize).min(num_rows);
    let mut passes: BTreeMap<Vec<usize>, BTreeSet<Coord>> = BTreeMap::new();
    for member in &task.group.members {
        // 0: without this dimension all members are in one row.
        let row = rows.map_or(0, |d| d.position(*member));
        let mut key: Vec<usize> = far.iter().map(|d| d.position(*member)).collect();
        key.push(row * wanted / num_rows);
        passes.entry(key).or_default().insert(*member);
    }
    passes.into_values().collect()
}

/// The blocks of these members, by rank; others have none.
fn blocks_of(task: &Task<'_>, owners: &BTreeSet<Coord>) -> BTreeMap<Coord, LinePart> {
    let bytes = task.collective.bytes;
    let ranks = task.group.members.iter().zip(0_u64..);
    let block = |(member, rank): (&Coord, u64)| {
        let part = LinePart {
            start: rank * bytes,
            bytes: if owners.contains(member) { bytes } else { 0 },
        };
        (*member, part)
    };
    ranks.map(block).collect()
}

// One chunk of a payload on its path through the dimensions: cut from dimension to dimension, and put together again.

/// What a member holds of a sum: which part, and where.
pub(super) type PartialSums = BTreeMap<Coord, (LinePart, u64)>;

/// Where a member holds a part, of which it holds at least that.
pub(super) fn sum_at(sums: &PartialSums, member: Coord, part: LinePart) -> u64 {
    let (known, offset) = sums[&member];
    offset + part.start - known.start
}

/// A chunk with the dimensions in the order in which it takes them.
#[derive(Debug)]
struct RoutedChunk<'a> {
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

impl RoutedChunk<'_> {
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
                self.offset(self.part),
                self.part.bytes,
            );
        }
    }

    fn reduce(&self, flow: &mut Dataflow<'_>, slots: &mut Slots<'_>) {
        let sums = self.sums(flow, slots);
        if !self.is_staged() || !self.task.group.is_root_member() {
            self.gather_to_root(&sums, flow);
            return;
        }
        let (staged, scratch) = self.staged(slots);
        staged.gather_to_root(&sums, flow);
        let root = self.task.group.entry;
        flow.send(root, scratch, root, self.offset(self.part), self.part.bytes);
    }

    pub(super) fn offset(&self, part: LinePart) -> u64 {
        self.output.wrapping_add(part.start)
    }

    /// All parts to everybody: back through the dimensions in which the chunk was cut.
    fn gather(&self, flow: &mut Dataflow<'_>) {
        for (number, dimension) in self.dimensions.iter().enumerate().rev() {
            if !self.cuts.is_cut[number] {
                continue;
            }
            for (members, parts) in dimension.lines.iter().zip(self.parts_of(number)) {
                let line = dimension.line(members, &parts);
                let offset = |part: LinePart| self.offset(part);
                // A block begins in its member's input.
                let is_block = self.task.collective.kind == CollectiveKind::AllGather;
                let is_input = is_block && number + 1 == self.dimensions.len();
                let local = |position: usize| match is_input {
                    true => self.task.collective.input_offset,
                    false => offset(parts[position]),
                };
                line.all_gather(flow, self.forms[number], local, offset);
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
                self.offset(self.part),
            );
            flow.has_all(root);
            flow.send(root, from, root, to, self.part.bytes);
            for member in group.members.iter().filter(|m| **m != root) {
                let part = part_of(member);
                let from = collective.input_offset + part.start;
                flow.send(root, from, *member, self.offset(part), part.bytes);
            }
            return;
        }
        for member in &group.members {
            let part = part_of(member);
            let source = Place {
                tile: group.root,
                offset: collective.input_offset + part.start,
            };
            flow.pull(*member, source, self.offset(part), part.bytes);
        }
    }

    /// Every part to the root, from the nearest of those that have it.
    fn gather_to_root(&self, sums: &PartialSums, flow: &mut Dataflow<'_>) {
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
            let from = sum_at(sums, member, part);
            match group.root {
                TileRef::Cluster(root) if group.is_root_member() => {
                    flow.send(member, from, root, self.offset(part), part.bytes);
                }
                tile @ (TileRef::Cluster(_) | TileRef::Memory(_)) => {
                    let to = Place {
                        tile,
                        offset: self.offset(part),
                    };
                    flow.put(member, from, to, part.bytes);
                }
            }
        }
    }
}

// The reduce-scatter of a chunk: sums of its parts along one dimension after the other.

impl RoutedChunk<'_> {
    /// Sums of parts at their members; where each lies. Of all but a reduction they are at their places in the output.
    pub(super) fn sums(&self, flow: &mut Dataflow<'_>, slots: &mut Slots<'_>) -> PartialSums {
        let mut sums = self.inputs();
        let kind = self.task.collective.kind;
        for number in 0..self.dimensions.len() {
            self.sums_along(number, &mut sums, flow, slots);
        }
        // A member alone has its sum.
        if self.dimensions.is_empty() && kind == CollectiveKind::AllReduce {
            for (member, (_, offset)) in &sums {
                let (from, to) = (offset + self.part.start, self.offset(self.part));
                flow.send(*member, from, *member, to, self.part.bytes);
            }
        }
        sums
    }

    fn sums_along(
        &self,
        number: usize,
        sums: &mut PartialSums,
        flow: &mut Dataflow<'_>,
        slots: &mut Slots<'_>,
    ) {
        let (dimension, collective) = (self.dimensions[number], self.task.collective);
        // The output of a reduce-scatter is one block.
        let is_block = collective.kind == CollectiveKind::ReduceScatter;
        let to_output = |part: LinePart| match is_block {
            true => collective.output_offset,
            false => self.offset(part),
        };
        let is_last = number + 1 == self.dimensions.len();
        let is_output = is_last && collective.kind != CollectiveKind::Reduce;
        let target: Target<'_> = if is_output { Some(&to_output) } else { None };
        let is_cut = self.cuts.is_cut[number];
        let form = match is_cut {
            true => self.forms[number],
            false => whole_form(self.forms[number], dimension.len()),
        };
        let parts: Vec<Vec<LinePart>> = self.parts_of(number);
        let lines = dimension.lines.iter().zip(&parts);
        let lines: Vec<Line<'_>> = lines.map(|(m, parts)| dimension.line(m, parts)).collect();
        let needed = |line: &Line<'_>| match is_cut {
            true => line.slot_bytes(form),
            false => line.whole_slot_bytes(form),
        };
        let partners = dimension.len() as u64;
        let first_slot = match is_cut && self.may_use_output(number) {
            true => self.offset(self.part),
            false => slots.take(
                number,
                max_or_zero(lines.iter().map(needed)),
                partners,
                flow,
            ),
        };
        for line in lines {
            if is_cut {
                add_along(&line, form, first_slot, target, sums, flow);
            } else {
                line.all_sums(flow, form, first_slot, target, sums);
            }
        }
    }

    /// By line: the parts of its members behind a dimension.
    fn parts_of(&self, number: usize) -> Vec<Vec<LinePart>> {
        let of_line = |members: &Vec<_>| {
            let parts = members.iter().map(|m| self.cuts.parts[number][m]);
            parts.collect()
        };
        self.dimensions[number].lines.iter().map(of_line).collect()
    }

    /// What a member receives first may lie in its output, if that is not its input: a ring's slots lie like the payload.
    fn may_use_output(&self, number: usize) -> bool {
        let collective = self.task.collective;
        number == 0
            && collective.kind == CollectiveKind::AllReduce
            && collective.input_offset != collective.output_offset
            && self.forms[number] == Form::Ring
    }

    /// Every member holds its input.
    fn inputs(&self) -> PartialSums {
        let whole = LinePart {
            start: 0,
            bytes: u64::MAX,
        };
        let input = self.task.collective.input_offset;
        let members = self.task.group.members.iter();
        members.map(|m| (*m, (whole, input))).collect()
    }
}

/// A reduce-scatter along a line; then its members hold their parts.
fn add_along(
    line: &Line<'_>,
    form: Form,
    slots: u64,
    target: Target<'_>,
    sums: &mut PartialSums,
    flow: &mut Dataflow<'_>,
) {
    let offsets = {
        let source = |position: usize, part: LinePart| sum_at(sums, line.members[position], part);
        line.reduce_scatter(flow, form, source, slots, target)
    };
    for ((member, part), offset) in line.members.iter().zip(line.parts).zip(offsets) {
        sums.insert(*member, (*part, offset));
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
