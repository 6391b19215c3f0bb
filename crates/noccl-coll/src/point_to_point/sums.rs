// SPDX-License-Identifier: Apache-2.0
//! The reduce-scatter of a piece: sums of its parts along one dimension after the other.

use super::dataflow::Dataflow;
use super::line::{Form, Line, LinePart, Target};
use super::pairing::Pairing;
use super::piece::{Held, Piece, place_held};
use super::slots::Slots;
use noccl_net::counts::max_or_zero;
use noccl_workload::CollectiveKind;

impl Piece<'_> {
    /// Sums of parts at their members; where each lies. Of all but a reduction they are at their places in the output.
    pub(super) fn sums(&self, flow: &mut Dataflow<'_>, slots: &mut Slots<'_>) -> Held {
        let mut held = self.inputs();
        let kind = self.task.collective.kind;
        for number in 0..self.dimensions.len() {
            self.sums_along(number, &mut held, flow, slots);
        }
        // A member alone has its sum.
        if self.dimensions.is_empty() && kind == CollectiveKind::AllReduce {
            for (member, (_, place)) in &held {
                let (from, to) = (place + self.part.start, self.place(self.part));
                flow.send(*member, from, *member, to, self.part.bytes);
            }
        }
        held
    }

    fn sums_along(
        &self,
        number: usize,
        held: &mut Held,
        flow: &mut Dataflow<'_>,
        slots: &mut Slots<'_>,
    ) {
        let (dimension, collective) = (self.dimensions[number], self.task.collective);
        // The output of a reduce-scatter is one block.
        let is_block = collective.kind == CollectiveKind::ReduceScatter;
        let to_output = |part: LinePart| match is_block {
            true => collective.output_offset,
            false => self.place(part),
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
            true => self.place(self.part),
            false => slots.take(
                number,
                max_or_zero(lines.iter().map(needed)),
                partners,
                flow,
            ),
        };
        for line in lines {
            if is_cut {
                add_along(&line, form, first_slot, target, held, flow);
            } else {
                line.all_sums(flow, form, first_slot, target, held);
            }
        }
    }

    /// By line: the parts of its members behind a dimension.
    pub(super) fn parts_of(&self, number: usize) -> Vec<Vec<LinePart>> {
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
    fn inputs(&self) -> Held {
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
    held: &mut Held,
    flow: &mut Dataflow<'_>,
) {
    let places = {
        let source =
            |position: usize, part: LinePart| place_held(held, line.members[position], part);
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
