// SPDX-License-Identifier: Apache-2.0
//! Trees that share a payload so that every member sends about as much as it receives.
//!
//! A member with f children passes its part of the payload f times. With f trees, each with an f-th of the payload, and every
//! member inner in one of them, a port passes the payload once; with two trees of two children that is the double tree, with one of
//! one child the chain. Children are chosen near by, so that the short edges at the leaves, which are most, share few links.

use noccl_net::Coord;

/// A tree over members, by position; the first one is its top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tree {
    /// Positions from the top down: parents before children.
    pub(crate) order: Vec<usize>,
    /// Parent of each position; the top has none.
    pub(crate) parent: Vec<Option<usize>>,
    /// Children of each position.
    pub(crate) children: Vec<Vec<usize>>,
}

/// `count` trees with `count` children per inner member, over all members but `root`, if that is one.
pub(crate) fn trees(members: &[Coord], root: Option<usize>, count: usize) -> Vec<Tree> {
    let mut others: Vec<usize> = (0..members.len()).filter(|p| Some(*p) != root).collect();
    along_curve(members, &mut others);
    let mut load = vec![0; members.len()];
    (0..count)
        .map(|tree| {
            let mut made = Tree {
                order: Vec::with_capacity(others.len()),
                parent: vec![None; members.len()],
                children: vec![Vec::new(); members.len()],
            };
            // Each tree prefers inner members of its own, so that all share the work.
            let mut shape = Shape {
                members,
                fan_out: count,
                tree,
                load: &mut load,
                made: &mut made,
            };
            let near = root.map_or_else(|| centre(members), |r| members[r]);
            if !others.is_empty() {
                shape.grow(None, near, &others);
            }
            made
        })
        .collect()
}

/// Trees in the making.
struct Shape<'a> {
    members: &'a [Coord],
    fan_out: usize,
    tree: usize,
    /// Children of each member in all trees so far.
    load: &'a mut Vec<usize>,
    made: &'a mut Tree,
}

impl Shape<'_> {
    /// One member of these becomes a child of `parent`, the others its descendants.
    fn grow(&mut self, parent: Option<usize>, near: Coord, positions: &[usize]) {
        let chosen = self.choose(near, positions);
        self.made.order.push(chosen);
        self.made.parent[chosen] = parent;
        if let Some(parent) = parent {
            self.made.children[parent].push(chosen);
        }
        let rest: Vec<usize> = positions.iter().copied().filter(|p| *p != chosen).collect();
        let at = self.members[chosen];
        let parts = split(&rest, self.fan_out);
        self.load[chosen] += parts.len();
        for part in parts {
            self.grow(Some(chosen), at, part);
        }
    }

    /// The member with the fewest children so far, the nearest of equals; the only one if there is but one.
    fn choose(&self, near: Coord, positions: &[usize]) -> usize {
        let key = |p: &&usize| {
            let prefers = **p % self.fan_out != self.tree % self.fan_out;
            (
                self.load[**p],
                prefers,
                self.members[**p].hops_to(near),
                **p,
            )
        };
        positions.iter().min_by_key(key).copied().unwrap_or(0)
    }
}

/// Cuts a list into at most so many parts as equal as can be.
fn split(list: &[usize], parts: usize) -> Vec<&[usize]> {
    let parts = parts.min(list.len());
    let mut rest = list;
    (0..parts)
        .map(|i| {
            let (first, later) = rest.split_at(rest.len().div_ceil(parts - i));
            rest = later;
            first
        })
        .collect()
}

/// Sorts positions along a curve of quarters within quarters, so that parts of the list are near each other.
fn along_curve(members: &[Coord], positions: &mut [usize]) {
    let interleaved = |c: Coord| {
        (0..16).fold(0_u32, |bits, i| {
            let bit = |v: u16| u32::from(v >> i & 1);
            bits | bit(c.x) << (2 * i) | bit(c.y) << (2 * i + 1)
        })
    };
    positions.sort_unstable_by_key(|p| interleaved(members[*p]));
}

/// The member nearest to the middle of all.
fn centre(members: &[Coord]) -> Coord {
    let num = members.len().max(1) as u32;
    let mean = |of: fn(&Coord) -> u16| {
        (members.iter().map(|c| u32::from(of(c))).sum::<u32>() / num) as u16
    };
    Coord::new(mean(|c| c.x), mean(|c| c.y))
}
