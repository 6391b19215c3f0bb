// SPDX-License-Identifier: Apache-2.0
//! The best order of few destinations, proved.
//!
//! The cheapest path through every subset from every destination (Held and Karp) is an exact bound for a search that knows
//! nothing of links, and a lower bound for one that does. A search that follows the bound goes straight to the
//! optimum, and backtracks only where a link would be crossed twice.

use super::LinkUses;
use super::Search;
use noccl_net::TileId;

/// Destinations up to which an order is proved; the table has 2^n n entries.
pub(super) const MAX_DESTINATIONS: usize = 12;

pub(super) fn solve(search: &Search<'_>) -> Vec<TileId> {
    let num = search.destinations.len();
    if num == 0 {
        return Vec::new();
    }
    let mut dive = Dive {
        search,
        to_go: to_go(search),
        uses: LinkUses::new(search.network),
        order: Vec::with_capacity(num),
        best: Vec::new(),
        best_cost: u32::MAX,
    };
    let all = (1 << num) - 1;
    if search.is_start_fixed {
        dive.visit(0, all, 0);
    } else {
        dive.go_on(all, 0);
    }
    dive.best.iter().map(|v| search.destinations[*v]).collect()
}

/// By `set * n + last`: the cheapest path from `last` through all of a set.
fn to_go(search: &Search<'_>) -> Vec<u32> {
    let num = search.destinations.len();
    let network = search.network;
    let hops = |a: usize, b: usize| network.hops(search.destinations[a], search.destinations[b]);
    let segments: Vec<u32> = (0..num * num)
        .map(|i| hops(i / num, i % num) * search.hop_cost)
        .collect();
    let mut table = vec![0; num << num];
    for (last, entry) in table.iter_mut().take(num).enumerate() {
        *entry = network.hops(search.source, search.destinations[last]) * search.tail_cost;
    }
    for set in 1..1usize << num {
        for last in (0..num).filter(|v| set >> v & 1 == 0) {
            let members = (0..num).filter(|v| set >> v & 1 == 1);
            let paths =
                members.map(|v| segments[last * num + v] + table[(set & !(1 << v)) * num + v]);
            table[set * num + last] = paths.fold(u32::MAX, u32::min);
        }
    }
    table
}

struct Dive<'a> {
    search: &'a Search<'a>,
    to_go: Vec<u32>,
    uses: LinkUses,
    order: Vec<usize>,
    best: Vec<usize>,
    best_cost: u32,
}

impl Dive<'_> {
    /// Every path through the rest, the most promising first.
    fn go_on(&mut self, rest: usize, cost: u32) {
        if rest == 0 {
            // 0: a chain without destinations has no tail.
            let tail = self.order.last().map_or(0, |v| self.to_go[*v]);
            if cost + tail < self.best_cost {
                self.best_cost = cost + tail;
                self.best.clone_from(&self.order);
            }
            return;
        }
        let num = self.search.destinations.len();
        let members = (0..num).filter(|v| rest >> v & 1 == 1);
        let mut paths: Vec<(u32, usize)> =
            members.map(|v| (self.bound(v, rest, cost), v)).collect();
        paths.sort_unstable();
        for (bound, next) in paths {
            if bound >= self.best_cost {
                return;
            }
            self.visit(next, rest, cost);
        }
    }

    /// Least cost of an order that goes on with `next`.
    fn bound(&self, next: usize, rest: usize, cost: u32) -> u32 {
        let num = self.search.destinations.len();
        cost + self.segment_cost(next) + self.to_go[(rest & !(1 << next)) * num + next]
    }

    fn segment_cost(&self, next: usize) -> u32 {
        let to = self.search.destinations[next];
        self.search.network.hops(self.last(), to) * self.search.hop_cost
    }

    fn last(&self) -> TileId {
        let last = self.order.last();
        last.map_or(self.search.source, |v| self.search.destinations[*v])
    }

    /// Goes on with one destination, if its segment may be.
    fn visit(&mut self, next: usize, rest: usize, cost: u32) {
        let (network, from) = (self.search.network, self.last());
        let to = self.search.destinations[next];
        if self.search.is_disjoint && self.uses.has_shared(network, from, to) {
            return;
        }
        let cost = cost + self.segment_cost(next);
        self.uses.add(network, from, to);
        self.order.push(next);
        self.go_on(rest & !(1 << next), cost);
        self.order.pop();
        self.uses.remove(network, from, to);
    }
}
