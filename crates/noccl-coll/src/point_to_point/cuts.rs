// SPDX-License-Identifier: Apache-2.0
//! Which part of a payload each member is left with behind each dimension of a reduce-scatter.

use super::dimensions::Dimension;
use super::line::{Form, LinePart};
use super::pairing::Pairing;
use crate::layout::Chunks;
use noccl_net::Coord;
use std::collections::BTreeMap;
use std::ops::Range;

/// Parts by dimension and member.
#[derive(Debug, Clone)]
pub(super) struct Cuts {
    /// By dimension: the part of each member behind it.
    pub(super) parts: Vec<BTreeMap<Coord, LinePart>>,
    /// By dimension: is a part cut, or does every member of a line get all of it?
    pub(super) is_cut: Vec<bool>,
}

/// A piece of a payload that every member shares.
#[derive(Debug)]
pub(super) struct Shared<'a> {
    pub(super) part: LinePart,
    pub(super) forms: &'a [Form],
    pub(super) dimensions: &'a [&'a Dimension],
    /// Which of how many pieces that take the dimensions in this order.
    pub(super) number: (usize, usize),
    pub(super) beat_bytes: u64,
    /// May it be cut among members at all?
    pub(super) may_cut: bool,
}

impl Cuts {
    /// Cuts a piece along one dimension after the other, as long as every member gets a beat.
    pub(super) fn of_payload(members: &[Coord], shared: &Shared<'_>) -> Self {
        let mut known: BTreeMap<Coord, LinePart> =
            members.iter().map(|m| (*m, shared.part)).collect();
        let mut cuts = Self {
            parts: Vec::new(),
            is_cut: Vec::new(),
        };
        for (number, dimension) in shared.dimensions.iter().enumerate() {
            let owners = shared.owners(number);
            let fits = |line: &Vec<Coord>| {
                known[&line[0]].bytes.div_ceil(shared.beat_bytes) >= owners.len() as u64
            };
            let is_cut = shared.may_cut && dimension.lines.iter().all(fits);
            if is_cut {
                for line in &dimension.lines {
                    let parts =
                        shared.cut(known[&line[0]], shared.forms[number], line.len(), &owners);
                    known.extend(line.iter().copied().zip(parts));
                }
            }
            cuts.is_cut.push(is_cut);
            cuts.parts.push(known.clone());
        }
        cuts
    }

    /// The other direction: blocks that belong to members (some may be empty), put together line by line.
    pub(super) fn of_blocks(blocks: BTreeMap<Coord, LinePart>, dimensions: &[&Dimension]) -> Self {
        let mut parts = vec![blocks];
        for dimension in dimensions.iter().skip(1).rev() {
            let behind = &parts[parts.len() - 1];
            let mut before = BTreeMap::new();
            for line in &dimension.lines {
                let whole = hull(line.iter().map(|m| behind[m]));
                before.extend(line.iter().map(|m| (*m, whole)));
            }
            parts.push(before);
        }
        parts.reverse();
        Self {
            is_cut: vec![true; parts.len()],
            parts,
        }
    }
}

/// From the first to the last byte of all parts.
fn hull(parts: impl Iterator<Item = LinePart>) -> LinePart {
    let filled = parts.filter(|p| p.bytes > 0);
    let ends = filled.map(|p| (p.start, p.start + p.bytes));
    let both = ends.reduce(|(a, b), (c, d)| (a.min(c), b.max(d)));
    let (start, end) = both.unwrap_or((0, 0));
    LinePart {
        start,
        bytes: end - start,
    }
}

impl Shared<'_> {
    /// Positions of a line that get something of the piece: along the second axis each piece belongs to members of its own, so that
    /// pieces are not cut too short.
    fn owners(&self, number: usize) -> Range<usize> {
        let num = self.dimensions[number].len();
        let axis = self.dimensions[number].axis;
        let is_first_of_axis = number > 0 && self.dimensions[number - 1].axis != axis;
        if !is_first_of_axis {
            return 0..num;
        }
        let (piece, pieces) = self.number;
        if pieces < num {
            piece * num / pieces..(piece + 1) * num / pieces
        } else {
            piece % num..piece % num + 1
        }
    }

    /// A part in pieces for the owners on a line: those that go together lie one behind the other.
    fn cut(&self, part: LinePart, form: Form, num: usize, owners: &Range<usize>) -> Vec<LinePart> {
        let chunks = Chunks::new(part.bytes, self.beat_bytes, owners.len() as u32);
        let order = match form {
            Form::Pairs(pairing) => Pairing::kept(&pairing.steps(num), 0, 0),
            Form::Ring | Form::Both | Form::Direct => (0..num).collect(),
        };
        let mut parts = vec![LinePart { start: 0, bytes: 0 }; num];
        let order = order.into_iter().filter(|p| owners.contains(p));
        for (at, position) in order.enumerate() {
            let (start, bytes) = if at < chunks.len() {
                chunks.range(at)
            } else {
                (part.bytes, 0)
            };
            parts[position] = LinePart {
                start: part.start + start,
                bytes,
            };
        }
        parts
    }
}
