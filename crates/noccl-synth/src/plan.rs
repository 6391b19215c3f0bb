// SPDX-License-Identifier: Apache-2.0
//! A plan: pieces of values, and who hands which piece to whom.

use crate::costs::Costs;
use crate::problem::{Item, NodeId, Problem};

/// Part of a value that moves as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) item: usize,
    /// First byte within the value.
    pub(crate) start: u64,
    pub(crate) bytes: u64,
    /// Where the value is first complete: its only operand's place, or the end of its additions.
    pub(crate) top: NodeId,
}

/// One message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Move {
    pub(crate) piece: usize,
    pub(crate) from: NodeId,
    pub(crate) to: NodeId,
    /// When it was planned; moves of a piece stand in an order in which they can happen.
    pub(crate) at: u64,
    /// On the path to the top, where operands are added, or away from it?
    pub(crate) is_sum: bool,
}

/// In which order actions stand in the file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Order {
    /// As planned.
    #[default]
    Planned,
    /// Those with the longest path behind them first, by the library's estimate.
    Urgent,
    /// The same, but also those before much other work of their cluster.
    UrgentQueue,
}

impl Order {
    pub(crate) const ALL: [Self; 3] = [Self::Planned, Self::Urgent, Self::UrgentQueue];
}

/// All messages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) moves: Vec<Move>,
    /// Cycles until the last message is there, as planned; 0 if nobody reckoned.
    pub(crate) cycles: u64,
    /// Does a cluster add each operand when it comes, or all of a piece together?
    pub(crate) adds_at_once: bool,
    pub(crate) order: Order,
}

impl Plan {
    /// Moves in the order of their times.
    pub(crate) fn sort(&mut self) {
        self.moves.sort_by_key(|m| m.at);
    }
}

/// Cuts every value into pieces of about so many beats; no piece goes beyond the end of an output.
pub(crate) fn cut(
    problem: &Problem<'_>,
    costs: &Costs,
    piece_beats: u64,
    spreads_tops: bool,
) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (number, item) in problem.items.iter().enumerate() {
        let mut ends: Vec<u64> = item.outputs.iter().map(|(_, _, bytes)| *bytes).collect();
        ends.sort_unstable();
        ends.dedup();
        let mut start = 0;
        for end in ends {
            let beats = costs.beats(end - start);
            let count = beats.div_ceil(piece_beats.max(1)).max(1);
            let bytes = beats.div_ceil(count) * costs.beat_bytes;
            while start < end {
                let bytes = bytes.min(end - start);
                pieces.push(Piece {
                    item: number,
                    start,
                    bytes,
                    top: 0,
                });
                start += bytes;
            }
        }
    }
    choose_tops(problem, &mut pieces, spreads_tops);
    pieces
}

/// A copy starts at its operand, a sum ends where it is wanted, or (spread) at all that hold operands; evenly.
fn choose_tops(problem: &Problem<'_>, pieces: &mut [Piece], spreads_tops: bool) {
    for (item_number, item) in problem.items.iter().enumerate() {
        let of_item = pieces.iter().filter(|p| p.item == item_number).count();
        let tops = tops(problem, item, spreads_tops);
        let of_item_pieces = pieces.iter_mut().filter(|p| p.item == item_number);
        for (at, piece) in of_item_pieces.enumerate() {
            let spread = if of_item >= tops.len() {
                // More pieces than tops: neighbouring pieces end far apart.
                at * tops.len().div_ceil(3) % tops.len() + at * tops.len().div_ceil(3) / tops.len()
            } else {
                at * tops.len() / of_item
            };
            piece.top = tops[spread % tops.len()];
        }
    }
}

fn tops(problem: &Problem<'_>, item: &Item, spreads_tops: bool) -> Vec<NodeId> {
    if let [(only, _)] = item.operands.as_slice() {
        return vec![*only];
    }
    let wanting = item.outputs.iter().map(|(n, _, _)| *n);
    let holding = item.operands.iter().map(|(n, _)| *n);
    let clusters = |nodes: &mut dyn Iterator<Item = NodeId>| -> Vec<NodeId> {
        let mut found: Vec<NodeId> = nodes.filter(|n| problem.is_cluster(*n)).collect();
        found.sort_unstable();
        found.dedup();
        found
    };
    let found = clusters(&mut wanting.clone());
    if !found.is_empty() && !spreads_tops {
        return found;
    }
    let found = clusters(&mut holding.chain(wanting));
    if found.is_empty() {
        problem.members[item.part].clone()
    } else {
        found
    }
}
