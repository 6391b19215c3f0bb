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

use super::Search;
use super::links::LinkUses;
use super::moves::{Costs, OrderMove, before};
use super::simple::{greedy, nearest};
use super::sweep::{Sweep, sweep};
use crate::position::rank_of;
use noccl_net::TileId;

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
            for place in ahead.chain(behind) {
                for is_reversed in [false, true] {
                    let how = OrderMove::Shift {
                        from: at,
                        to,
                        place,
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
