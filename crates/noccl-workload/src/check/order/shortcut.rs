// SPDX-License-Identifier: Apache-2.0
//! Cheap proofs that one event is over before another begins.
//!
//! A sweep over the order decides any question, but costs as much as everything that lies between the two events:
//! on a mesh of 256×256 that is too much for millions of questions. Nearly all of them have a short proof.
//! Either a hub lies between: of the hubs that follow each other (barriers of everybody), every event knows
//! the first one that it precedes and how many precede it, from one pass over the order each. Or the path back
//! is short: a walk from the later event finds all earlier ones of its kind at once. Both proofs only ever prove; what they do not
//! prove is left to the sweeps.

use crate::check::memory::RequiredOrder;
use crate::check::order::{Order, Vertex};
use noccl_net::counts::max_or_zero;

/// Steps of a walk per question, and for each walk.
const STEPS_PER_QUESTION: usize = 8;
const STEPS_PER_WALK: usize = 64;

/// What the proofs need to know of an order.
pub(crate) struct Shortcuts {
    /// Index of the first hub of the chain that comes after a vertex; `u32::MAX` if none does.
    next_hub: Vec<u32>,
    /// Hubs of the chain that come before a vertex.
    hubs_before: Vec<u32>,
    /// Number of the last walk that saw a vertex.
    seen: Vec<u32>,
    walks: u32,
    open: Vec<Vertex>,
}

impl Shortcuts {
    /// Two passes over the order.
    pub(crate) fn new(order: &Order) -> Self {
        let len = order.num_vertices();
        let mut hubs_before = vec![0_u32; len];
        let mut next_hub = vec![u32::MAX; len];
        // Whether a vertex is the hub number `hubs_before` of the chain.
        let mut is_chained = vec![false; len];
        let mut hubs = order.hubs().peekable();
        let mut num_chained = 0;
        for vertex in 0..len {
            let through = |p: &Vertex| {
                let p = *p as usize;
                hubs_before[p] + u32::from(is_chained[p])
            };
            let before = order.preds(vertex as Vertex).iter().map(through);
            hubs_before[vertex] = max_or_zero(before);
            // A hub goes on with the chain if all of the chain comes before it.
            if hubs.next_if_eq(&(vertex as Vertex)).is_some() && hubs_before[vertex] == num_chained
            {
                is_chained[vertex] = true;
                num_chained += 1;
            }
        }
        for vertex in (0..len).rev() {
            if is_chained[vertex] {
                next_hub[vertex] = hubs_before[vertex];
            }
            for pred in order.preds(vertex as Vertex) {
                let pred = *pred as usize;
                next_hub[pred] = next_hub[pred].min(next_hub[vertex]);
            }
        }
        Self {
            next_hub,
            hubs_before,
            seen: vec![0; len],
            walks: 0,
            open: Vec::new(),
        }
    }

    /// Required orders without a short proof. One per pair of events is enough; the first is the one that a message names.
    pub(crate) fn leave_open(
        &mut self,
        order: &Order,
        mut required_orders: Vec<RequiredOrder>,
    ) -> Vec<RequiredOrder> {
        required_orders.retain(|d| !self.has_hub_between(d.first.end, d.second.begin));
        required_orders.sort_by_key(|d| (d.second.begin, d.first.end));
        required_orders.dedup_by_key(|d| (d.first.end, d.second.begin));
        let mut open: Vec<RequiredOrder> = Vec::new();
        for of_one in required_orders.chunk_by(|a, b| a.second.begin == b.second.begin) {
            let befores: Vec<_> = of_one.iter().map(|d| d.first.end).collect();
            self.walk_back(order, of_one[0].second.begin, &befores);
            let is_open = |d: &&RequiredOrder| !self.is_seen(d.first.end);
            open.extend(of_one.iter().filter(is_open).copied());
        }
        open.sort_by_key(|d| (d.first.end, d.second.begin));
        open
    }

    /// Does a hub lie between?
    pub(crate) fn has_hub_between(&self, before: Vertex, after: Vertex) -> bool {
        self.next_hub[before as usize] < self.hubs_before[after as usize]
    }

    /// Walks back from a vertex, no further than to the earliest of some others; then [`Shortcuts::is_seen`] tells
    /// which were found. Gives up after a number of steps in proportion to theirs.
    pub(crate) fn walk_back(&mut self, order: &Order, from: Vertex, to: &[Vertex]) {
        self.walks += 1;
        self.open.clear();
        self.open.push(from);
        let earliest = to.iter().min().copied().unwrap_or(from);
        let mut steps = STEPS_PER_WALK + STEPS_PER_QUESTION * to.len();
        while let Some(vertex) = self.open.pop() {
            for pred in order.preds(vertex) {
                let seen = &mut self.seen[*pred as usize];
                if *pred < earliest || *seen == self.walks {
                    continue;
                }
                if steps == 0 {
                    return;
                }
                steps -= 1;
                *seen = self.walks;
                self.open.push(*pred);
            }
        }
    }

    /// Has the last walk come past this vertex?
    pub(crate) fn is_seen(&self, vertex: Vertex) -> bool {
        self.seen[vertex as usize] == self.walks && self.walks > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Action, ActionId, ActionKind, Arrival, Barrier, BarrierMechanism, Compute, Destination,
        Place, SCHEDULE_FORMAT, Schedule, Transfer, participants,
    };
    use noccl_net::{Coord, MultiAddress, Network, TileRef, TileSet};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn network() -> Network {
        noccl_testkit::mesh(4, 2)
    }

    fn cluster(at: u16) -> TileRef {
        TileRef::Cluster(Coord::new(at % 4, at / 4))
    }

    fn kind(kind: u8, at: u16) -> ActionKind {
        let row = MultiAddress::new(Coord::new(0, at / 4), Coord::new(3, 0));
        let all = MultiAddress::new(Coord::new(0, 0), Coord::new(3, 1));
        let barrier = |group| Barrier {
            group: TileSet::Cube(group),
            counter: cluster(at),
            mechanism: BarrierMechanism::InNetwork,
        };
        match kind {
            0 => ActionKind::Barrier(barrier(all)),
            1 => ActionKind::Barrier(barrier(row)),
            2 => ActionKind::Arrival(Arrival {
                group: row,
                root: cluster(at),
            }),
            3 => ActionKind::Delivery(Transfer {
                initiator: cluster(at),
                source: Place {
                    tile: cluster(at),
                    offset: 0,
                },
                destination: Destination::Multicast {
                    set: row,
                    offset: 64,
                },
                bytes: 64,
                rows: 1,
                source_stride: 0,
                destination_stride: 0,
            }),
            _ => ActionKind::Compute(Compute {
                tile: cluster(at),
                cycles: 1,
            }),
        }
    }

    /// Each action comes after some of those before it that share a participant.
    fn schedule(network: &Network, parts: &[(u8, u16, u64)]) -> Schedule {
        let mut actions: Vec<Action> = Vec::new();
        for (number, at, choice) in parts {
            let kind = kind(*number, *at);
            let own = participants(network, &kind);
            let shares = |other: &Action| {
                let others = participants(network, &other.kind);
                own.iter().any(|t| others.binary_search(t).is_ok())
            };
            let after = (0..actions.len())
                .filter(|i| choice >> (i % 64) & 1 == 1 && shares(&actions[*i]))
                .map(|i| ActionId(i as u32))
                .collect();
            actions.push(Action { kind, after });
        }
        Schedule {
            format: SCHEDULE_FORMAT,
            first: None,
            claims_rounds: false,
            algorithm: "random".to_owned(),
            parameters: BTreeMap::new(),
            collective: None,
            actions,
        }
    }

    proptest! {
        #[test]
        fn short_proofs_prove_only_what_a_sweep_finds(
            parts in proptest::collection::vec((0_u8..6, 0_u16..8, any::<u64>()), 1..24),
        ) {
            let network = network();
            let order = Order::new(&network, &schedule(&network, &parts)).unwrap();
            let mut shortcuts = Shortcuts::new(&order);
            let len = order.num_vertices() as Vertex;
            for before in 0..len {
                let reached = order.reached_from(before);
                for after in before + 1..len {
                    if shortcuts.has_hub_between(before, after) {
                        prop_assert!(reached(after), "hub: {before} {after}");
                    }
                    shortcuts.walk_back(&order, after, &[before]);
                    prop_assert!(!shortcuts.is_seen(before) || reached(after), "walk: {before} {after}");
                    // So near an event is always found.
                    if ((after - before) as usize) < STEPS_PER_WALK {
                        prop_assert_eq!(shortcuts.is_seen(before), reached(after));
                    }
                }
            }
        }
    }

    #[test]
    fn hubs_of_everybody_make_a_chain_that_proves_what_lies_on_both_sides() {
        let network = network();
        let steps = [
            (4, 0, 0),
            (0, 0, u64::MAX),
            (4, 7, u64::MAX),
            (0, 0, u64::MAX),
            (4, 3, u64::MAX),
        ];
        let order = Order::new(&network, &schedule(&network, &steps)).unwrap();
        let shortcuts = Shortcuts::new(&order);
        let starts = [0, 2, 4].map(|action| order.enter(action, 0));
        assert!(shortcuts.has_hub_between(starts[0], starts[1]));
        assert!(shortcuts.has_hub_between(starts[1], starts[2]));
        assert!(!shortcuts.has_hub_between(starts[2], starts[1]));
        assert!(!shortcuts.has_hub_between(starts[1], starts[1]));
    }
}
