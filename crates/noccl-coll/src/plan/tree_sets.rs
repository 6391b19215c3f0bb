// SPDX-License-Identifier: Apache-2.0
//! Trees that share a payload so that every member sends about as much as it receives.
//!
//! A member with f children passes its part of the payload f times. With f trees, each with an f-th of the payload, and every
//! member inner in one of them, a port passes the payload once; with two trees of two children that is the double tree, with one of
//! one child the chain. Children are chosen near by, so that the short edges at the leaves, which are most, share few links.

use crate::plan::tree::Tree;
use crate::task::position_of;
use noccl_net::Coord;
use std::collections::BTreeMap;

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

// Trees along rows and columns, a new one for every chunk, whose top goes from member to member.
//
// A chunk goes from its top along one dimension, and from every member reached there along the other. Lines are cut in halves (or more
// parts), each of which has a member that passes on, so that a line of eight takes three levels over short paths. Tops that
// change share the work: over many chunks every member sends about as much as it receives. Every second chunk takes
// columns before rows, so that links of both dimensions carry as much.

/// Members of a payload's trees.
pub(crate) struct Rotation<'a> {
    pub(crate) members: &'a [Coord],
    /// No inner member, if it is one of them.
    pub(crate) root: Option<usize>,
    /// Is the root a leaf, or does it get nothing?
    pub(crate) has_root_as_leaf: bool,
    /// Parts into which a line is cut at each level.
    pub(crate) parts: usize,
    /// Chunks of the payload.
    pub(crate) chunks: usize,
}

/// From so many chunks on ports limit more than latency (8x8, 4 to 48 KiB).
const MANY_CHUNKS: usize = 32;

impl Rotation<'_> {
    /// The tree of a chunk.
    pub(crate) fn tree(&self, chunk: usize) -> Tree {
        let mut branching = Branching {
            parts: self.parts.max(2),
            is_level: self.chunks >= MANY_CHUNKS,
            tree: Tree::empty(self.members.len()),
        };
        let lines = self.lines(chunk % 2 == 1);
        if lines.is_empty() {
            return branching.tree;
        }
        // Tops go along a diagonal: chunks that follow each other share neither row nor column.
        let number = chunk / 2;
        let line = &lines[number % lines.len()];
        let (top, level) = line[(number + number / lines.len()) % line.len()];
        let entries: Vec<usize> = lines.iter().map(|line| nearest(line, level)).collect();
        let first: Vec<usize> = entries.iter().zip(&lines).map(|(e, l)| l[*e].0).collect();
        branching.tree.adopt(None, top);
        branching.branch(&first, position_of(&first, &top));
        for (line, entry) in lines.iter().zip(entries) {
            let line: Vec<usize> = line.iter().map(|(position, _)| *position).collect();
            branching.branch(&line, entry);
        }
        if let Some(root) = self.root.filter(|_| self.has_root_as_leaf) {
            branching.tree.adopt_leaf(root, self.members);
        }
        branching.tree
    }

    /// Columns, or rows, without the root: positions with their places along the line.
    fn lines(&self, is_by_rows: bool) -> Vec<Vec<(usize, u16)>> {
        let mut lines: BTreeMap<u16, Vec<(usize, u16)>> = BTreeMap::new();
        for (position, at) in self.members.iter().enumerate() {
            if Some(position) != self.root {
                let (line, coordinate) = if is_by_rows {
                    (at.y, at.x)
                } else {
                    (at.x, at.y)
                };
                lines.entry(line).or_default().push((position, coordinate));
            }
        }
        let sorted = lines.into_values().map(|mut line| {
            line.sort_unstable_by_key(|(_, coordinate)| *coordinate);
            line
        });
        sorted.collect()
    }
}

/// Which of a line is nearest to a place; lines are not empty.
fn nearest(line: &[(usize, u16)], level: u16) -> usize {
    let members_of_line = line.iter().enumerate();
    let nearest = members_of_line.min_by_key(|(_, (_, coordinate))| coordinate.abs_diff(level));
    nearest.map_or(line.len(), |(at, _)| at)
}

/// A tree in the making.
struct Branching {
    parts: usize,
    /// Do all members get as much to do, over longer paths?
    is_level: bool,
    tree: Tree,
}

impl Branching {
    /// Everybody of a line gets from the one at `top`, which is in the tree.
    fn branch(&mut self, line: &[usize], top: usize) {
        if line.len() < 2 {
            return;
        }
        let parts = self.parts.min(line.len());
        let bound = |part: usize| part * line.len() / parts;
        let top_part = (0..parts).take_while(|p| bound(*p + 1) <= top).count();
        // In another part the member nearest to the top passes on, mostly one in the middle of the mesh. Or the one that stands there as
        // the top does in its own part: then all pass on as often.
        let offset = top - bound(top_part);
        let mut open = vec![(bound(top_part), bound(top_part + 1), top)];
        for part in (0..parts).filter(|p| *p != top_part) {
            let (start, end) = (bound(part), bound(part + 1));
            let entry = match (self.is_level, part < top_part) {
                (true, _) => (start + offset).min(end - 1),
                (false, true) => end - 1,
                (false, false) => start,
            };
            self.tree.adopt(Some(line[top]), line[entry]);
            open.push((start, end, entry));
        }
        for (start, end, entry) in open {
            self.branch(&line[start..end], entry - start);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(side: u16) -> Vec<Coord> {
        let all = (0..side).flat_map(|x| (0..side).map(move |y| Coord::new(x, y)));
        all.collect()
    }

    #[test]
    fn over_all_chunks_members_send_about_as_much_as_they_receive() {
        let members = square(8);
        let rotation = Rotation {
            members: &members,
            root: Some(0),
            has_root_as_leaf: true,
            parts: 2,
            chunks: 128,
        };
        let mut sent = vec![0; members.len()];
        for chunk in 0..128 {
            let tree = rotation.tree(chunk);
            assert_eq!(tree.order.len(), members.len(), "{chunk}");
            assert!(tree.children[0].is_empty(), "{chunk}: the root passes on");
            for (position, children) in tree.children.iter().enumerate() {
                sent[position] += children.len();
            }
        }
        let most = sent.iter().max().unwrap();
        // A member sends 126 on average; those next to the root have its part too.
        assert!(*most <= 165, "{sent:?}");
    }

    #[test]
    fn parents_stand_before_children_in_any_set() {
        for members in [
            vec![Coord::new(3, 1)],
            vec![Coord::new(0, 0), Coord::new(5, 2), Coord::new(5, 7)],
            square(5),
        ] {
            for (root, parts) in [(None, 2), (Some(0), 3)] {
                let rotation = Rotation {
                    members: &members,
                    root,
                    has_root_as_leaf: true,
                    parts,
                    chunks: 20,
                };
                for chunk in 0..20 {
                    let tree = rotation.tree(chunk);
                    let coordinate = |p: &usize| tree.order.iter().position(|q| q == p);
                    for child in &tree.order[1.min(tree.order.len())..] {
                        let parent = tree.parent[*child].unwrap();
                        assert!(coordinate(&parent) < coordinate(child));
                    }
                    let is_alone = root.is_some() && members.len() == 1;
                    let expected = if is_alone { 0 } else { members.len() };
                    assert_eq!(tree.order.len(), expected);
                }
            }
        }
    }
}
