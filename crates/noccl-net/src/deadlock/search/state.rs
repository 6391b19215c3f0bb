// SPDX-License-Identifier: Apache-2.0
//! Cycles that one state can hold.
//!
//! A cycle may come back to a transaction: it keeps a1 and wants b1, later it keeps a2 and wants b2.
//! Both are true at once only if neither b1 nor b2 comes before a1 or a2. If the transaction has no
//! branches, or they wait for each other, it then also keeps a1 while it wants b2, or a2 while it wants
//! b1, so a shorter cycle passes it once. Only where copies proceed independently, a cycle may
//! have to pass the transaction again; and if there b1 does come before a2, so does a1 before b2, which
//! again gives a shorter cycle. So: one visit per transaction, but for independent copies.

use crate::deadlock::Place;
use crate::deadlock::program::Part;
use crate::deadlock::search::over::Over;

/// Outcome of a search.
pub(crate) enum Found {
    /// The best of the shortest cycles.
    Cycle(Vec<usize>),
    /// No state can hold any cycle.
    Nothing,
    /// Gave up.
    OutOfSteps,
}

/// Edges that a search follows at most.
const MAX_STEPS: usize = 4_000_000;

/// What decides whether two waits of a graph can be true at once.
pub(crate) struct Compatible<'a> {
    pub(crate) nodes: &'a [(usize, usize)],
    pub(crate) over: &'a Over<'a>,
}

impl Compatible<'_> {
    /// A transaction is passed a second time only at another place of independent copies.
    pub(crate) fn are(&self, one: usize, other: usize) -> bool {
        let ((t, held), (owner, also_held)) = (self.nodes[one], self.nodes[other]);
        let is_independent = |at| self.over.transactions[t].is_independent(at);
        if owner == t {
            return held != also_held && is_independent(held) && is_independent(also_held);
        }
        if self.over.is_over((t, held), owner) || self.over.is_over((owner, also_held), t) {
            return false;
        }
        let part = |(t, held): (usize, usize)| (t, self.over.transactions[t].uses[held].part);
        self.over
            .program
            .may_overlap(part((owner, also_held)), part((t, held)))
    }
}

struct DeadlockSearch<'a> {
    compatible: &'a Compatible<'a>,
    edges: &'a [Vec<usize>],
    /// Nodes on the path.
    path: Vec<usize>,
    limit: usize,
    was_cut: bool,
    steps: usize,
    best: Option<(usize, Vec<usize>)>,
}

/// The shortest cycle that one state can hold; among several the one with most wide request links.
pub(crate) fn shortest_consistent(
    nodes: &[(usize, usize)],
    edges: Vec<Vec<usize>>,
    over: &Over<'_>,
) -> Found {
    let compatible = Compatible { nodes, over };
    let edges = prune(edges, &compatible);
    let mut search = DeadlockSearch {
        compatible: &compatible,
        edges: &edges,
        path: Vec::new(),
        limit: 2,
        was_cut: true,
        steps: 0,
        best: None,
    };
    while search.was_cut {
        search.was_cut = false;
        for start in 0..nodes.len() {
            search.extend(start, start);
            if search.steps > MAX_STEPS {
                break;
            }
        }
        if let Some((_, cycle)) = search.best {
            return Found::Cycle(cycle);
        }
        if search.steps > MAX_STEPS {
            return Found::OutOfSteps;
        }
        search.limit += 1;
    }
    Found::Nothing
}

impl DeadlockSearch<'_> {
    /// Follows all edges of `node`, the last one of the path from `start`.
    fn extend(&mut self, start: usize, node: usize) {
        for to in self.edges[node].iter().copied() {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return;
            }
            // Each cycle is found from its lowest node.
            if to < start {
                continue;
            }
            self.path.push(node);
            if to == start {
                self.keep_best();
            } else if self.path.len() == self.limit {
                self.was_cut = true;
            } else if self.may_pass(to) {
                self.extend(start, to);
            }
            self.path.pop();
        }
    }

    fn may_pass(&self, node: usize) -> bool {
        let mut path = self.path.iter();
        path.all(|other| self.compatible.are(node, *other))
    }

    fn keep_best(&mut self) {
        let oddness = |node: &usize| {
            let (t, held) = self.compatible.nodes[*node];
            let one = &self.compatible.over.transactions[t].uses[held];
            usize::from(!matches!(one.place, Place::Link(_))) * 2
                + usize::from(one.part == Part::Response)
        };
        let total = self.path.iter().map(oddness).sum();
        if self.best.as_ref().is_none_or(|(least, _)| total < *least) {
            self.best = Some((total, self.path.clone()));
        }
    }
}

// Waits that no cycle of one state can have.
//
// A cycle through a wait consists of waits that may all be true together with it. So from each wait only those that may are
// followed; if none of the paths comes back, the wait is in no such cycle and is left out, which may leave out others. What
// remains is searched. That decides most programs whose waits close cycles only by one transaction at two places at once.

/// Waits that are followed at most: a second. What has not been decided then remains.
const MAX_FOLLOWED: usize = 100_000_000;

/// Edges among the nodes that remain; others have none.
pub(crate) fn prune(mut edges: Vec<Vec<usize>>, compatible: &Compatible<'_>) -> Vec<Vec<usize>> {
    let mut followed = 0;
    let mut seen = vec![usize::MAX; edges.len()];
    let mut round = 0;
    loop {
        let components = components(&edges);
        for (from, targets) in edges.iter_mut().enumerate() {
            targets.retain(|to| components[*to] == components[from]);
        }
        let mut left_out = vec![false; edges.len()];
        for start in 0..edges.len() {
            if edges[start].is_empty() {
                continue;
            }
            round += 1;
            let mut open = vec![start];
            let mut comes_back = false;
            while let Some(node) = open.pop()
                && !comes_back
            {
                followed += edges[node].len();
                for to in edges[node].iter().copied() {
                    if to == start {
                        comes_back = true;
                        break;
                    }
                    let is_new = std::mem::replace(&mut seen[to], round) != round;
                    if is_new && !left_out[to] && compatible.are(start, to) {
                        open.push(to);
                    }
                }
            }
            left_out[start] = !comes_back;
            if followed > MAX_FOLLOWED {
                return edges;
            }
        }
        if !left_out.contains(&true) {
            return edges;
        }
        for (from, targets) in edges.iter_mut().enumerate() {
            targets.retain(|to| !left_out[*to] && !left_out[from]);
        }
    }
}

/// The strongly connected component of each node (Tarjan's algorithm, without recursion).
fn components(edges: &[Vec<usize>]) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let mut index = vec![NONE; edges.len()];
    let mut low = vec![0; edges.len()];
    let mut component = vec![NONE; edges.len()];
    let (mut next, mut stack, mut path) = (0, Vec::new(), Vec::new());
    for start in 0..edges.len() {
        if index[start] != NONE {
            continue;
        }
        path.push((start, 0));
        while let Some((node, at)) = path.pop() {
            if at == 0 {
                (index[node], low[node]) = (next, next);
                next += 1;
                stack.push(node);
            } else {
                let child = edges[node][at - 1];
                if component[child] == NONE {
                    low[node] = low[node].min(low[child]);
                }
            }
            if let Some(to) = edges[node].get(at).copied() {
                path.push((node, at + 1));
                if index[to] == NONE {
                    path.push((to, 0));
                }
            } else if low[node] == index[node] {
                while let Some(member) = stack.pop() {
                    component[member] = node;
                    if member == node {
                        break;
                    }
                }
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::components;
    use super::*;
    use crate::TileId;
    use crate::deadlock::Program;
    use crate::deadlock::program::{KeptUntil, Transaction};

    /// All transactions are in flight together.
    struct Together;

    impl Program for Together {
        fn beside(&self, _: usize) -> &[u32] {
            &[]
        }

        fn may_overlap(&self, _: (usize, Part), _: (usize, Part)) -> bool {
            true
        }

        fn is_issued_first(&self, _: TileId, _: usize, _: usize) -> bool {
            false
        }

        fn awaited(&self, _: usize, _: TileId) -> &[u32] {
            &[]
        }
    }

    /// Uses of numbered places: (place, uses before, kept until).
    fn transaction(uses: &[(u32, &[usize], KeptUntil)]) -> Transaction {
        let mut txn = Transaction::new(String::new());
        for (place, after, keeps) in uses {
            let place = Place::Store(TileId(*place));
            txn.push(place, after.to_vec(), *keeps, Part::Request);
        }
        txn
    }

    /// Places along the cycle that is found, if any.
    fn places(transactions: &[Transaction]) -> Option<Vec<Place>> {
        let mut nodes = Vec::new();
        for (t, txn) in transactions.iter().enumerate() {
            nodes.extend((0..txn.uses.len()).map(|u| (t, u)));
        }
        let place = |(t, u): (usize, usize)| transactions[t].uses[u].place;
        let edges: Vec<Vec<usize>> = nodes
            .iter()
            .map(|(t, held)| {
                let txn = &transactions[*t];
                let wants = |to: &(usize, usize)| {
                    (0..txn.uses.len()).any(|wanted| {
                        txn.uses[wanted].place == place(*to)
                            && txn.keeps_while_wanting(*held, wanted)
                    })
                };
                (0..nodes.len())
                    .filter(|to| nodes[*to].0 != *t && wants(&nodes[*to]))
                    .collect()
            })
            .collect();
        match shortest_consistent(&nodes, edges, &Over::new(transactions, &Together)) {
            Found::Cycle(cycle) => Some(cycle.into_iter().map(|n| place(nodes[n])).collect()),
            Found::Nothing => None,
            Found::OutOfSteps => panic!("a handful of nodes"),
        }
    }

    const FREE: KeptUntil = KeptUntil::PassedOn;
    const BOUND: KeptUntil = KeptUntil::OthersTaken;

    #[test]
    fn independent_copies_of_one_packet_can_both_be_part_of_a_cycle() {
        let forked = transaction(&[
            (0, &[], FREE),
            (1, &[0], FREE),
            (2, &[1], FREE),
            (3, &[0], FREE),
            (4, &[3], FREE),
        ]);
        let (one, other) = (
            transaction(&[(2, &[], FREE), (3, &[0], FREE)]),
            transaction(&[(4, &[], FREE), (1, &[0], FREE)]),
        );
        let found = places(&[forked.clone(), one.clone(), other]).unwrap();
        assert_eq!(found, [1, 2, 3, 4].map(|t| Place::Store(TileId(t))));
        assert_eq!(places(&[forked, one]), None);
    }

    #[test]
    fn a_join_cannot_miss_what_it_has_passed_already() {
        // Either leaf may be late behind another packet, but its link is then not held.
        let join = transaction(&[
            (1, &[], BOUND),
            (2, &[0], BOUND),
            (3, &[], BOUND),
            (4, &[2], BOUND),
        ]);
        let others =
            [(1, 2), (3, 4)].map(|(from, to)| transaction(&[(from, &[], FREE), (to, &[0], FREE)]));
        assert_eq!(places(&[join, others[0].clone(), others[1].clone()]), None);
    }

    #[test]
    fn nodes_that_reach_each_other_share_a_component() {
        let edges = [
            vec![1],
            vec![2, 3],
            vec![0],
            vec![4],
            vec![3],
            vec![5, 0],
            vec![],
        ];
        let found = components(&edges);
        assert!(found[0] == found[1] && found[1] == found[2]);
        assert_eq!(found[3], found[4]);
        let mut distinct: Vec<usize> = found.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), 4);
    }
}
