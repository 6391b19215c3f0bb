// SPDX-License-Identifier: Apache-2.0
//! Who can send to whom, and over which relays where a fault is between them.

use crate::SynthError;
use crate::problem::{NodeId, Problem, network_name, nodes_of};
use noccl_net::TileId;
use noccl_net::counts::max_or_zero;
use std::collections::{BTreeMap, BTreeSet};

impl Problem<'_> {
    /// Where something does not work, everybody who can may pass data on; its scratch lies where that of members begins.
    pub(crate) fn add_relays(&mut self, numbers: &BTreeMap<TileId, NodeId>) {
        if self.faults.is_empty() {
            return;
        }
        let start = self.nodes.iter().filter(|n| n.cluster.is_some());
        let start = max_or_zero(start.map(|n| n.free_from));
        let others: Vec<TileId> = self
            .network
            .clusters()
            .filter(|tile| !numbers.contains_key(tile))
            .filter(|tile| !self.faults.has_tile(self.network, *tile))
            .collect();
        for tile in others {
            let node = self.new_node(tile, start);
            self.nodes.push(node);
        }
    }

    pub(crate) fn check_reach(&self) -> Result<(), SynthError> {
        if self.faults.is_empty() {
            return Ok(());
        }
        for (part, members) in self.members.iter().enumerate() {
            let Some(first) = members.first().copied() else {
                continue;
            };
            let reached = self.reached_from(first);
            let of_part = self.items.iter().filter(|i| i.part == part);
            if let Some(lost) = of_part.flat_map(nodes_of).find(|n| !reached.contains(n)) {
                let found = format!(
                    "{} and {} are cut off from each other",
                    network_name(self.network, &self.nodes[first]),
                    network_name(self.network, &self.nodes[lost])
                );
                let accepted =
                    "faults that leave a path, over other clusters too, between all that take part";
                return Err(SynthError::field("faults", found, accepted));
            }
        }
        Ok(())
    }

    fn reached_from(&self, first: NodeId) -> BTreeSet<NodeId> {
        let mut reached = BTreeSet::from([first]);
        let mut open = vec![first];
        while let Some(here) = open.pop() {
            if self.nodes[here].cluster.is_none() {
                continue;
            }
            for next in 0..self.nodes.len() {
                if !reached.contains(&next) && self.is_direct(here, next) {
                    reached.insert(next);
                    open.push(next);
                }
            }
        }
        reached
    }

    /// Can a message go from one to the other without a relay?
    pub(crate) fn is_direct(&self, a: NodeId, b: NodeId) -> bool {
        let (a, b) = (&self.nodes[a], &self.nodes[b]);
        self.faults.allows(self.network, a.tile, b.tile)
    }

    /// The nodes that pass a message on, its ends with them: as few as possible, then over few hops.
    pub(crate) fn route(&self, from: NodeId, to: NodeId) -> Vec<NodeId> {
        if self.is_direct(from, to) {
            return vec![from, to];
        }
        let mut before: Vec<Option<NodeId>> = vec![None; self.nodes.len()];
        let mut level = vec![from];
        while before[to].is_none() && !level.is_empty() {
            let mut next_level = Vec::new();
            for (next, before) in before.iter_mut().enumerate() {
                let is_new = before.is_none() && next != from;
                let is_open = next == to || self.nodes[next].cluster.is_some();
                if !is_new || !is_open {
                    continue;
                }
                let near = level.iter().filter(|l| self.is_direct(**l, next));
                if let Some(best) = near.min_by_key(|l| self.hops(**l, next)) {
                    *before = Some(*best);
                    next_level.push(next);
                }
            }
            level = next_level;
        }
        let mut route = vec![to];
        let mut here = to;
        while let Some(previous) = before[here] {
            route.push(previous);
            here = previous;
        }
        route.reverse();
        route
    }

    pub(crate) fn hops(&self, a: NodeId, b: NodeId) -> u64 {
        u64::from(self.nodes[a].at.hops_to(self.nodes[b].at))
    }
}
