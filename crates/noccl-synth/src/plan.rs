// SPDX-License-Identifier: Apache-2.0
//! A plan: pieces of values, and who hands which piece to whom.

use crate::matching::{Chunk, Sent, Style, spread};
use crate::problem::{Item, NodeId, Problem};
use noccl_net::AxiNetwork;
use noccl_net::counts::max_or_zero;
use noccl_spec::Cluster;

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

// Plans by matching: sums first, backwards in time, then copies from where they end.

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

// Cycles that a plan reckons with: those of an idle network. They decide what is tried first, never what is right.

/// Cycles of messages and additions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Costs {
    pub(crate) beat_bytes: u64,
    longest_burst: u64,
    /// Flits of an address before each burst.
    address_flits: u64,
    /// Instructions that start a transfer.
    pub(crate) start: u64,
    /// From the engine's start to the destination's notice, without hops and beats.
    ends: u64,
    /// Per hop.
    hop: u64,
    add_start: u64,
    millicycles_per_beat: u64,
}

impl Costs {
    pub(crate) fn new(network: AxiNetwork<'_>) -> Self {
        let cluster = &network.axi().cluster;
        let ends = cluster.dma.start_cycles
            + cluster.request_path_cycles
            + cluster.l1_latency_cycles
            + cluster.instructions.poll;
        Self {
            beat_bytes: network.beat_bytes(),
            longest_burst: u64::from(network.axi().ni.max_burst_beats).max(1),
            address_flits: u64::from(network.routers().address_flits),
            start: u64::from(cluster.instructions.dma_start),
            ends: u64::from(ends),
            hop: 2,
            add_start: u64::from(cluster.instructions.compute_start),
            millicycles_per_beat: u64::from(cluster.compute_millicycles_per_beat),
        }
    }

    pub(crate) const fn beats(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.beat_bytes)
    }

    /// Cycles that a port or link is busy with so many bytes.
    pub(crate) const fn flits(&self, bytes: u64) -> u64 {
        let beats = self.beats(bytes);
        beats + beats.div_ceil(self.longest_burst) * self.address_flits
    }

    /// Nothing takes time but beats: plans in steps.
    #[cfg(test)]
    pub(crate) const fn in_steps(beat_bytes: u64) -> Self {
        Self {
            beat_bytes,
            longest_burst: 1 << 20,
            address_flits: 0,
            start: 0,
            ends: 0,
            hop: 0,
            add_start: 0,
            millicycles_per_beat: 0,
        }
    }

    /// Until the first beat is on the n-th link of its path.
    pub(crate) const fn until_link(&self, hop: usize) -> u64 {
        self.start + self.hop * hop as u64
    }

    /// From a sender's first instruction until the first beat is there.
    pub(crate) const fn head(&self, hops: u64) -> u64 {
        self.start + self.ends + self.hop * (hops + 1)
    }

    /// How long a sender is busy.
    pub(crate) fn busy(&self, beats: u64) -> u64 {
        self.start.max(beats)
    }

    /// Cores add one operand of so many bytes.
    pub(crate) const fn add(&self, bytes: u64) -> u64 {
        let beats = bytes.div_ceil(Cluster::COMPUTE_BEAT_BYTES);
        self.add_start + (beats * self.millicycles_per_beat).div_ceil(1000)
    }
}
