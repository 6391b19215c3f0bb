// SPDX-License-Identifier: Apache-2.0
//! Trees over members: along links (S4 §2), ternary, binomial, by rows and columns.

use super::mesh_order::{chain_stages, tree_stages};
use noccl_net::Coord;
use std::collections::BTreeMap;

/// A tree over members, by position; the first one of its order is the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tree {
    /// Positions from the root outwards: parents before their children.
    pub(crate) order: Vec<usize>,
    /// Parent of each position; the root has none.
    pub(crate) parent: Vec<Option<usize>>,
    /// Children of each position, in the order in which they are served.
    pub(crate) children: Vec<Vec<usize>>,
}

impl Tree {
    /// A tree of nobody, over so many positions.
    pub(crate) fn empty(num_members: usize) -> Self {
        Self {
            order: Vec::with_capacity(num_members),
            parent: vec![None; num_members],
            children: vec![Vec::new(); num_members],
        }
    }

    fn alone(num_members: usize, root: usize) -> Self {
        let mut tree = Self::empty(num_members);
        tree.adopt(None, root);
        tree
    }

    /// A position is attached below another one.
    pub(crate) fn adopt(&mut self, parent: Option<usize>, child: usize) {
        self.order.push(child);
        self.parent[child] = parent;
        if let Some(parent) = parent {
            self.children[parent].push(child);
        }
    }

    /// A position is attached below the nearest leaf, if there is one.
    pub(crate) fn adopt_leaf(&mut self, child: usize, members: &[Coord]) {
        let leaves = self.order.iter().copied();
        let leaves = leaves.filter(|p| self.children[*p].is_empty());
        if let Some(parent) = leaves.min_by_key(|p| members[*p].hops_to(members[child])) {
            self.adopt(Some(parent), child);
        }
    }

    /// The edges of stages, as (parent, child), below a root.
    fn of_stages(num_members: usize, root: usize, stages: Vec<Vec<(usize, usize)>>) -> Self {
        let mut tree = Self::alone(num_members, root);
        for (parent, child) in stages.into_iter().flatten() {
            tree.adopt(Some(parent), child);
        }
        tree
    }

    /// Links from the root to the member that is farthest from it.
    #[cfg(test)]
    pub(crate) fn height(&self) -> usize {
        let mut depths = vec![0; self.parent.len()];
        for at in &self.order {
            depths[*at] = self.parent[*at].map_or(0, |parent| depths[parent] + 1);
        }
        depths.into_iter().max().unwrap_or(0)
    }

    /// Every edge is a link, and no rank is farther from the root than its distance on the mesh. A rank picks, among its neighbours that
    /// are nearer to the root, the one with the fewest children, then the first. `None` if a rank has no such neighbour.
    ///
    /// Children are served in the order east, west, north, south.
    pub(crate) fn by_neighbours(members: &[Coord], root: usize) -> Option<Self> {
        let ranks: BTreeMap<Coord, usize> =
            members.iter().enumerate().map(|(r, c)| (*c, r)).collect();
        let from_root = |rank: usize| members[root].hops_to(members[rank]);
        let mut tree = Self::alone(members.len(), root);
        let mut others: Vec<usize> = (0..members.len()).filter(|r| *r != root).collect();
        others.sort_by_key(|rank| (from_root(*rank), *rank));
        for rank in others {
            let nearer = neighbours(members[rank])
                .filter_map(|at| ranks.get(&at).copied())
                .filter(|other| from_root(*other) < from_root(rank));
            let parent = nearer.min_by_key(|other| (tree.children[*other].len(), *other))?;
            tree.adopt(Some(parent), rank);
        }
        for (rank, children) in tree.children.iter_mut().enumerate() {
            let order =
                |child: &usize| neighbours(members[rank]).position(|n| n == members[*child]);
            children.sort_by_key(order);
        }
        Some(tree)
    }

    /// The root has four children, everybody else three, each the nearest that nobody has.
    pub(crate) fn ternary(members: &[Coord], root: usize) -> Self {
        let mut tree = Self::alone(members.len(), root);
        let mut free: Vec<usize> = (0..members.len()).filter(|r| *r != root).collect();
        let mut next = 0;
        while let Some(parent) = tree.order.get(next).copied() {
            next += 1;
            free.sort_by_key(|rank| (members[parent].hops_to(members[*rank]), *rank));
            let num = free.len().min(if parent == root { 4 } else { 3 });
            for child in free.drain(..num).collect::<Vec<_>>() {
                tree.adopt(Some(parent), child);
            }
        }
        tree
    }

    /// Each is the child of the one before it on a path.
    pub(crate) fn path(num_ranks: usize, path: &[usize]) -> Self {
        Self::of_stages(num_ranks, path[0], chain_stages(path))
    }

    /// Everybody is a child of the root, in the order of the ranks.
    pub(crate) fn star(num_ranks: usize, root: usize) -> Self {
        let mut tree = Self::alone(num_ranks, root);
        for rank in (0..num_ranks).filter(|rank| *rank != root) {
            tree.adopt(Some(root), rank);
        }
        tree
    }

    /// Columns go to the root's row, and the row to the root: everybody of a column directly, or from neighbour to neighbour
    /// (S4 §2, which leaves open which). Children of the own column come before those of the row. `columns` × `rows` are the
    /// ranks, columns first.
    pub(crate) fn by_row_and_column(
        (columns, rows): (usize, usize),
        root: usize,
        is_chain: bool,
    ) -> Self {
        let (x0, y0) = (root / rows, root % rows);
        let at = |x: usize, y: usize| x * rows + y;
        let mut tree = Self::alone(columns * rows, root);
        // Its column first, then the others of the row with theirs.
        for (y, from) in line(rows, y0, is_chain) {
            tree.adopt(Some(at(x0, from)), at(x0, y));
        }
        for (x, from) in line(columns, x0, is_chain) {
            tree.adopt(Some(at(from, y0)), at(x, y0));
            for (y, from) in line(rows, y0, is_chain) {
                tree.adopt(Some(at(x, from)), at(x, y));
            }
        }
        tree
    }

    /// By distance in ranks from the root: rank r has the children r + 1, r + 2, r + 4, … below its own lowest bit. A parent serves the
    /// farthest first, which has most below it.
    pub(crate) fn binomial(num_ranks: usize, root: usize) -> Self {
        let ranks: Vec<usize> = (0..num_ranks).map(|at| (root + at) % num_ranks).collect();
        Self::of_stages(num_ranks, root, tree_stages(&ranks))
    }
}

/// Every place of a line but one, with the place that it goes to: the one itself, or the neighbour on the path there. Places below the
/// one come before those above it, nearer ones before those that go to them.
fn line(length: usize, to: usize, is_chain: bool) -> impl Iterator<Item = (usize, usize)> {
    let below = (0..to).rev().map(move |at| (at, at + 1));
    let above = (to + 1..length).map(|at| (at, at - 1));
    let all = below.chain(above);
    all.map(move |(at, next)| (at, if is_chain { next } else { to }))
}

/// Coordinates next to one: east, west, north, south.
fn neighbours(at: Coord) -> impl Iterator<Item = Coord> {
    [
        at.x.checked_add(1).map(|x| Coord::new(x, at.y)),
        at.x.checked_sub(1).map(|x| Coord::new(x, at.y)),
        at.y.checked_add(1).map(|y| Coord::new(at.x, y)),
        at.y.checked_sub(1).map(|y| Coord::new(at.x, y)),
    ]
    .into_iter()
    .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::centre;

    fn middle(members: &[Coord]) -> usize {
        members.binary_search(&centre(members)).unwrap()
    }

    fn square(size: u16) -> Vec<Coord> {
        (0..size)
            .flat_map(|x| (0..size).map(move |y| Coord::new(x, y)))
            .collect()
    }

    /// How many ranks but the root have no child, one, two, three.
    fn arities(tree: &Tree) -> [usize; 4] {
        let mut found = [0; 4];
        for rank in &tree.order[1..] {
            found[tree.children[*rank].len()] += 1;
        }
        found
    }

    #[test]
    fn trees_along_links_are_as_low_as_the_mesh_allows_and_as_balanced_as_the_table() {
        for (size, arities_without_root) in [
            (3, [4, 4, 0, 0]),
            (5, [8, 13, 2, 1]),
            (7, [12, 29, 6, 1]),
            (8, [14, 40, 8, 1]),
        ] {
            let members = square(size);
            let root = middle(&members);
            assert_eq!(members[root], Coord::new((size - 1) / 2, (size - 1) / 2));
            let tree = Tree::by_neighbours(&members, root).unwrap();
            let farthest = members.iter().map(|c| members[root].hops_to(*c)).max();
            assert_eq!(Some(tree.height() as u32), farthest);
            assert_eq!(tree.children[root].len(), 4);
            assert_eq!(arities(&tree), arities_without_root, "{size}");
            for (rank, parent) in tree.parent.iter().enumerate() {
                if let Some(parent) = parent {
                    assert_eq!(members[rank].hops_to(members[*parent]), 1);
                }
            }
        }
    }

    #[test]
    fn a_set_that_falls_apart_has_no_tree_along_links() {
        let apart = [Coord::new(0, 0), Coord::new(2, 0)];
        assert_eq!(Tree::by_neighbours(&apart, 0), None);
    }

    #[test]
    fn ternary_trees_have_depth_three_up_to_53_ranks() {
        for (size, depth) in [(2, 1), (3, 2), (4, 2), (5, 3), (7, 3), (8, 4)] {
            let members = square(size);
            let tree = Tree::ternary(&members, middle(&members));
            assert_eq!(tree.height(), depth, "{size}");
        }
    }

    #[test]
    fn binomial_trees_reach_everybody_in_as_few_steps_as_ranks_can_double() {
        for num_ranks in 1..70 {
            for root in [0, num_ranks / 2, num_ranks - 1] {
                let tree = Tree::binomial(num_ranks, root);
                let mut reached = tree.order.clone();
                reached.sort_unstable();
                assert_eq!(reached, (0..num_ranks).collect::<Vec<_>>());
                let steps = num_ranks.next_power_of_two().ilog2() as usize;
                assert!(tree.height() <= steps && tree.children[root].len() == steps);
            }
        }
    }
}
