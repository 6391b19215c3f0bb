// SPDX-License-Identifier: Apache-2.0
//! The dimensions of a group: along each of them members exchange in lines.

use super::line::{Line, LinePart};
use crate::PointForm;
use crate::group::Group;
use crate::order::ring_order;
use noccl_net::Coord;
use std::collections::BTreeMap;

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
