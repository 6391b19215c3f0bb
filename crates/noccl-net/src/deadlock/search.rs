// SPDX-License-Identifier: Apache-2.0
//! Cycles that one state can hold.
//!
//! A cycle may come back to a transaction: it keeps a1 and wants b1, later it keeps a2 and wants b2.
//! Both can be true at once only if neither b1 nor b2 comes before a1 or a2. If so, and if branches of
//! the transaction wait for each other, or it has no branches, then it also keeps a2 while it wants b1,
//! or a1 while it wants b2, and a shorter cycle passes it once. So a transaction is passed again only where its
//! copies go their ways independently. Shorter cycles are tried first.

use super::Place;
use super::transaction::{Part, Transaction};

/// The owner of a node can wait for what node `to` keeps, because it needs its own use `wanted`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub(super) wanted: usize,
    pub(super) to: usize,
}

/// Outcome of a search.
pub(super) enum Found {
    /// The best of the shortest cycles.
    Cycle(Vec<usize>),
    /// No state can hold any cycle.
    Nothing,
    /// Gave up.
    OutOfSteps,
}

/// Edges that a search follows at most.
const MAX_STEPS: usize = 4_000_000;

struct Search<'a> {
    nodes: &'a [(usize, usize)],
    edges: &'a [Vec<Edge>],
    transactions: &'a [Transaction],
    /// Nodes on the way with the use wanted there.
    path: Vec<(usize, usize)>,
    limit: usize,
    was_cut: bool,
    steps: usize,
    best: Option<(usize, Vec<usize>)>,
}

/// The shortest cycle that one state can hold; among several the one with most wide request links.
pub(super) fn shortest_consistent(
    nodes: &[(usize, usize)],
    edges: &[Vec<Edge>],
    transactions: &[Transaction],
) -> Found {
    let mut search = Search {
        nodes,
        edges,
        transactions,
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

impl Search<'_> {
    /// Follows all edges of `node`, the last one of the way from `start`.
    fn extend(&mut self, start: usize, node: usize) {
        for edge in &self.edges[node] {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return;
            }
            // Each cycle is found from its lowest node.
            if edge.to < start || !self.agrees(node, edge.wanted) {
                continue;
            }
            self.path.push((node, edge.wanted));
            if edge.to == start {
                self.keep_best();
            } else if self.path.len() == self.limit {
                self.was_cut = true;
            } else if self.may_pass(edge.to) {
                self.extend(start, edge.to);
            }
            self.path.pop();
        }
    }

    /// Can what the way says about this node's transaction so far be true together with this wait?
    fn agrees(&self, node: usize, wanted: usize) -> bool {
        let (t, held) = self.nodes[node];
        let txn = &self.transactions[t];
        self.path.iter().all(|(other, also_wanted)| {
            let (owner, also_held) = self.nodes[*other];
            owner != t
                || txn.can_want_with(wanted, also_held) && txn.can_want_with(*also_wanted, held)
        })
    }

    /// A transaction is passed a second time only at another place of independent copies.
    fn may_pass(&self, node: usize) -> bool {
        let (t, held) = self.nodes[node];
        self.path.iter().all(|(other, _)| {
            let (owner, also_held) = self.nodes[*other];
            let is_independent = |at| self.transactions[t].is_independent(at);
            owner != t || held != also_held && is_independent(held) && is_independent(also_held)
        })
    }

    fn keep_best(&mut self) {
        let oddness = |(node, _): &(usize, usize)| {
            let (t, held) = self.nodes[*node];
            let one = &self.transactions[t].uses[held];
            usize::from(!matches!(one.place, Place::Link(_))) * 2
                + usize::from(one.part == Part::Response)
        };
        let total = self.path.iter().map(oddness).sum();
        if self.best.as_ref().is_none_or(|(least, _)| total < *least) {
            let cycle = self.path.iter().map(|(node, _)| *node).collect();
            self.best = Some((total, cycle));
        }
    }
}
