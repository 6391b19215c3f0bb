// SPDX-License-Identifier: Apache-2.0
//! Who sends to whom: chains, trees, and both dimension by dimension.
//!
//! An edge leads from the member nearer to the entry to the one farther from it; a multicast follows
//! the edges, a reduction runs against them. All edges of a stage are active in the same step.

use crate::entry::Stages;
use crate::task::{Group, position_of};
use crate::{Algorithm, Choice, CollError, Inner};
use noccl_net::Coord;

/// Edges (nearer, farther) that are active together.
pub(crate) type Stage = Vec<(Coord, Coord)>;

/// A part of an algorithm: stages in multicast order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Phase {
    pub(crate) stages: Vec<Stage>,
    pub(crate) inner: Inner,
}

/// Dimension along which the first phase (multicast order) runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum First {
    /// Along the entry's row, then all columns: multicast.
    Row,
    /// Along the entry's column, then all rows: a reduction, which runs backwards.
    Column,
}

/// Phases in multicast order.
pub(crate) fn phases(group: &Group, choice: Choice, first: First) -> Result<Vec<Phase>, CollError> {
    let one = |stages, inner| Ok(vec![Phase { stages, inner }]);
    match choice.algorithm.entry().parameters.stages {
        Stages::Fixed(Inner::Chain) => one(
            chain_stages(&chain_order(&group.members, group.entry)),
            Inner::Chain,
        ),
        Stages::Fixed(Inner::Tree) => one(
            tree_stages(&tree_order(by_rows(&group.members), &group.entry)),
            Inner::Tree,
        ),
        Stages::Chosen => row_column(group, choice.inner, first),
        Stages::None => Ok(Vec::new()),
    }
}

fn row_column(group: &Group, inner: Inner, first: First) -> Result<Vec<Phase>, CollError> {
    let (columns, rows) = group
        .columns_and_rows()
        .ok_or_else(|| CollError::Unsupported {
            algorithm: Algorithm::RowColumn.to_string(),
            collective: "this group".to_owned(),
            reason: "the group must be a rectangle, row, column or mask cube; chain, tree and \
                     in_network take any set"
                .to_owned(),
        })?;
    let stages = |line: Vec<u16>, start: u16| -> Vec<Vec<(u16, u16)>> {
        match inner {
            Inner::Chain => {
                let at = position_of(&line, &start);
                chain_stages(&from_position(line, at))
            }
            Inner::Tree => tree_stages(&tree_order(line, &start)),
        }
    };
    let along_x = stages(columns.clone(), group.entry.x);
    let along_y = stages(rows.clone(), group.entry.y);
    let place_x = |ys: &[u16]| on_parallel_lines(&along_x, ys, Coord::new);
    let place_y = |xs: &[u16]| on_parallel_lines(&along_y, xs, |y, x| Coord::new(x, y));
    let both = match first {
        First::Row => [place_x(&[group.entry.y]), place_y(&columns)],
        First::Column => [place_y(&[group.entry.x]), place_x(&rows)],
    };
    Ok(both
        .into_iter()
        .map(|stages| Phase { stages, inner })
        .collect())
}

/// The stages of one line, on every one of the parallel lines.
fn on_parallel_lines(
    stages: &[Vec<(u16, u16)>],
    lines: &[u16],
    at: impl Fn(u16, u16) -> Coord,
) -> Vec<Stage> {
    stages
        .iter()
        .map(|stage| {
            lines
                .iter()
                .flat_map(|line| stage.iter().map(|(a, b)| (at(*a, *line), at(*b, *line))))
                .collect()
        })
        .collect()
}

/// Every member passes on to the next: one edge per stage.
pub(crate) fn chain_stages<T: Copy>(order: &[T]) -> Vec<Vec<(T, T)>> {
    order.windows(2).map(|w| vec![(w[0], w[1])]).collect()
}

/// Rank r sends to rank r + stride, the stride halving from stage to stage.
pub(crate) fn tree_stages<T: Copy>(order: &[T]) -> Vec<Vec<(T, T)>> {
    let mut stride = order.len().next_power_of_two() / 2;
    let mut out = Vec::new();
    while stride >= 1 {
        out.push(
            (0..order.len().saturating_sub(stride))
                .step_by(2 * stride)
                .map(|r| (order[r], order[r + stride]))
                .collect(),
        );
        stride /= 2;
    }
    out
}

/// Rank 0 is `first`: by exclusive or where the number is a power of two, so that partners stay a
/// stride apart, else by rotation.
pub(crate) fn tree_order<T: Copy + PartialEq>(line: Vec<T>, first: &T) -> Vec<T> {
    let at = position_of(&line, first);
    let n = line.len();
    (0..n)
        .map(|r| {
            if n.is_power_of_two() {
                line[r ^ at]
            } else {
                line[(at + r) % n]
            }
        })
        .collect()
}

/// From a position to the line's end, then from its left neighbour back to the line's beginning.
pub(crate) fn from_position<T: Copy>(line: Vec<T>, at: usize) -> Vec<T> {
    let (left, right) = line.split_at(at);
    right.iter().chain(left.iter().rev()).copied().collect()
}

/// A snake through the members that starts at `entry`: of the snakes along rows or columns from any
/// corner the first that begins there, else the plain one, run from the entry to its end and then
/// back from the entry's left.
pub(crate) fn chain_order(members: &[Coord], entry: Coord) -> Vec<Coord> {
    let plain = snake(members, false, false, false);
    let turned = |along_y: bool| {
        [(false, false), (true, false), (false, true), (true, true)]
            .into_iter()
            .map(move |(flip_x, flip_y)| snake(members, along_y, flip_x, flip_y))
    };
    if let Some(order) = turned(false)
        .chain(turned(true))
        .find(|order| order.first() == Some(&entry))
    {
        return order;
    }
    let at = position_of(&plain, &entry);
    from_position(plain, at)
}

/// A closed path through the members, whose neighbours stand side by side where the group is columns × rows
/// with an even number of either; else a snake doubled back on itself, whose neighbours are two apart at most.
pub(crate) fn ring_order(members: &[Coord]) -> Vec<Coord> {
    let line = |of: fn(&Coord) -> u16| {
        let all: std::collections::BTreeSet<u16> = members.iter().map(of).collect();
        all.into_iter().collect::<Vec<u16>>()
    };
    let (columns, rows) = (line(|c| c.x), line(|c| c.y));
    let is_product = columns.len() * rows.len() == members.len();
    let is_plane = is_product && columns.len() > 1 && rows.len() > 1;
    // There along all lines but the first, back along the first.
    let there_and_back = |along_y: bool, first: u16| {
        let is_first = |c: &Coord| (if along_y { c.y } else { c.x }) == first;
        let (back, there): (Vec<Coord>, Vec<Coord>) = members.iter().partition(|c| is_first(c));
        let mut order = snake(&there, along_y, false, false);
        order.extend(snake(&back, !along_y, true, true));
        order
    };
    if is_plane && rows.len().is_multiple_of(2) {
        return there_and_back(false, columns[0]);
    }
    if is_plane && columns.len().is_multiple_of(2) {
        return there_and_back(true, rows[0]);
    }
    let chain = snake(members, false, false, false);
    let there = chain.iter().step_by(2);
    let back = chain.iter().skip(1).step_by(2).rev();
    there.chain(back).copied().collect()
}

/// Line after line, every other line backwards, so that the ends of consecutive lines meet.
fn snake(members: &[Coord], along_y: bool, flip_x: bool, flip_y: bool) -> Vec<Coord> {
    let key = |c: &Coord| {
        let x = if flip_x { u16::MAX - c.x } else { c.x };
        let y = if flip_y { u16::MAX - c.y } else { c.y };
        if along_y { (x, y) } else { (y, x) }
    };
    let mut sorted: Vec<((u16, u16), Coord)> = members.iter().map(|c| (key(c), *c)).collect();
    sorted.sort_unstable();
    sorted
        .chunk_by(|a, b| a.0.0 == b.0.0)
        .enumerate()
        .flat_map(|(i, line)| {
            let mut line: Vec<Coord> = line.iter().map(|(_, c)| *c).collect();
            if i % 2 == 1 {
                line.reverse();
            }
            line
        })
        .collect()
}

/// Row after row from the south, West to East.
pub(crate) fn by_rows(members: &[Coord]) -> Vec<Coord> {
    let mut out = members.to_vec();
    out.sort_unstable_by_key(|c| (c.y, c.x));
    out
}
