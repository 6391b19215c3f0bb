// SPDX-License-Identifier: Apache-2.0
//! Collectives line by line: along one dimension, then along the other.
//!
//! A reduce-scatter along rows leaves a part of the payload at each column, one along columns cuts that part again; all-gathers go
//! back. A multicast scatters and gathers, a reduction scatters sums and collects them. A payload is cut into pieces that take
//! the dimensions in different orders, blocks into those of some rows each, so that one piece is sent while another one is added.

use super::cuts::{Cuts, Shared};
use super::dataflow::Dataflow;
use super::dimensions::{Axis, Dimension, dimensions};
use super::line::{Form, LinePart};
use super::pairing::Pairing;
use super::piece::Piece;
use super::slots::Slots;
use crate::compose::Task;
use crate::{CollError, LineForm, PointForm};
use noccl_net::Coord;
use std::collections::{BTreeMap, BTreeSet};

impl Task<'_> {
    /// A collective by lines.
    pub(super) fn by_lines(
        &self,
        form: PointForm,
        flow: &mut Dataflow<'_>,
        slots: &mut Slots<'_>,
    ) -> Result<(), CollError> {
        let all = dimensions(self.group, form);
        if self.collective.kind.has_blocks() {
            let order: Vec<&Dimension> = all.iter().collect();
            let forms = self.forms(form, &order)?;
            for owners in self.passes(&all) {
                let blocks = self.blocks(&owners);
                let piece = Piece {
                    task: self,
                    output: self.collective.output_offset,
                    forms: &forms,
                    dimensions: &order,
                    part: LinePart { start: 0, bytes: 0 },
                    cuts: Cuts::of_blocks(blocks, &order),
                };
                piece.emit(flow, slots);
            }
            return Ok(());
        }
        let chunks = self.chunks();
        let is_alike = !matches!(form, PointForm::Lines(first, second) if first != second);
        for number in 0..chunks.len() {
            let (start, bytes) = chunks.range(number);
            let part = LinePart { start, bytes };
            let mut order: Vec<&Dimension> = all.iter().collect();
            // Where both dimensions go alike, every second piece takes Y before X, near before far in both.
            if is_alike && number % 2 == 1 {
                order.sort_by_key(|d| d.axis == Axis::X);
            }
            let forms = self.forms(form, &order)?;
            let shared = Shared {
                part,
                forms: &forms,
                dimensions: &order,
                number: match is_alike {
                    true => (number / 2, chunks.len().div_ceil(2)),
                    false => (number, chunks.len()),
                },
                beat_bytes: self.network.beat_bytes(),
                may_cut: !matches!(form, PointForm::Combine(_)),
            };
            let piece = Piece {
                task: self,
                output: self.collective.output_offset,
                forms: &forms,
                dimensions: &order,
                part,
                cuts: Cuts::of_payload(&self.group.members, &shared),
            };
            piece.emit(flow, slots);
        }
        Ok(())
    }

    /// The form along each dimension; pairs need a power of two.
    fn forms(&self, form: PointForm, order: &[&Dimension]) -> Result<Vec<Form>, CollError> {
        let axis = order.first().map(|d| d.axis);
        let forms = order.iter().map(|dimension| {
            let line = match form {
                PointForm::Ring | PointForm::Trees(_) | PointForm::Rotated(_) => LineForm::Ring,
                PointForm::Radix(_) | PointForm::Combine(_) => LineForm::Direct,
                PointForm::Lines(first, _) if Some(dimension.axis) == axis => first,
                PointForm::Lines(_, second) => second,
            };
            self.form(line, dimension)
        });
        forms.collect()
    }

    fn form(&self, line: LineForm, dimension: &Dimension) -> Result<Form, CollError> {
        let pairing = match line {
            LineForm::Ring => return Ok(Form::Ring),
            LineForm::Both => return Ok(Form::Both),
            LineForm::Direct => return Ok(Form::Direct),
            // Far ones first leaves blocks that lie one behind the other; near ones first has the most to send over short paths.
            LineForm::Halving if self.collective.kind.has_blocks() => Pairing::Far,
            LineForm::Halving => Pairing::Near,
            LineForm::Swing => Pairing::Swing,
            LineForm::Bine => Pairing::Bine,
        };
        if dimension.len().is_power_of_two() {
            return Ok(Form::Pairs(pairing));
        }
        Err(self.unsupported(
            "members of a line exchange in pairs; accepted: columns and rows whose numbers are powers of two, or \
             the forms ring, rings, both, direct, radix and trees",
        ))
    }

    /// Members whose blocks go through all dimensions together: those of some rows. Of far members only equals go together, so that what
    /// near ones exchange lies one behind the other.
    fn passes(&self, all: &[Dimension]) -> Vec<BTreeSet<Coord>> {
        let of_axis = |axis: Axis| all.iter().filter(move |d| d.axis == axis);
        let far: Vec<&Dimension> = of_axis(Axis::X)
            .skip(1)
            .chain(of_axis(Axis::Y).skip(1))
            .collect();
        let rows = of_axis(Axis::Y).next();
        let num_rows = rows.map_or(1, Dimension::len);
        let wanted = (self.choice.chunks as usize).min(num_rows);
        let mut passes: BTreeMap<Vec<usize>, BTreeSet<Coord>> = BTreeMap::new();
        for member in &self.group.members {
            // 0: without this dimension all members are in one row.
            let row = rows.map_or(0, |d| d.position(*member));
            let mut key: Vec<usize> = far.iter().map(|d| d.position(*member)).collect();
            key.push(row * wanted / num_rows);
            passes.entry(key).or_default().insert(*member);
        }
        passes.into_values().collect()
    }

    /// The blocks of these members, by rank; others have none.
    fn blocks(&self, owners: &BTreeSet<Coord>) -> BTreeMap<Coord, LinePart> {
        let bytes = self.collective.bytes;
        let ranks = self.group.members.iter().zip(0_u64..);
        let block = |(member, rank): (&Coord, u64)| {
            let part = LinePart {
                start: rank * bytes,
                bytes: if owners.contains(member) { bytes } else { 0 },
            };
            (*member, part)
        };
        ranks.map(block).collect()
    }
}
