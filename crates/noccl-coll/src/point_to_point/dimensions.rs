// SPDX-License-Identifier: Apache-2.0
//! The dimensions of a group: along each of them members exchange in lines.

use super::line::{Form, Line, LinePart};
use crate::PointForm;
use crate::layout::Chunks;
use crate::plan::line::Pairing;
use crate::plan::mesh_order::ring_order;
use crate::task::Group;
use noccl_net::Coord;
use std::collections::BTreeMap;
use std::ops::Range;

/// Column or row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Axis {
    X,
    Y,
}

/// One dimension: lines of members that exchange with each other.
#[derive(Debug)]
pub(super) struct Dimension {
    pub(super) axis: Axis,
    pub(super) lines: Vec<Vec<Coord>>,
    /// Do neighbours of a line stand side by side, the last and the first with them?
    is_closed: bool,
    /// Position of each member in its line.
    positions: BTreeMap<Coord, usize>,
}

/// Dimensions of a product of columns and rows, near members before far ones; of other sets, for `ring`, and where all operands are
/// added at once, a single line.
pub(super) fn dimensions(group: &Group, form: PointForm) -> Vec<Dimension> {
    let is_one_line = match form {
        PointForm::Ring => true,
        PointForm::Combine(parts) => group.members.len() <= usize::from(parts),
        PointForm::Lines(..)
        | PointForm::Radix(_)
        | PointForm::Trees(_)
        | PointForm::Rotated(_) => false,
    };
    let product = group.columns_and_rows();
    let Some((columns, rows)) = product.filter(|_| !is_one_line) else {
        // Where all operands are added at once they are in the order of the ranks.
        let line = match form {
            PointForm::Combine(_) => group.members.clone(),
            PointForm::Ring
            | PointForm::Lines(..)
            | PointForm::Radix(_)
            | PointForm::Trees(_)
            | PointForm::Rotated(_) => ring_order(&group.members),
        };
        let has_others = line.len() > 1;
        return has_others
            .then(|| Dimension::new(Axis::X, vec![line], true))
            .into_iter()
            .collect();
    };
    let mut all = Vec::new();
    for (stride, len) in factors(columns.len(), form) {
        let lines = rows.iter().flat_map(|y| {
            let line = strided(&columns, stride, len);
            line.into_iter()
                .map(|xs| xs.iter().map(|x| Coord::new(*x, *y)).collect())
        });
        all.push(Dimension::new(Axis::X, lines.collect(), false));
    }
    for (stride, len) in factors(rows.len(), form) {
        let lines = columns.iter().flat_map(|x| {
            let line = strided(&rows, stride, len);
            line.into_iter()
                .map(|ys| ys.iter().map(|y| Coord::new(*x, *y)).collect())
        });
        all.push(Dimension::new(Axis::Y, lines.collect(), false));
    }
    all
}

/// Lines of a row or column: members between two of a line, and members of a line; near ones first.
fn factors(num: usize, form: PointForm) -> Vec<(usize, usize)> {
    let radix = match form {
        PointForm::Radix(radix) => usize::from(radix),
        PointForm::Combine(parts) => usize::from(parts),
        PointForm::Ring | PointForm::Lines(..) | PointForm::Trees(_) | PointForm::Rotated(_) => {
            return if num > 1 { vec![(1, num)] } else { Vec::new() };
        }
    };
    let (mut stride, mut rest, mut out) = (1, num, Vec::new());
    while rest > 1 {
        let fits = (2..=radix).rev().find(|r| rest.is_multiple_of(*r));
        let len = fits.unwrap_or(rest);
        out.push((stride, len));
        stride *= len;
        rest /= len;
    }
    out
}

/// Every member of a list is in one line of `len` members, `stride` apart.
fn strided(list: &[u16], stride: usize, len: usize) -> Vec<Vec<u16>> {
    let blocks = list.chunks(stride * len);
    let lines = blocks.flat_map(|block| {
        (0..stride).map(move |first| block[first..].iter().step_by(stride).copied().collect())
    });
    lines.collect()
}

impl Dimension {
    fn new(axis: Axis, lines: Vec<Vec<Coord>>, is_closed: bool) -> Self {
        let all = lines.iter().flat_map(|line| line.iter().copied().zip(0..));
        Self {
            axis,
            is_closed,
            positions: all.collect(),
            lines,
        }
    }

    /// Where a member stands in its line.
    pub(super) fn position(&self, member: Coord) -> usize {
        self.positions[&member]
    }

    /// Members of a line.
    pub(super) fn len(&self) -> usize {
        // 0: a dimension without lines has no members.
        self.lines.first().map_or(0, Vec::len)
    }

    /// A line whose members have these parts.
    pub(super) fn line<'a>(&self, members: &'a [Coord], parts: &'a [LinePart]) -> Line<'a> {
        Line {
            members,
            parts,
            is_closed: self.is_closed,
        }
    }
}

// Which part of a payload each member is left with behind each dimension of a reduce-scatter.

/// Parts by dimension and member.
#[derive(Debug, Clone)]
pub(super) struct Cuts {
    /// By dimension: the part of each member behind it.
    pub(super) parts: Vec<BTreeMap<Coord, LinePart>>,
    /// By dimension: is a part cut, or does every member of a line get all of it?
    pub(super) is_cut: Vec<bool>,
}

/// A chunk of a payload that every member shares.
#[derive(Debug)]
pub(super) struct Shared<'a> {
    pub(super) part: LinePart,
    pub(super) forms: &'a [Form],
    pub(super) dimensions: &'a [&'a Dimension],
    /// Which of how many chunks that take the dimensions in this order.
    pub(super) number: (usize, usize),
    pub(super) beat_bytes: u64,
    /// May it be cut among members at all?
    pub(super) may_cut: bool,
}

impl Cuts {
    /// Cuts a chunk along one dimension after the other, as long as every member gets a beat.
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
    /// Positions of a line that get something of the chunk: along the second axis each chunk belongs to members of its own, so that
    /// chunks are not cut too short.
    fn owners(&self, number: usize) -> Range<usize> {
        let num = self.dimensions[number].len();
        let axis = self.dimensions[number].axis;
        let is_first_of_axis = number > 0 && self.dimensions[number - 1].axis != axis;
        if !is_first_of_axis {
            return 0..num;
        }
        let (chunk, chunks) = self.number;
        if chunks < num {
            chunk * num / chunks..(chunk + 1) * num / chunks
        } else {
            chunk % num..chunk % num + 1
        }
    }

    /// A part in chunks for the owners on a line: those that go together lie one behind the other.
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
