// SPDX-License-Identifier: Apache-2.0
//! Plans by matching: sums first, backwards in time, then copies from where they end.

use crate::costs::Costs;
use crate::matching::{Chunk, Sent, Style, spread};
use crate::plan::{Move, Order, Piece, Plan, cut};
use crate::problem::{NodeId, Problem};
use noccl_net::counts::max_or_zero;

/// Most messages of a plan: more are neither made nor run in reasonable time.
pub(crate) const MAX_MOVES: usize = 1 << 17;

/// Parameters of a plan by matching.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Matched {
    pub(crate) piece_beats: u64,
    pub(crate) style: Style,
    pub(crate) adds_at_once: bool,
    /// Do sums end at all members in rotation, before they go where they are wanted?
    pub(crate) spreads_tops: bool,
    pub(crate) order: Order,
}

/// The plan; `None` if it has too many messages.
pub(crate) fn by_matching(problem: &Problem<'_>, costs: &Costs, how: &Matched) -> Option<Plan> {
    let pieces = cut(problem, costs, how.piece_beats, how.spreads_tops);
    if num_moves(problem, &pieces) > MAX_MOVES {
        return None;
    }
    let mut ready = vec![0; pieces.len()];
    let mut moves = sums(problem, costs, how, &pieces, &mut ready)?;
    let chunks: Vec<Chunk> = pieces
        .iter()
        .zip(&ready)
        .map(|(piece, ready)| Chunk {
            source: piece.top,
            targets: wanting(problem, piece),
            bytes: piece.bytes,
            ready: *ready,
        })
        .collect();
    let style = Style {
        is_sum: false,
        ..how.style
    };
    let copies = spread(problem, costs, &chunks, style)?;
    let last = max_or_zero(copies.iter().map(|s| s.arrives).chain(ready));
    moves.extend(copies.into_iter().map(|sent| Move {
        piece: sent.chunk,
        from: sent.from,
        to: sent.to,
        at: sent.at,
        is_sum: false,
    }));
    let mut plan = Plan {
        pieces,
        moves,
        cycles: last,
        adds_at_once: how.adds_at_once,
        order: how.order,
    };
    plan.sort();
    Some(plan)
}

/// Messages that a plan for these pieces needs, without relays.
pub(crate) fn num_moves(problem: &Problem<'_>, pieces: &[Piece]) -> usize {
    let items = pieces.iter().map(|p| &problem.items[p.item]);
    items.map(|i| i.operands.len() + i.outputs.len()).sum()
}

/// Clusters and memory tiles that want a piece.
pub(crate) fn wanting(problem: &Problem<'_>, piece: &Piece) -> Vec<NodeId> {
    let outputs = problem.items[piece.item].outputs.iter();
    let wanted = outputs.filter(|(_, _, bytes)| *bytes > piece.start);
    let mut nodes: Vec<NodeId> = wanted.map(|(n, _, _)| *n).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// Messages that add up; `ready` gets when the top has each sum.
fn sums(
    problem: &Problem<'_>,
    costs: &Costs,
    how: &Matched,
    pieces: &[Piece],
    ready: &mut [u64],
) -> Option<Vec<Move>> {
    let summed: Vec<usize> = (0..pieces.len())
        .filter(|p| problem.items[pieces[*p].item].operands.len() > 1)
        .collect();
    let chunks: Vec<Chunk> = summed
        .iter()
        .map(|number| {
            let piece = &pieces[*number];
            let mut targets: Vec<NodeId> = problem.items[piece.item]
                .operands
                .iter()
                .map(|(n, _)| *n)
                .collect();
            targets.sort_unstable();
            targets.dedup();
            Chunk {
                source: piece.top,
                targets,
                bytes: piece.bytes,
                ready: 0,
            }
        })
        .collect();
    let style = Style {
        is_sum: true,
        ..how.style
    };
    let sent = spread(problem, costs, &chunks, style)?;
    let end = max_or_zero(sent.iter().map(|s| s.arrives));
    for Sent { at, chunk, .. } in &sent {
        let ready = &mut ready[summed[*chunk]];
        *ready = (*ready).max(end - at);
    }
    let moves = sent.into_iter().map(|s| Move {
        piece: summed[s.chunk],
        from: s.to,
        to: s.from,
        at: end - s.arrives,
        is_sum: true,
    });
    Some(moves.collect())
}
