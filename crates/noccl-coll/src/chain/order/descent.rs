// SPDX-License-Identifier: Apache-2.0
//! A good order of many destinations: local search from several starts, then kicks.
//!
//! Moves are the reversal of a part of the order and the shift of up to three destinations, in either direction. Where none
//! lowers the cost, two neighbouring parts are swapped at random and the search goes on from there, unless the outcome
//! is worse. A link that is crossed twice counts for some hops then; if the search asks for an order without one, only such
//! an order is kept, and a sweep is one to begin with. Random numbers come from a fixed seed: the same input gives
//! the same order.
//!
//! `experiments/torrent` holds the distance to proved optima.

use super::moves::{Costs, OrderMove, before};
use super::{LinkUses, Search};
use crate::task::rank_of;
use noccl_net::{Network, TileId};

/// Kicks per destination.
const KICKS_PER_DESTINATION: usize = 20;
/// Kicks times pairs of destinations at most, so that very long chains are ordered in seconds too.
const MAX_KICKED_PAIRS: usize = 5_000_000;
/// Kicks at least.
const MIN_KICKS: usize = 8;
/// Longest part that a kick moves.
const MAX_KICKED_DESTINATIONS: usize = 10;
/// Longest part that is shifted.
const MAX_SHIFTED_DESTINATIONS: usize = 3;
/// Hops that a link crossed twice counts for.
const PENALTY_HOPS: u32 = 2;

pub(super) fn solve(search: &Search<'_>) -> Vec<TileId> {
    let mut descent = Descent::new(search);
    for start in descent.starts() {
        descent.begin(start);
        descent.keep();
        let all = descent.order.clone();
        descent.improve(all);
        descent.keep();
    }
    descent.begin(descent.best.1.clone());
    let bound = descent.costs.lower_bound();
    let num = search.destinations.len();
    let kicks = (KICKS_PER_DESTINATION * num).min(MAX_KICKED_PAIRS / (num * num));
    let mut random = 0x9e37_79b9_7f4a_7c15;
    for _ in 0..kicks.max(MIN_KICKS) {
        if descent.best.0 <= bound {
            break;
        }
        let before = (descent.order.clone(), descent.cost, descent.num_shared);
        let kicked = descent.kick(&mut random);
        descent.improve(kicked);
        descent.keep();
        if descent.value() > descent.best.0 + search.hop_cost {
            (descent.order, descent.cost, descent.num_shared) = before;
        }
    }
    let best = descent.best.1.iter();
    best.map(|v| search.destinations[*v - 1]).collect()
}

struct Descent<'a> {
    search: &'a Search<'a>,
    costs: Costs,
    uses: LinkUses,
    order: Vec<usize>,
    /// Of the order.
    cost: u32,
    /// Links that it crosses again; 0 if the search does not ask.
    num_shared: u32,
    /// By vertex: is a move of it to be tried?
    is_waiting: Vec<bool>,
    /// The cheapest order that may be the result, with its cost.
    best: (u32, Vec<usize>),
}

impl<'a> Descent<'a> {
    fn new(search: &'a Search<'a>) -> Self {
        let rest = search.destinations.iter().copied();
        let tiles: Vec<TileId> = std::iter::once(search.source).chain(rest).collect();
        let hops = |a: TileId, b: TileId| search.network.hops(a, b);
        let pairs = tiles.iter().flat_map(|a| tiles.iter().map(|b| (*a, *b)));
        let tail = |t: &TileId| hops(search.source, *t) * search.tail_cost;
        Self {
            search,
            costs: Costs {
                segments: pairs.map(|(a, b)| hops(a, b) * search.hop_cost).collect(),
                tails: tiles.iter().map(tail).collect(),
            },
            uses: LinkUses::new(search.network),
            order: Vec::new(),
            cost: 0,
            num_shared: 0,
            is_waiting: vec![false; tiles.len()],
            best: (u32::MAX, Vec::new()),
        }
    }

    /// Orders to begin with; at least one crosses no link twice.
    fn starts(&self) -> Vec<Vec<usize>> {
        let (network, source) = (self.search.network, self.search.source);
        let destinations = self.search.destinations;
        let is_start_fixed = self.search.is_start_fixed;
        let mut starts: Vec<Vec<TileId>> = Vec::new();
        for (is_west_first, is_nearer_end) in [(false, true), (true, true), (false, false)] {
            let how = Sweep {
                is_west_first,
                is_nearer_end,
                is_start_fixed,
            };
            starts.push(sweep(network, source, destinations, how));
        }
        starts.push(greedy(network, source, destinations));
        if !is_start_fixed {
            starts.push(nearest(network, source, destinations));
        }
        let vertex = |t: &TileId| rank_of(destinations, t) + 1;
        let starts = starts.iter();
        starts
            .map(|order| order.iter().map(vertex).collect())
            .collect()
    }

    fn begin(&mut self, order: Vec<usize>) {
        self.cost = self.costs.of(&order);
        self.num_shared = self.count_shared(&order);
        self.order = order;
    }

    /// Keeps the order if it may be the result and is the cheapest so far.
    fn keep(&mut self) {
        if self.num_shared == 0 && self.cost < self.best.0 {
            self.best = (self.cost, self.order.clone());
        }
    }

    fn value(&self) -> u32 {
        self.cost + self.num_shared * PENALTY_HOPS * self.search.hop_cost
    }

    /// Links that an order crosses again, if the search asks for an order without.
    fn count_shared(&mut self, order: &[usize]) -> u32 {
        if !self.search.is_disjoint {
            return 0;
        }
        let network = self.search.network;
        let tile = |v: usize| match v {
            0 => self.search.source,
            _ => self.search.destinations[v - 1],
        };
        let starts = std::iter::once(0).chain(order.iter().copied());
        let segments = starts.zip(order).map(|(a, b)| (tile(a), tile(*b)));
        let uses = &mut self.uses;
        let shared = segments.clone().map(|(a, b)| uses.add(network, a, b)).sum();
        segments.for_each(|(a, b)| uses.remove(network, a, b));
        shared
    }

    /// First position that a move may change.
    fn first(&self) -> usize {
        usize::from(self.search.is_start_fixed)
    }

    /// Moves as long as a move of one of these destinations, or of one next to a change, lowers the cost.
    fn improve(&mut self, mut waiting: Vec<usize>) {
        self.is_waiting.fill(false);
        for destination in &waiting {
            self.is_waiting[*destination] = true;
        }
        while let Some(destination) = waiting.pop() {
            if !std::mem::take(&mut self.is_waiting[destination]) {
                continue;
            }
            let Some(at) = self.order.iter().position(|v| *v == destination) else {
                continue;
            };
            if at < self.first() {
                continue;
            }
            if let Some(how) = self.improve_at(at) {
                let num = self.order.len();
                let near = how
                    .seams()
                    .map(|at| [at.saturating_sub(1), at.min(num - 1)]);
                for at in near.into_iter().flatten().chain([at]) {
                    let destination = self.order[at];
                    if !std::mem::replace(&mut self.is_waiting[destination], true) {
                        waiting.push(destination);
                    }
                }
            }
        }
        let order = std::mem::take(&mut self.order);
        self.begin(order);
    }

    /// Makes the first move of the destination at a position that lowers the cost.
    ///
    /// A reversal that does puts a shorter segment in the place of one of two; a shift that does closes a detour, but for one
    /// to the end, which can save the path from there.
    fn improve_at(&mut self, at: usize) -> Option<OrderMove> {
        let (first, num) = (self.first(), self.order.len());
        let shortest = self.search.hop_cost as i32;
        let onto = |from, at| self.costs.onto(&self.order, from, at);
        let is_long_before = onto(before(&self.order, at), at) > shortest;
        let is_long_behind = at + 1 == num || onto(self.order[at], at + 1) > shortest;
        let from_here = if is_long_before {
            at + 2..num + 1
        } else {
            0..0
        };
        let up_to_here = if is_long_behind { first..at } else { 0..0 };
        let onwards = from_here.map(|to| OrderMove::Reverse { from: at, to });
        let backwards = up_to_here.map(|from| OrderMove::Reverse { from, to: at + 1 });
        let found = onwards.chain(backwards).find(|how| self.attempt(*how));
        if found.is_some() {
            return found;
        }
        for to in at + 1..=num.min(at + MAX_SHIFTED_DESTINATIONS) {
            let is_detour = self.costs.closing(&self.order, at, to) < 0;
            let nowhere = (0..0, 0..0);
            let (ahead, behind) = match (is_detour, self.search.tail_cost) {
                (true, _) => (first..at, to + 1..num + 1),
                (false, 0) => nowhere,
                (false, _) => (0..0, num.max(to + 1)..num + 1),
            };
            for target in ahead.chain(behind) {
                for is_reversed in [false, true] {
                    let how = OrderMove::Shift {
                        from: at,
                        to,
                        target,
                        is_reversed,
                    };
                    if self.attempt(how) {
                        return Some(how);
                    }
                }
            }
        }
        None
    }

    /// Makes a move if it lowers the cost; an order that crosses no link twice stays one.
    fn attempt(&mut self, how: OrderMove) -> bool {
        if self.costs.change(&self.order, how) >= 0 {
            return false;
        }
        if !self.search.is_disjoint || self.num_shared > 0 {
            how.make(&mut self.order);
            return true;
        }
        let mut moved = self.order.clone();
        how.make(&mut moved);
        let is_free = self.count_shared(&moved) == 0;
        if is_free {
            self.order = moved;
        }
        is_free
    }

    /// Swaps two neighbouring parts; the destinations next to what changed.
    fn kick(&mut self, random: &mut u64) -> Vec<usize> {
        let (first, num) = (self.first(), self.order.len());
        let longest = MAX_KICKED_DESTINATIONS.min((num - first) / 2);
        let left = 1 + below(random, longest);
        let whole = left + 1 + below(random, longest);
        let from = first + below(random, num - first - whole + 1);
        self.order[from..from + whole].rotate_left(left);
        let order = std::mem::take(&mut self.order);
        self.begin(order);
        let seams = [from, from + whole - left, from + whole];
        let near = seams.map(|at| [at.saturating_sub(1), at.min(num - 1)]);
        near.iter().flatten().map(|at| self.order[*at]).collect()
    }
}

/// A number below `limit`, or 0.
pub(super) fn below(random: &mut u64, limit: usize) -> usize {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    (*random % limit.max(1) as u64) as usize
}

// Orders that cross no link twice, by construction.
//
// Under X-first routing there is one for every source and every set of destinations, so that a scheduler never has
// to fall back on shared links. Sweep the columns from the source's eastwards, then those west of it westwards:
// each link of a row is crossed at most once, because a sweep never reverses. In a column the chain comes in at the row
// where it stands, goes to one end of the column's destinations and from there monotonously to the
// other end: each vertical link is crossed at most once in each direction.

/// In which direction a sweep runs first, and how it goes through columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sweep {
    /// Westwards first.
    pub(super) is_west_first: bool,
    /// From a column's nearer end; else from its southern one.
    pub(super) is_nearer_end: bool,
    /// Begin at the first destination, which stands in the westernmost column, and sweep eastwards from there.
    pub(super) is_start_fixed: bool,
}

/// The order of a sweep over ascending destinations.
fn sweep(network: &Network, source: TileId, ascending: &[TileId], how: Sweep) -> Vec<TileId> {
    let at = |tile: TileId| network.coord(tile);
    // Ascending ids are ascending columns, each from south to north.
    let columns: Vec<&[TileId]> = ascending.chunk_by(|a, b| at(*a).x == at(*b).x).collect();
    let first_east = if how.is_start_fixed {
        0
    } else {
        let is_before = |c: &&[TileId]| c.first().is_some_and(|t| at(*t).x < at(source).x);
        let is_west = |c: &&[TileId]| match how.is_west_first {
            // The source's own column belongs to the first sweep.
            true => c.first().is_some_and(|t| at(*t).x <= at(source).x),
            false => is_before(c),
        };
        columns.iter().take_while(|c| is_west(c)).count()
    };
    let (west, east) = columns.split_at(first_east);
    let west: Vec<&[TileId]> = west.iter().rev().copied().collect();
    let both = if how.is_west_first {
        [west, east.to_vec()]
    } else {
        [east.to_vec(), west]
    };
    let mut order: Vec<TileId> = Vec::with_capacity(ascending.len());
    for column in both.concat() {
        let row = order.last().map_or(at(source).y, |t| at(*t).y);
        let ends = (column.first(), column.last());
        let (Some(south), Some(north)) = ends else {
            continue;
        };
        let is_northern = at(*north).y.abs_diff(row) < at(*south).y.abs_diff(row);
        let is_first_fixed = how.is_start_fixed && order.is_empty();
        if how.is_nearer_end && is_northern && !is_first_fixed {
            order.extend(column.iter().rev());
        } else {
            order.extend(column);
        }
    }
    order
}

// Orders that look one segment ahead.

/// S3 Algorithm 1. The destinations come in ascending order, so that of equally near ones the lowest is taken.
///
/// The algorithm bounds a segment by the sum of the mesh's sides, which no segment on the mesh reaches.
pub(super) fn greedy(network: &Network, source: TileId, ascending: &[TileId]) -> Vec<TileId> {
    let mut remaining = ascending.to_vec();
    let mut order = Vec::with_capacity(remaining.len());
    let mut uses = LinkUses::new(network);
    let mut last = source;
    while !remaining.is_empty() {
        let hops = |at: &usize| network.hops(last, remaining[*at]);
        let is_free = |at: &usize| !uses.has_shared(network, last, remaining[*at]);
        let at = if order.is_empty() {
            Some(0)
        } else {
            let free = (0..remaining.len()).filter(is_free);
            free.min_by_key(hops)
        };
        let nearest = || (0..remaining.len()).min_by_key(hops);
        let Some(at) = at.or_else(nearest) else {
            break;
        };
        let next = remaining.remove(at);
        uses.add(network, last, next);
        order.push(next);
        last = next;
    }
    order
}

/// Always to the nearest, of equally near ones to the lowest.
pub(super) fn nearest(network: &Network, source: TileId, ascending: &[TileId]) -> Vec<TileId> {
    let mut remaining = ascending.to_vec();
    let mut order = Vec::with_capacity(remaining.len());
    let mut last = source;
    while let Some(next) = remaining
        .iter()
        .copied()
        .min_by_key(|to| network.hops(last, *to))
    {
        remaining.retain(|t| *t != next);
        order.push(next);
        last = next;
    }
    order
}

#[cfg(test)]
mod tests {
    use super::super::shared_links;
    use super::super::tests::{mesh, random_set};
    use super::*;

    #[test]
    fn no_sweep_crosses_a_link_twice_and_each_visits_everything() {
        for (width, height) in [(8, 8), (5, 3), (1, 9), (9, 1), (2, 7)] {
            let network = mesh(width, height);
            let most = usize::from(width * height) - 1;
            for seed in 0..200 {
                let (source, all) = random_set(&network, 1 + seed as usize % most, seed);
                for shape in 0..8 {
                    let how = Sweep {
                        is_west_first: shape & 1 > 0,
                        is_nearer_end: shape & 2 > 0,
                        is_start_fixed: shape & 4 > 0,
                    };
                    let order = sweep(&network, source, &all, how);
                    let shared = shared_links(&network, source, &order);
                    assert_eq!(shared, [], "{how:?} from {source:?}: {order:?}");
                    assert!(!how.is_start_fixed || order[0] == all[0]);
                    let mut visited = order;
                    visited.sort_unstable();
                    assert_eq!(visited, all);
                }
            }
        }
    }
}
