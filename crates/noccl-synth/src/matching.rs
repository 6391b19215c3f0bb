// SPDX-License-Identifier: Apache-2.0
//! Time-expanded greedy matching: whoever is idle hands on the chunk that fewest have, over links that are free just then.
//!
//! Chunks start at one node each and are wanted by others. Time passes in small steps; in each, idle senders are matched with receivers
//! whose port is free when the first beat comes, along a path whose links are. The same run backwards in time gathers operands: a
//! sum is a broadcast whose arrows are reversed, in which a node is busy as long as its cores add.

use crate::plan::Costs;
use crate::problem::{NodeId, Problem};
use noccl_run::Rng;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What one node has and others want.
#[derive(Debug, Clone)]
pub(crate) struct Chunk {
    pub(crate) source: NodeId,
    pub(crate) targets: Vec<NodeId>,
    pub(crate) bytes: u64,
    /// When its source has it.
    pub(crate) ready: u64,
}

/// How the greedy choice is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Style {
    /// Of ties.
    pub(crate) seed: u64,
    /// What a hop counts against a further holder of a chunk, in tenths.
    pub(crate) hop_weight: u64,
    /// Cycles that a message may wait for a port.
    pub(crate) slack: u64,
    /// Percent of their length that messages are reckoned with, so that delays do not add up.
    pub(crate) stretch: u64,
    /// Nearest receivers that a sender looks at.
    pub(crate) neighbours: usize,
    /// Backwards in time: receivers become senders, and senders add.
    pub(crate) is_sum: bool,
}

/// One message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) at: u64,
    pub(crate) arrives: u64,
    pub(crate) from: NodeId,
    pub(crate) to: NodeId,
    pub(crate) chunk: usize,
}

/// A receiver that a sender can reach.
#[derive(Debug, Clone)]
struct Near {
    node: NodeId,
    hops: u64,
    /// Links in the order of the path; empty where relays help.
    links: Vec<u32>,
}

struct Matching<'a> {
    problem: &'a Problem<'a>,
    costs: &'a Costs,
    chunks: &'a [Chunk],
    style: Style,
    rng: Rng,
    words: usize,
    /// Bits by node: chunks it has, chunks it wants and nobody has promised it.
    has: Vec<u64>,
    lacks: Vec<u64>,
    holders: Vec<u32>,
    open: usize,
    near: Vec<Vec<Near>>,
    sends_free: Vec<u64>,
    receives_free: Vec<u64>,
    links_free: Vec<u64>,
    arrivals: BinaryHeap<Reverse<(u64, NodeId, usize)>>,
    sent: Vec<Sent>,
}

/// Messages that bring every chunk to all that want it; `None` if somebody cannot be reached.
pub(crate) fn spread(
    problem: &Problem<'_>,
    costs: &Costs,
    chunks: &[Chunk],
    style: Style,
) -> Option<Vec<Sent>> {
    let mut style = style;
    loop {
        let mut matching = Matching::new(problem, costs, chunks, style);
        if matching.run() {
            return Some(matching.sent);
        }
        if style.neighbours >= problem.nodes.len() {
            return None;
        }
        style.neighbours *= 4;
    }
}

impl<'a> Matching<'a> {
    fn new(problem: &'a Problem<'a>, costs: &'a Costs, chunks: &'a [Chunk], style: Style) -> Self {
        let nodes = problem.nodes.len();
        let words = chunks.len().div_ceil(64);
        let mut matching = Self {
            problem,
            costs,
            chunks,
            style,
            rng: Rng::new(style.seed, "matching"),
            words,
            has: vec![0; nodes * words],
            lacks: vec![0; nodes * words],
            holders: vec![1; chunks.len()],
            open: 0,
            near: Vec::new(),
            sends_free: vec![0; nodes],
            receives_free: vec![0; nodes],
            links_free: vec![0; problem.network.num_tiles() * 4],
            arrivals: BinaryHeap::new(),
            sent: Vec::new(),
        };
        for (number, chunk) in chunks.iter().enumerate() {
            let ready = Reverse((chunk.ready, chunk.source, number));
            matching.arrivals.push(ready);
            for target in &chunk.targets {
                if *target != chunk.source {
                    matching.lacks[target * words + number / 64] |= 1 << (number % 64);
                    matching.open += 1;
                }
            }
        }
        matching.near = (0..nodes).map(|node| matching.near_of(node)).collect();
        matching
    }

    /// Receivers that a node may send to, the nearest first.
    fn near_of(&self, node: NodeId) -> Vec<Near> {
        let mut others: Vec<(bool, u64, NodeId)> = (0..self.problem.nodes.len())
            .filter(|n| *n != node && self.wants(*n))
            .map(|n| {
                (
                    !self.problem.is_direct(node, n),
                    self.problem.hops(node, n),
                    n,
                )
            })
            .collect();
        others.sort_unstable();
        others.truncate(self.style.neighbours);
        let near = others.into_iter().map(|(is_relayed, hops, n)| Near {
            node: n,
            hops: if is_relayed { 3 * hops + 20 } else { hops },
            links: if is_relayed {
                Vec::new()
            } else {
                self.links(node, n)
            },
        });
        near.collect()
    }

    fn wants(&self, node: NodeId) -> bool {
        let row = node * self.words..(node + 1) * self.words;
        self.lacks[row].iter().any(|w| *w != 0)
    }

    fn links(&self, from: NodeId, to: NodeId) -> Vec<u32> {
        let (from, to) = (self.problem.nodes[from].at, self.problem.nodes[to].at);
        let network = self.problem.network;
        let (from, to) = if self.style.is_sum {
            (to, from)
        } else {
            (from, to)
        };
        let hops = network.path(from, to).filter(|(at, _)| *at != to);
        let mut links: Vec<u32> = hops
            .map(|(at, port)| network.tile_at(at).0 * 4 + port.idx() as u32)
            .collect();
        if self.style.is_sum {
            links.reverse();
        }
        links
    }

    fn run(&mut self) -> bool {
        let shortest = self.chunks.iter().map(|c| self.costs.beats(c.bytes)).min();
        let step = (shortest.unwrap_or(1) / 4).max(1);
        let mut order: Vec<NodeId> = (0..self.problem.nodes.len()).collect();
        let mut now = 0;
        let mut idle_since = 0;
        while self.open > 0 {
            while let Some(Reverse((at, node, chunk))) = self.arrivals.peek().copied() {
                if at > now {
                    break;
                }
                self.arrivals.pop();
                // Nobody notices what comes into a memory tile.
                if self.problem.is_cluster(node) || self.chunks[chunk].source == node {
                    self.has[node * self.words + chunk / 64] |= 1 << (chunk % 64);
                }
            }
            self.shuffle(&mut order);
            for sender in &order {
                if self.sends_free[*sender] <= now && self.send(*sender, now) {
                    idle_since = now;
                }
            }
            now += step;
            let next = self.arrivals.peek().map_or(now, |Reverse((at, _, _))| *at);
            let is_waiting = !self.arrivals.is_empty() || self.is_busy(now);
            if !is_waiting && now > idle_since + 4 * step {
                return false;
            }
            if !self.is_busy(now) {
                now = now.max(next);
            }
        }
        true
    }

    fn is_busy(&self, now: u64) -> bool {
        let all = self.sends_free.iter().chain(&self.receives_free);
        all.chain(&self.links_free).any(|free| *free >= now)
    }

    fn shuffle(&mut self, order: &mut [NodeId]) {
        for last in (1..order.len()).rev() {
            let other = self.rng.below(last as u64 + 1) as usize;
            order.swap(last, other);
        }
    }

    /// The best message of a sender at this time, if there is one.
    fn send(&mut self, sender: NodeId, now: u64) -> bool {
        let mut best: Option<(u64, usize, usize)> = None;
        for (index, near) in self.near[sender].iter().enumerate() {
            let Some(chunk) = self.rarest(sender, near.node) else {
                continue;
            };
            if !self.is_free(near, now) {
                continue;
            }
            let rarity = u64::from(self.holders[chunk]) * 10;
            let score = (rarity + near.hops * self.style.hop_weight) * 8;
            let score = score + (mixed(self.style.seed, sender, near.node, now) & 7);
            if best.is_none_or(|(known, _, _)| score < known) {
                best = Some((score, index, chunk));
            }
        }
        let Some((_, index, chunk)) = best else {
            return false;
        };
        self.commit(sender, index, chunk, now);
        true
    }

    /// Chunk that a sender has, a receiver lacks, and fewest have; of many the first ones from some place are looked at.
    fn rarest(&self, sender: NodeId, receiver: NodeId) -> Option<usize> {
        let mut best: Option<(u32, usize)> = None;
        let mut looked = 0;
        let first = (receiver * 7 + sender) % self.words.max(1);
        for offset in 0..self.words {
            let word = (first + offset) % self.words;
            let mut bits =
                self.has[sender * self.words + word] & self.lacks[receiver * self.words + word];
            while bits != 0 && looked < 64 {
                let chunk = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                looked += 1;
                let found = (self.holders[chunk], chunk);
                best = Some(best.map_or(found, |known| known.min(found)));
            }
            if looked >= 64 {
                break;
            }
        }
        best.map(|(_, chunk)| chunk)
    }

    /// Are the receiver's port and the links free when the beats come?
    fn is_free(&self, near: &Near, now: u64) -> bool {
        let head = now + self.costs.head(near.hops);
        let is_free = self.receives_free[near.node] <= head + self.style.slack;
        is_free
            && near.links.iter().enumerate().all(|(hop, link)| {
                self.links_free[*link as usize]
                    <= now + self.costs.until_link(hop) + self.style.slack
            })
    }

    fn commit(&mut self, sender: NodeId, index: usize, chunk: usize, now: u64) {
        let near = &self.near[sender][index];
        let bytes = self.chunks[chunk].bytes;
        let beats = (self.costs.flits(bytes) * self.style.stretch).div_ceil(100);
        let receiver = near.node;
        let begins = (now + self.costs.head(near.hops)).max(self.receives_free[receiver]);
        let ends = begins + beats;
        for (hop, link) in near.links.iter().enumerate() {
            let free = &mut self.links_free[*link as usize];
            *free = (now + self.costs.until_link(hop)).max(*free) + beats;
        }
        let add = if self.style.is_sum {
            self.costs.add(bytes)
        } else {
            0
        };
        self.receives_free[receiver] = ends;
        self.sends_free[sender] = now + self.costs.busy(beats).max(add);
        let arrives = ends + add;
        self.holders[chunk] += 1;
        self.lacks[receiver * self.words + chunk / 64] &= !(1 << (chunk % 64));
        self.open -= 1;
        self.arrivals.push(Reverse((arrives, receiver, chunk)));
        self.sent.push(Sent {
            at: now,
            arrives,
            from: sender,
            to: receiver,
            chunk,
        });
    }
}

fn mixed(seed: u64, a: usize, b: usize, c: u64) -> u64 {
    let key = seed ^ (a as u64) << 40 ^ (b as u64) << 20 ^ c;
    noccl_run::mix(key)
}
