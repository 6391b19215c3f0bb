// SPDX-License-Identifier: Apache-2.0
//! A plan becomes actions: where pieces lie, what is added when, and what waits for what.

use crate::SynthError;
use crate::plan::{Move, Order, Piece, Plan};
use crate::problem::{NodeId, Problem};
use noccl_coll::Dataflow;
use noccl_workload::{Action, Place};
use std::collections::HashMap;

/// What a node holds of a piece's sum.
#[derive(Debug, Default)]
struct Sum {
    /// Messages that have still to come.
    open: usize,
    /// Operands and sums of others that are not added yet.
    parts: Vec<u64>,
}

struct Emitter<'a, 'p> {
    problem: &'a Problem<'p>,
    plan: &'a Plan,
    flows: Vec<Dataflow<'a>>,
    /// By node: first unused byte.
    free: Vec<u64>,
    sums: HashMap<(usize, NodeId), Sum>,
    /// Where nodes hold complete pieces.
    places: HashMap<(usize, NodeId), u64>,
    /// Copies within a node, for which nobody waits: piece, node, from, to.
    copies: Vec<(Piece, NodeId, u64, u64)>,
}

/// The actions of a plan, one list per collective.
///
/// # Errors
/// [`SynthError::DoesNotFit`].
pub(crate) fn emit(problem: &Problem<'_>, plan: &Plan) -> Result<Vec<Vec<Action>>, SynthError> {
    let collectives = problem.parts.iter().map(|p| &p.collective);
    let mut emitter = Emitter {
        problem,
        plan,
        flows: collectives
            .map(|c| Dataflow::new(problem.network, c))
            .collect(),
        free: problem.nodes.iter().map(|n| n.free_from).collect(),
        sums: HashMap::new(),
        places: HashMap::new(),
        copies: Vec::new(),
    };
    emitter.begin();
    for step in &plan.moves {
        emitter.step(step);
    }
    for (piece, node, from, to) in std::mem::take(&mut emitter.copies) {
        emitter.segment(piece, (node, from), (node, to));
    }
    emitter.check_memories()?;
    let flows = emitter.flows.into_iter();
    Ok(flows
        .map(|flow| match plan.order {
            Order::Planned => flow.finish_as_added(),
            Order::Urgent => flow.finish_by_urgency(false),
            Order::UrgentQueue => flow.finish_by_urgency(true),
        })
        .collect())
}

impl Emitter<'_, '_> {
    /// Operands are where they are; values that need no message are finished.
    fn begin(&mut self) {
        for step in self.plan.moves.iter().filter(|m| m.is_sum) {
            self.sums.entry((step.piece, step.to)).or_default().open += 1;
        }
        for (number, piece) in self.plan.pieces.iter().enumerate() {
            let item = &self.problem.items[piece.item];
            if let [(node, at)] = item.operands.as_slice() {
                self.places.insert((number, *node), at + piece.start);
                continue;
            }
            for (node, at) in &item.operands {
                let sum = self.sums.entry((number, *node)).or_default();
                sum.parts.push(at + piece.start);
            }
            let sum = self.sums.entry((number, piece.top)).or_default();
            if sum.open == 0 {
                self.complete(number);
            }
        }
        for (number, piece) in self.plan.pieces.iter().enumerate() {
            if self.problem.items[piece.item].operands.len() == 1 {
                self.arrived(number, piece.top);
            }
        }
    }

    fn step(&mut self, step: &Move) {
        let piece = self.plan.pieces[step.piece];
        if !step.is_sum {
            let Some(from) = self.places.get(&(step.piece, step.from)).copied() else {
                return;
            };
            let to = self.output(piece, step.to);
            let to = to.unwrap_or_else(|| self.alloc(step.to, piece.bytes));
            self.send(piece, (step.from, from), (step.to, to));
            self.places.insert((step.piece, step.to), to);
            self.arrived(step.piece, step.to);
            return;
        }
        let Some(from) = self.add(step.piece, step.from, None) else {
            return;
        };
        let slot = self.alloc(step.to, piece.bytes);
        self.send(piece, (step.from, from), (step.to, slot));
        let sum = self.sums.entry((step.piece, step.to)).or_default();
        sum.parts.push(slot);
        sum.open -= 1;
        if sum.open == 0 && step.to == piece.top {
            self.complete(step.piece);
        } else if self.plan.adds_at_once {
            self.add(step.piece, step.to, None);
        }
    }

    /// The top's sum, in its output if it has one.
    fn complete(&mut self, number: usize) {
        let piece = self.plan.pieces[number];
        let output = self.output(piece, piece.top);
        if let Some(place) = self.add(number, piece.top, output) {
            self.places.insert((number, piece.top), place);
            self.arrived(number, piece.top);
        }
    }

    /// Adds what a node has; where the sum is.
    fn add(&mut self, number: usize, node: NodeId, output: Option<u64>) -> Option<u64> {
        let piece = self.plan.pieces[number];
        let parts = std::mem::take(&mut self.sums.get_mut(&(number, node))?.parts);
        let place = match (parts.as_slice(), output) {
            ([], _) => return None,
            ([only], None) => *only,
            ([only], Some(output)) => {
                self.segment(piece, (node, *only), (node, output));
                output
            }
            // A received sum is replaced, an operand is not.
            (several, output) => {
                let slot = several
                    .iter()
                    .copied()
                    .find(|p| *p >= self.problem.nodes[node].free_from);
                let place = output
                    .or(slot)
                    .unwrap_or_else(|| self.alloc(node, piece.bytes));
                let cluster = self.problem.nodes[node].cluster?;
                let part = self.problem.items[piece.item].part;
                self.flows[part].fold(cluster, parts, place, piece.bytes);
                place
            }
        };
        self.sums.get_mut(&(number, node))?.parts.push(place);
        Some(place)
    }

    /// First output of a node that wants the piece.
    fn output(&self, piece: Piece, node: NodeId) -> Option<u64> {
        self.outputs(piece, node).first().copied()
    }

    fn outputs(&self, piece: Piece, node: NodeId) -> Vec<u64> {
        let outputs = self.problem.items[piece.item].outputs.iter();
        let wanted = outputs.filter(|(n, _, bytes)| *n == node && *bytes > piece.start);
        wanted.map(|(_, at, _)| at + piece.start).collect()
    }

    /// A node has a complete piece: it fills its other outputs.
    fn arrived(&mut self, number: usize, node: NodeId) {
        let piece = self.plan.pieces[number];
        let Some(place) = self.places.get(&(number, node)).copied() else {
            return;
        };
        if self.problem.is_cluster(node) {
            for output in self.outputs(piece, node) {
                self.copies.push((piece, node, place, output));
            }
        }
    }

    /// A message, by relays where a fault is on its path.
    fn send(&mut self, piece: Piece, from: (NodeId, u64), to: (NodeId, u64)) {
        let route = self.problem.route(from.0, to.0);
        let mut here = from;
        for next in route.into_iter().skip(1) {
            let place = if next == to.0 {
                to.1
            } else {
                self.alloc(next, piece.bytes)
            };
            self.segment(piece, here, (next, place));
            here = (next, place);
        }
    }

    /// Clusters write to each other; memory tiles are read and written.
    fn segment(&mut self, piece: Piece, from: (NodeId, u64), to: (NodeId, u64)) {
        let nodes = &self.problem.nodes;
        let part = self.problem.items[piece.item].part;
        let flow = &mut self.flows[part];
        let place = |(node, offset): (NodeId, u64)| Place {
            tile: self.problem.network.tile_ref(nodes[node].tile),
            offset,
        };
        match (nodes[from.0].cluster, nodes[to.0].cluster) {
            (Some(sender), Some(receiver)) => {
                flow.send(sender, from.1, receiver, to.1, piece.bytes);
            }
            (None, Some(reader)) => flow.pull(reader, place(from), to.1, piece.bytes),
            (Some(sender), None) => flow.put(sender, from.1, place(to), piece.bytes),
            (None, None) => {}
        }
    }

    fn alloc(&mut self, node: NodeId, bytes: u64) -> u64 {
        let beat_bytes = self.problem.network.beat_bytes();
        let start = self.free[node].next_multiple_of(beat_bytes);
        self.free[node] = start + bytes;
        start
    }

    fn check_memories(&self) -> Result<(), SynthError> {
        let used = self.free.iter().zip(&self.problem.nodes).enumerate();
        let worst = used.max_by_key(|(_, (used, node))| used.saturating_sub(node.memory_bytes));
        match worst {
            Some((number, (used, node))) if *used > node.memory_bytes => {
                Err(SynthError::DoesNotFit {
                    tile: self.problem.name(number),
                    needed_bytes: *used,
                    available_bytes: node.memory_bytes,
                    limit: self.problem.network.memory_field(node.tile),
                })
            }
            _ => Ok(()),
        }
    }
}

/// Actions of several collectives in one file, each at about the same part of its list.
pub(crate) fn side_by_side(lists: Vec<Vec<Action>>) -> Vec<Action> {
    let mut order: Vec<(u64, usize, usize)> = Vec::new();
    for (list, actions) in lists.iter().enumerate() {
        let of_list = (0..actions.len()).map(|at| {
            let part = (at as u64 * 1_000_000) / actions.len() as u64;
            (part, list, at)
        });
        order.extend(of_list);
    }
    order.sort_unstable();
    let mut numbers: Vec<Vec<u32>> = lists.iter().map(|l| vec![0; l.len()]).collect();
    for (number, (_, list, at)) in order.iter().enumerate() {
        numbers[*list][*at] = number as u32;
    }
    let mut lists: Vec<Vec<Option<Action>>> = lists
        .into_iter()
        .map(|l| l.into_iter().map(Some).collect())
        .collect();
    let actions = order.into_iter().filter_map(|(_, list, at)| {
        let mut action = lists[list][at].take()?;
        for id in &mut action.after {
            id.0 = numbers[list][id.0 as usize];
        }
        action.after.sort_unstable();
        Some(action)
    });
    actions.collect()
}
