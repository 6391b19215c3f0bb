// SPDX-License-Identifier: Apache-2.0
//! Packed trees: each carries a share of a value, and together they load ports and links evenly.
//!
//! Trees grow at the same time, an edge each. The next edge is the one over which a tile is reached earliest, unless a port or link
//! would then have to carry more than the budget: what everybody has to receive. Pieces of a value run through its trees in rotation, sums
//! through the same trees from the leaves to the top.

use crate::plan::Costs;
use crate::plan::{MAX_MOVES, num_moves, wanting};
use crate::plan::{Move, Order, Piece, Plan, cut};
use crate::problem::{NodeId, Problem};
use noccl_net::counts::max_or_zero;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// Parameters of a plan by packed trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Packed {
    pub(crate) trees: usize,
    pub(crate) piece_beats: u64,
    /// Nearest receivers that a parent looks at.
    pub(crate) neighbours: usize,
    /// Of small differences between edges, in cycles.
    pub(crate) noise: u64,
    pub(crate) seed: u64,
    /// Tenths of a cycle for every beat beyond the budget.
    pub(crate) excess_weight: u64,
    pub(crate) adds_at_once: bool,
    /// Do sums end at all members in rotation, before they go where they are wanted?
    pub(crate) spreads_tops: bool,
    pub(crate) order: Order,
}

/// A tree that grows.
#[derive(Debug, Clone)]
struct Tree {
    top: NodeId,
    /// Beats that it carries.
    share: u64,
    piece_beats: u64,
    open: BTreeSet<NodeId>,
    /// When a node has the first piece, and how many children it has.
    reached: BTreeMap<NodeId, (u64, u64)>,
    /// Parent, child and time, in the order of growth.
    edges: Vec<(NodeId, NodeId, u64)>,
    /// Edges that could be next, the cheapest first.
    edges_ahead: BinaryHeap<Reverse<(u64, NodeId, NodeId)>>,
    number: usize,
}

/// What ports and links have to carry so far.
struct Loads {
    budget: u64,
    sends: Vec<u64>,
    links: Vec<u64>,
}

/// The plan; `None` if it has too many messages.
pub(crate) fn by_packing(problem: &Problem<'_>, costs: &Costs, how: &Packed) -> Option<Plan> {
    let mut pieces = cut(problem, costs, how.piece_beats, how.spreads_tops);
    if num_moves(problem, &pieces) > MAX_MOVES {
        return None;
    }
    let (tree_of, mut trees) = roots(problem, costs, how, &mut pieces);
    let mut growth = Growth {
        problem,
        costs,
        how,
        near: near(problem, how.neighbours),
        loads: Loads {
            budget: received(problem, costs, &pieces),
            sends: vec![0; problem.nodes.len()],
            links: vec![0; problem.network.num_tiles() * 4],
        },
    };
    for tree in &mut trees {
        growth.reach(tree, tree.top, 0);
    }
    while trees.iter().any(|t| !t.open.is_empty()) {
        for tree in trees.iter_mut().filter(|t| !t.open.is_empty()) {
            growth.grow(tree)?;
        }
    }
    Some(plan(problem, how, pieces, &tree_of, &trees))
}

/// Trees without edges, and which of them each piece takes: pieces of a value, and with one top, share a few.
fn roots(
    problem: &Problem<'_>,
    costs: &Costs,
    how: &Packed,
    pieces: &mut [Piece],
) -> (Vec<usize>, Vec<Tree>) {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    let mut known: BTreeMap<(usize, usize, bool), usize> = BTreeMap::new();
    let mut trees: Vec<Tree> = Vec::new();
    let mut tops: BTreeMap<(usize, usize), NodeId> = BTreeMap::new();
    let mut tree_of = Vec::new();
    for piece in pieces {
        let count = counts.entry(piece.item).or_default();
        let number = *count % how.trees.max(1);
        *count += 1;
        // All pieces of a tree end at one top.
        piece.top = *tops.entry((piece.item, number)).or_insert(piece.top);
        let item = &problem.items[piece.item];
        let mut open: BTreeSet<NodeId> = wanting(problem, piece).into_iter().collect();
        let is_short = item
            .outputs
            .iter()
            .any(|(_, _, bytes)| *bytes <= piece.start);
        open.extend(item.operands.iter().map(|(n, _)| *n));
        open.remove(&piece.top);
        let tree = *known
            .entry((piece.item, number, is_short))
            .or_insert_with(|| {
                trees.push(Tree {
                    top: piece.top,
                    share: 0,
                    piece_beats: costs.beats(piece.bytes),
                    open,
                    reached: BTreeMap::new(),
                    edges: Vec::new(),
                    edges_ahead: BinaryHeap::new(),
                    number,
                });
                trees.len() - 1
            });
        trees[tree].share += costs.beats(piece.bytes);
        tree_of.push(tree);
    }
    (tree_of, trees)
}

/// Beats that the busiest node has to receive.
fn received(problem: &Problem<'_>, costs: &Costs, pieces: &[Piece]) -> u64 {
    let mut beats = vec![0; problem.nodes.len()];
    for piece in pieces {
        for node in wanting(problem, piece) {
            beats[node] += costs.beats(piece.bytes);
        }
        if problem.items[piece.item].operands.len() > 1 {
            beats[piece.top] += costs.beats(piece.bytes);
        }
    }
    max_or_zero(beats)
}

/// Per node the nearest others.
fn near(problem: &Problem<'_>, neighbours: usize) -> Vec<Vec<NodeId>> {
    let count = problem.nodes.len();
    (0..count)
        .map(|node| {
            let mut others: Vec<NodeId> = (0..count).filter(|n| *n != node).collect();
            others.sort_by_key(|n| (!problem.is_direct(node, *n), problem.hops(node, *n), *n));
            others.truncate(neighbours);
            others
        })
        .collect()
}

/// What trees grow by.
struct Growth<'a> {
    problem: &'a Problem<'a>,
    costs: &'a Costs,
    how: &'a Packed,
    near: Vec<Vec<NodeId>>,
    loads: Loads,
}

impl Growth<'_> {
    /// One edge more. What an edge costs never falls, so the cheapest of those known is looked at again before it is taken.
    fn grow(&mut self, tree: &mut Tree) -> Option<()> {
        loop {
            let Some(Reverse((known, parent, child))) = tree.edges_ahead.pop() else {
                self.look_around(tree)?;
                continue;
            };
            if !tree.open.contains(&child) {
                continue;
            }
            let (cost, arrives) = self.cost(tree, parent, child);
            if cost > known {
                tree.edges_ahead.push(Reverse((cost, parent, child)));
                continue;
            }
            self.adopt(tree, parent, child, arrives);
            return Some(());
        }
    }

    /// Nobody is near: the nearest pair of a node that is reached and one that is not.
    fn look_around(&self, tree: &mut Tree) -> Option<()> {
        let sources = tree.reached.keys().filter(|n| self.is_source(tree, **n));
        let pairs = sources.flat_map(|s| tree.open.iter().map(move |o| (*s, *o)));
        let key = |(a, b): &(NodeId, NodeId)| {
            (!self.problem.is_direct(*a, *b), self.problem.hops(*a, *b))
        };
        let (parent, child) = pairs.min_by_key(key)?;
        let cost = self.cost(tree, parent, child).0;
        tree.edges_ahead.push(Reverse((cost, parent, child)));
        Some(())
    }

    fn is_source(&self, tree: &Tree, node: NodeId) -> bool {
        self.problem.is_cluster(node) || node == tree.top
    }

    /// Cost of an edge, and when its child has the first piece.
    fn cost(&self, tree: &Tree, parent: NodeId, child: NodeId) -> (u64, u64) {
        let (ready, children) = tree.reached[&parent];
        let loads = &self.loads;
        let mut excess = (loads.sends[parent] + tree.share).saturating_sub(loads.budget);
        let mut hops = self.problem.hops(parent, child);
        if self.problem.is_direct(parent, child) {
            for link in links(self.problem, parent, child) {
                excess += (loads.links[link] + tree.share).saturating_sub(loads.budget);
            }
        } else {
            hops = 3 * hops + 20;
        }
        let begins = ready + children * tree.piece_beats.max(self.costs.start);
        let arrives = begins + self.costs.head(hops) + tree.piece_beats;
        let key = self.how.seed ^ (parent as u64) << 32 ^ (child as u64) << 8 ^ tree.number as u64;
        let noise = noccl_run::mix(key) % (self.how.noise + 1);
        (
            arrives + excess * self.how.excess_weight / 10 + noise,
            arrives,
        )
    }

    fn adopt(&mut self, tree: &mut Tree, parent: NodeId, child: NodeId, arrives: u64) {
        self.loads.sends[parent] += tree.share;
        for link in links(self.problem, parent, child) {
            self.loads.links[link] += tree.share;
        }
        if let Some((_, children)) = tree.reached.get_mut(&parent) {
            *children += 1;
        }
        tree.open.remove(&child);
        tree.edges.push((parent, child, arrives));
        self.reach(tree, child, arrives);
    }

    /// A node is in the tree: its neighbours can be next.
    fn reach(&self, tree: &mut Tree, node: NodeId, ready: u64) {
        tree.reached.insert(node, (ready, 0));
        if !self.is_source(tree, node) {
            return;
        }
        for child in self.near[node].iter().filter(|n| tree.open.contains(n)) {
            let edge = Reverse((ready, node, *child));
            tree.edges_ahead.push(edge);
        }
    }
}

fn links(problem: &Problem<'_>, from: NodeId, to: NodeId) -> impl Iterator<Item = usize> {
    let (from, to) = (problem.nodes[from].at, problem.nodes[to].at);
    let network = problem.network.network();
    let path = network.path(from, to).filter(move |(at, _)| *at != to);
    path.map(move |(at, port)| network.tile_at(at).idx() * 4 + port.idx())
}

/// Sums from the leaves, copies from the top; pieces one behind the other.
fn plan(
    problem: &Problem<'_>,
    how: &Packed,
    pieces: Vec<Piece>,
    tree_of: &[usize],
    trees: &[Tree],
) -> Plan {
    let mut moves = Vec::new();
    let mut behind: Vec<u64> = vec![0; trees.len()];
    for (number, piece) in pieces.iter().enumerate() {
        let tree = &trees[tree_of[number]];
        let item = &problem.items[piece.item];
        let end = max_or_zero(tree.edges.iter().map(|e| e.2));
        let offset = behind[tree_of[number]];
        behind[tree_of[number]] += tree.piece_beats * how.trees.max(1) as u64;
        let is_sum = item.operands.len() > 1;
        let holders: BTreeSet<NodeId> = item.operands.iter().map(|(n, _)| *n).collect();
        let mut start = offset;
        if is_sum {
            let needed = ancestors(tree, &holders);
            let up = tree.edges.iter().rev().filter(|e| needed.contains(&e.1));
            moves.extend(up.map(|(parent, child, at)| Move {
                piece: number,
                from: *child,
                to: *parent,
                at: offset + end - at,
                is_sum: true,
            }));
            start += end;
        }
        let wanted: BTreeSet<NodeId> = wanting(problem, piece).into_iter().collect();
        let needed = ancestors(tree, &wanted);
        let down = tree.edges.iter().filter(|e| needed.contains(&e.1));
        moves.extend(down.map(|(parent, child, at)| Move {
            piece: number,
            from: *parent,
            to: *child,
            at: start + at,
            is_sum: false,
        }));
    }
    let mut plan = Plan {
        pieces,
        moves,
        cycles: 0,
        adds_at_once: how.adds_at_once,
        order: how.order,
    };
    plan.sort();
    plan
}

/// Nodes of a set and those above them.
fn ancestors(tree: &Tree, nodes: &BTreeSet<NodeId>) -> BTreeSet<NodeId> {
    let parent: BTreeMap<NodeId, NodeId> = tree.edges.iter().map(|(p, c, _)| (*c, *p)).collect();
    let mut found = BTreeSet::new();
    for node in nodes {
        let mut here = Some(*node);
        while let Some(node) = here {
            if node == tree.top || !found.insert(node) {
                break;
            }
            here = parent.get(&node).copied();
        }
    }
    found
}
