// SPDX-License-Identifier: Apache-2.0
//! Packed trees: each carries a share of a value, and together they load ports and links evenly.
//!
//! Trees grow at the same time, an edge each. The next edge is the one over which a tile is reached earliest, unless a port or link
//! would then have to carry more than the budget: what everybody has to receive. Pieces of a value run through its trees in rotation, sums
//! through the same trees from the leaves to the top.

use crate::costs::Costs;
use crate::matched::{MAX_MOVES, num_moves, wanting};
use crate::plan::{Move, Piece, Plan, cut};
use crate::problem::{NodeId, Problem};
use noccl_run::Rng;
use std::collections::{BTreeMap, BTreeSet};

/// Parameters of a plan by packed trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Packed {
    pub(crate) trees: usize,
    pub(crate) piece_beats: u64,
    /// Of small differences between edges, in cycles.
    pub(crate) noise: u64,
    pub(crate) seed: u64,
    /// Tenths of a cycle for every beat beyond the budget.
    pub(crate) excess_weight: u64,
    pub(crate) adds_at_once: bool,
    pub(crate) keeps_order: bool,
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
}

/// What ports and links have to carry so far.
struct Loads {
    budget: u64,
    sends: Vec<u64>,
    links: Vec<u64>,
}

/// The plan; `None` if it has too many messages.
pub(crate) fn by_packing(problem: &Problem<'_>, costs: &Costs, how: &Packed) -> Option<Plan> {
    let mut pieces = cut(problem, costs, how.piece_beats);
    if num_moves(problem, &pieces) > MAX_MOVES {
        return None;
    }
    let (tree_of, mut trees) = roots(problem, costs, how, &mut pieces);
    let mut loads = Loads {
        budget: received(problem, costs, &pieces),
        sends: vec![0; problem.nodes.len()],
        links: vec![0; problem.network.num_tiles() * 4],
    };
    let mut rng = Rng::new(how.seed, "packing");
    let near = near(problem);
    while trees.iter().any(|t| !t.open.is_empty()) {
        for tree in &mut trees {
            if !tree.open.is_empty() {
                grow(problem, costs, how, tree, &mut loads, &near, &mut rng)?;
            }
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
                    reached: BTreeMap::from([(piece.top, (0, 0))]),
                    edges: Vec::new(),
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
    beats.into_iter().max().unwrap_or(0)
}

/// Per node the others, the nearest first.
fn near(problem: &Problem<'_>) -> Vec<Vec<NodeId>> {
    let count = problem.nodes.len();
    (0..count)
        .map(|node| {
            let mut others: Vec<NodeId> = (0..count).filter(|n| *n != node).collect();
            others.sort_by_key(|n| (!problem.is_direct(node, *n), problem.hops(node, *n), *n));
            others
        })
        .collect()
}

/// Receivers that a parent looks at.
const LOOKED_AT: usize = 24;

/// One edge more.
fn grow(
    problem: &Problem<'_>,
    costs: &Costs,
    how: &Packed,
    tree: &mut Tree,
    loads: &mut Loads,
    near: &[Vec<NodeId>],
    rng: &mut Rng,
) -> Option<()> {
    let mut best: Option<(u64, NodeId, NodeId, u64)> = None;
    for (parent, (ready, children)) in &tree.reached {
        let is_source = problem.is_cluster(*parent) || *parent == tree.top;
        if !is_source {
            continue;
        }
        let over = (loads.sends[*parent] + tree.share).saturating_sub(loads.budget);
        let begins = ready + children * tree.piece_beats.max(costs.start);
        let open = near[*parent].iter().filter(|n| tree.open.contains(n));
        for child in open.take(LOOKED_AT) {
            let mut hops = problem.hops(*parent, *child);
            let mut crowded = 0;
            if problem.is_direct(*parent, *child) {
                for link in links(problem, *parent, *child) {
                    let load = loads.links[link] + tree.share;
                    crowded += load.saturating_sub(loads.budget);
                }
            } else {
                hops = 3 * hops + 20;
            }
            let arrives = begins + costs.head(hops) + tree.piece_beats;
            let excess = (over + crowded) * how.excess_weight / 10;
            let cost = arrives + excess + rng.below(how.noise + 1);
            if best.is_none_or(|known| cost < known.0) {
                best = Some((cost, *parent, *child, arrives));
            }
        }
    }
    let (_, parent, child, arrives) = best?;
    loads.sends[parent] += tree.share;
    for link in links(problem, parent, child) {
        loads.links[link] += tree.share;
    }
    if let Some((_, children)) = tree.reached.get_mut(&parent) {
        *children += 1;
    }
    tree.open.remove(&child);
    tree.reached.insert(child, (arrives, 0));
    tree.edges.push((parent, child, arrives));
    Some(())
}

fn links(problem: &Problem<'_>, from: NodeId, to: NodeId) -> impl Iterator<Item = usize> {
    let (from, to) = (problem.nodes[from].at, problem.nodes[to].at);
    let network = problem.network;
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
        let end = tree.edges.iter().map(|e| e.2).max().unwrap_or(0);
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
        adds_at_once: how.adds_at_once,
        keeps_order: how.keeps_order,
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
