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

impl Tree {
    /// A tree of nobody, over so many positions.
    pub(super) fn empty(num_members: usize) -> Self {
        Self {
            order: Vec::with_capacity(num_members),
            parent: vec![None; num_members],
            children: vec![Vec::new(); num_members],
        }
    }

    /// A position is attached below another one.
    pub(super) fn adopt(&mut self, parent: Option<usize>, child: usize) {
        self.order.push(child);
        self.parent[child] = parent;
        if let Some(parent) = parent {
            self.children[parent].push(child);
        }
    }

    /// A position is attached below the nearest leaf, if there is one.
    pub(super) fn adopt_leaf(&mut self, child: usize, members: &[Coord]) {
        let leaves = self.order.iter().copied();
        let leaves = leaves.filter(|p| self.children[*p].is_empty());
        if let Some(parent) = leaves.min_by_key(|p| members[*p].hops_to(members[child])) {
            self.adopt(Some(parent), child);
        }
    }
}

/// `count` trees with at most `count` children per inner member, over all members but `root`, if that is one.
///
/// `takes` says whether the root gets something too: then it is the last leaf of every tree.
pub(crate) fn trees(
    members: &[Coord],
    root: Option<usize>,
    count: usize,
    takes: bool,
) -> Vec<Tree> {
    let mut others: Vec<usize> = (0..members.len()).filter(|p| Some(*p) != root).collect();
    along_curve(members, &mut others);
    let near = root.map_or_else(|| centre(members), |r| members[r]);
    (0..count)
        .map(|number| {
            let mut shape = Shape {
                members,
                fan_out: count,
                tree: Tree::empty(members.len()),
            };
            let classes = count.min(others.len()).max(1);
            let is_inner = |at: usize| at % classes == number % classes;
            let (inner, leaves): (Vec<_>, Vec<_>) = (0..others.len()).partition(|at| is_inner(*at));
            let of = |list: &[usize]| -> Vec<usize> { list.iter().map(|at| others[*at]).collect() };
            if !inner.is_empty() {
                shape.grow(None, near, &of(&inner));
                let last = root.filter(|_| takes);
                let leaves = of(&leaves).into_iter().chain(last);
                shape.attach(&leaves.collect::<Vec<_>>());
            }
            shape.tree
        })
        .collect()
}

/// A tree in the making.
struct Shape<'a> {
    members: &'a [Coord],
    fan_out: usize,
    tree: Tree,
}

impl Shape<'_> {
    /// The nearest of these becomes a child of `parent`, the others its descendants, those near each other together.
    fn grow(&mut self, parent: Option<usize>, near: Coord, positions: &[usize]) {
        let distance = |p: &&usize| (self.members[**p].hops_to(near), **p);
        let Some(chosen) = positions.iter().min_by_key(distance).copied() else {
            return;
        };
        self.tree.adopt(parent, chosen);
        let rest: Vec<usize> = positions.iter().copied().filter(|p| *p != chosen).collect();
        for part in split(&rest, self.fan_out) {
            self.grow(Some(chosen), self.members[chosen], part);
        }
    }

    /// Each of the others becomes a child of an inner member with space, the nearest pairs first.
    fn attach(&mut self, leaves: &[usize]) {
        let inner = self.tree.order.clone();
        let hops = |leaf: usize, at: usize| self.members[leaf].hops_to(self.members[at]);
        let pairs = leaves
            .iter()
            .flat_map(|l| inner.iter().map(move |i| (*l, *i)));
        let mut pairs: Vec<(u32, usize, usize)> = pairs.map(|(l, i)| (hops(l, i), l, i)).collect();
        pairs.sort_unstable();
        // Inner members can be one too few for all leaves: then some get a child more.
        let mut space = self.fan_out;
        while !pairs.is_empty() {
            for (_, leaf, at) in &pairs {
                if self.tree.parent[*leaf].is_none() && self.tree.children[*at].len() < space {
                    self.tree.adopt(Some(*at), *leaf);
                }
            }
            pairs.retain(|(_, leaf, _)| self.tree.parent[*leaf].is_none());
            space += 1;
        }
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
