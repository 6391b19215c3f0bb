// SPDX-License-Identifier: Apache-2.0
//! Collectives line by line: along one dimension, then along the other.
//!
//! A reduce-scatter along rows leaves a part of the payload at each column, one along columns cuts that part again; all-gathers go
//! back. A multicast scatters and gathers, a reduction scatters sums and collects them. The payload is cut into pieces that take
//! the dimensions in different orders, so that one sends while the other adds.

use super::dataflow::Dataflow;
use super::line::{Form, Line, Part, Target};
use super::pairing::Pairing;
use super::piece::Piece;
use crate::compose::Task;
use crate::layout::Layout;
use crate::order::ring_order;
use crate::{CollError, PointForm};
use noccl_net::Coord;
use noccl_workload::CollectiveKind;
use std::collections::BTreeMap;

/// One dimension: lines of members that exchange with each other.
pub(super) struct Dimension {
    pub(super) lines: Vec<Vec<Coord>>,
    /// Do neighbours of the list stand side by side, the last and the first with them?
    pub(super) is_closed: bool,
}

/// What a member holds of a sum: which part, and where.
pub(super) type Held = BTreeMap<Coord, (Part, u64)>;

impl Task<'_> {
    /// A collective by lines.
    pub(super) fn by_lines(
        &self,
        form: PointForm,
        flow: &mut Dataflow<'_>,
        layout: &mut Layout,
    ) -> Result<(), CollError> {
        let dimensions = self.dimensions(form);
        let form = self.line_form(form, &dimensions)?;
        match self.collective.kind {
            CollectiveKind::AllGather => self.gather_blocks(form, &dimensions, flow),
            CollectiveKind::ReduceScatter => self.scatter_sums(form, &dimensions, flow, layout),
            CollectiveKind::Multicast
            | CollectiveKind::Reduce
            | CollectiveKind::AllReduce
            | CollectiveKind::Barrier
            | CollectiveKind::AllToAll => {
                let chunks = self.chunks();
                for piece in 0..chunks.len() {
                    let (start, bytes) = chunks.range(piece);
                    let mut order: Vec<&Dimension> = dimensions.iter().collect();
                    if piece % 2 == 1 {
                        order.reverse();
                    }
                    let piece = Piece {
                        task: self,
                        form,
                        dimensions: order,
                        is_reversed: piece % 4 >= 2,
                        part: Part { start, bytes },
                    };
                    piece.emit(flow, layout);
                }
            }
        }
        Ok(())
    }

    /// Rows and columns of a product of both; a single line through all members of other sets, and for `ring`.
    fn dimensions(&self, form: PointForm) -> Vec<Dimension> {
        let members = &self.group.members;
        let product = self
            .group
            .columns_and_rows()
            .filter(|_| form != PointForm::Ring);
        let Some((columns, rows)) = product else {
            return vec![Dimension {
                lines: vec![ring_order(members)],
                is_closed: true,
            }];
        };
        let row = |y: &u16| columns.iter().map(|x| Coord::new(*x, *y)).collect();
        let column = |x: &u16| rows.iter().map(|y| Coord::new(*x, *y)).collect();
        let along_x = Dimension {
            lines: rows.iter().map(row).collect(),
            is_closed: false,
        };
        let along_y = Dimension {
            lines: columns.iter().map(column).collect(),
            is_closed: false,
        };
        let both = [along_x, along_y].into_iter();
        both.filter(|d| d.lines.iter().any(|l| l.len() > 1))
            .collect()
    }

    /// The form within a line; pairs need a power of two.
    fn line_form(&self, form: PointForm, dimensions: &[Dimension]) -> Result<Form, CollError> {
        let pairs = match form {
            PointForm::Ring | PointForm::Rings | PointForm::Trees(_) => return Ok(Form::Ring),
            PointForm::Direct => return Ok(Form::Direct),
            // Far ones first leaves blocks that lie one behind the other; near ones first has the most to send over short paths.
            PointForm::Halving if self.collective.kind.has_blocks() => Pairing::Far,
            PointForm::Halving => Pairing::Near,
            PointForm::Swing => Pairing::Swing,
            PointForm::Bine => Pairing::Bine,
        };
        let has_pairs = |d: &Dimension| d.lines.iter().all(|l| l.len().is_power_of_two());
        if dimensions.iter().all(has_pairs) {
            return Ok(Form::Pairs(pairs));
        }
        Err(self.unsupported(
            "members of a line exchange in pairs; accepted: columns and rows whose numbers are powers of two, or \
             the forms ring, rings, direct and trees",
        ))
    }

    /// Blocks along columns first: then what a column has lies one behind the other.
    fn gather_blocks(&self, form: Form, dimensions: &[Dimension], flow: &mut Dataflow<'_>) {
        let (input, output) = (self.collective.input_offset, self.collective.output_offset);
        let place = |part: Part| output + part.start;
        for pass in self.passes(dimensions) {
            for (number, dimension) in dimensions.iter().rev().enumerate() {
                for members in &dimension.lines {
                    let parts = self.blocks_of(members, dimensions, number == 0, &pass);
                    let own = |position: usize| match number {
                        0 => input,
                        _ => place(parts[position]),
                    };
                    let line = dimension.line(members, &parts, false);
                    line.all_gather(flow, form, own, place);
                }
            }
        }
    }

    /// Along rows first: what a column gets lies one behind the other.
    fn scatter_sums(
        &self,
        form: Form,
        dimensions: &[Dimension],
        flow: &mut Dataflow<'_>,
        layout: &mut Layout,
    ) {
        let output = self.collective.output_offset;
        let to_output = |_: Part| output;
        for pass in self.passes(dimensions) {
            let mut held = self.inputs();
            for (number, dimension) in dimensions.iter().enumerate() {
                let is_last = number + 1 == dimensions.len();
                let target: Target<'_> = if is_last { Some(&to_output) } else { None };
                let mut slots = None;
                for members in &dimension.lines {
                    let parts = self.blocks_of(members, dimensions, is_last, &pass);
                    let line = dimension.line(members, &parts, false);
                    let slots = *slots.get_or_insert_with(|| layout.alloc(line.slot_bytes(form)));
                    add_along(&line, form, slots, target, &mut held, flow);
                }
            }
        }
    }

    /// Rows of blocks that go through all dimensions together, as first and last row; of a single dimension all.
    fn passes(&self, dimensions: &[Dimension]) -> Vec<std::ops::Range<u64>> {
        let [along_x, _] = dimensions else {
            return vec![0..u64::MAX];
        };
        let rows = along_x.lines.len() as u64;
        let wanted = u64::from(self.choice.chunks).min(rows);
        let first = |pass: u64| pass * rows / wanted;
        (0..wanted)
            .map(|pass| first(pass)..first(pass + 1))
            .collect()
    }

    /// What belongs to each member of a line: its block, or the blocks of its column; only of the rows of a pass.
    fn blocks_of(
        &self,
        members: &[Coord],
        dimensions: &[Dimension],
        is_single: bool,
        pass: &std::ops::Range<u64>,
    ) -> Vec<Part> {
        let bytes = self.collective.bytes;
        let rank = |member: &Coord| self.group.members.binary_search(member).unwrap_or(0) as u64;
        let [along_x, _] = dimensions else {
            let part = |member| Part {
                start: rank(member) * bytes,
                bytes,
            };
            return members.iter().map(part).collect();
        };
        let rows = along_x.lines.len() as u64;
        let part = |member: &Coord| {
            let row = rank(member) % rows;
            let (first, num) = if is_single {
                (rank(member), u64::from(pass.contains(&row)))
            } else {
                (rank(member) - row + pass.start, pass.end - pass.start)
            };
            Part {
                start: first * bytes,
                bytes: num * bytes,
            }
        };
        members.iter().map(part).collect()
    }

    /// Every member holds its input.
    pub(super) fn inputs(&self) -> Held {
        let whole = Part {
            start: 0,
            bytes: u64::MAX,
        };
        let members = self.group.members.iter();
        members
            .map(|m| (*m, (whole, self.collective.input_offset)))
            .collect()
    }
}

impl Dimension {
    pub(super) fn line<'a>(
        &self,
        members: &'a [Coord],
        parts: &'a [Part],
        is_reversed: bool,
    ) -> Line<'a> {
        Line {
            members,
            parts,
            is_closed: self.is_closed,
            is_reversed,
        }
    }
}

/// A reduce-scatter along a line; then its members hold their parts.
pub(super) fn add_along(
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
