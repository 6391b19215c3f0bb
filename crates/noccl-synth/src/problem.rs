// SPDX-License-Identifier: Apache-2.0
//! What has to get where: values with those that hold their operands and those that want them.
//!
//! Everything is taken from [`Postcondition`], so any collective that can say what it asks for can be searched.

use crate::{Faults, SynthError};
use noccl_net::counts::max_or_zero;
use noccl_net::{AxiNetwork, Coord, Network, TileId, TileKind, TileRef};
use noccl_workload::{Collective, Postcondition};
use std::collections::{BTreeMap, BTreeSet};

/// One collective of those that run side by side.
#[derive(Debug, Clone)]
pub struct Part {
    /// Operator, element type, and what the schedule claims.
    pub collective: Collective,
    /// What it asks for.
    pub wanted: Postcondition,
}

/// Number of a tile that takes part.
pub(crate) type NodeId = usize;

/// A tile that takes part, or may relay.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) tile: TileId,
    pub(crate) at: Coord,
    /// Its name as a cluster; a memory tile has none and does nothing by itself.
    pub(crate) cluster: Option<Coord>,
    /// First byte behind inputs and outputs.
    pub(crate) free_from: u64,
    pub(crate) memory_bytes: u64,
}

/// One value.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    /// Which collective asks for it.
    pub(crate) part: usize,
    /// Longest of its outputs.
    pub(crate) bytes: u64,
    /// Where its operands lie.
    pub(crate) operands: Vec<(NodeId, u64)>,
    /// Who wants it: offset and bytes.
    pub(crate) outputs: Vec<(NodeId, u64, u64)>,
}

/// A network, what is asked for on it, and what does not work.
#[derive(Debug, Clone)]
pub struct Problem<'a> {
    pub(crate) network: AxiNetwork<'a>,
    pub(crate) parts: Vec<Part>,
    pub(crate) faults: Faults,
    pub(crate) nodes: Vec<Node>,
    pub(crate) items: Vec<Item>,
    /// Clusters of each part, by number.
    pub(crate) members: Vec<Vec<NodeId>>,
}

impl<'a> Problem<'a> {
    /// Reads what is asked for.
    ///
    /// # Errors
    /// [`SynthError`] for what no schedule can do: values of no operands, outputs over other inputs, memory that is too small, groups that
    /// share a cluster, tiles that faults cut off.
    pub fn new(network: &'a Network, parts: Vec<Part>, faults: Faults) -> Result<Self, SynthError> {
        let Some(network) = network.as_axi() else {
            return Err(SynthError::field(
                "network",
                &network.spec().name,
                "clusters with DMA engines, e.g. collective_noc_8x8",
            ));
        };
        let mut problem = Self {
            network,
            parts: Vec::new(),
            faults,
            nodes: Vec::new(),
            items: Vec::new(),
            members: Vec::new(),
        };
        let mut numbers = BTreeMap::new();
        for part in parts {
            problem.add(part, &mut numbers)?;
        }
        problem.check_memories()?;
        problem.add_relays(&numbers);
        problem.check_reach()?;
        Ok(problem)
    }

    /// Number of collectives side by side.
    #[must_use]
    pub const fn num_parts(&self) -> usize {
        self.parts.len()
    }

    /// The collectives.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// What does not work.
    #[must_use]
    pub const fn faults(&self) -> &Faults {
        &self.faults
    }

    fn add(
        &mut self,
        part: Part,
        numbers: &mut BTreeMap<TileId, NodeId>,
    ) -> Result<(), SynthError> {
        let number = self.parts.len();
        let mut items = Vec::new();
        for operands in &part.wanted.values {
            if operands.is_empty() {
                let accepted = "values of one operand or more";
                return Err(SynthError::field("value", "no operands", accepted));
            }
            let mut named = Vec::new();
            for operand in operands {
                named.push((self.node(operand.tile, numbers)?, operand.offset));
            }
            items.push(Item {
                part: number,
                bytes: 0,
                operands: named,
                outputs: Vec::new(),
            });
        }
        for output in &part.wanted.outputs {
            let node = self.node(output.tile, numbers)?;
            let known = items.len();
            let Some(item) = items.get_mut(output.value) else {
                let accepted = format!("below {known}, the number of values");
                return Err(SynthError::field("output.value", output.value, accepted));
            };
            item.bytes = item.bytes.max(output.bytes);
            item.outputs.push((node, output.offset, output.bytes));
        }
        items.retain(|item| item.bytes > 0);
        self.check_operator(&part.collective, &items)?;
        let used = items.iter().flat_map(nodes_of);
        let used: BTreeSet<NodeId> = used.filter(|n| self.nodes[*n].cluster.is_some()).collect();
        for (earlier, members) in self.members.iter().enumerate() {
            if let Some(shared) = members.iter().find(|m| used.contains(m)) {
                let found = format!(
                    "{} is in groups {earlier} and {number}",
                    network_name(&self.network, &self.nodes[*shared])
                );
                return Err(SynthError::field(
                    "group",
                    found,
                    "groups without common clusters",
                ));
            }
        }
        self.members.push(used.into_iter().collect());
        self.items.extend(items);
        self.parts.push(part);
        Ok(())
    }

    fn node(
        &mut self,
        tile: TileId,
        numbers: &mut BTreeMap<TileId, NodeId>,
    ) -> Result<NodeId, SynthError> {
        if tile.idx() >= self.network.num_tiles() {
            let accepted = format!("below {}", self.network.num_tiles());
            return Err(SynthError::field("tile", tile.idx(), accepted));
        }
        if let Some(known) = numbers.get(&tile) {
            return Ok(*known);
        }
        let node = self.new_node(tile, 0);
        if self.faults.has_tile(&self.network, tile) {
            let found = format!("{} takes part", network_name(&self.network, &node));
            return Err(SynthError::field(
                "faulty tile",
                found,
                "tiles that take no part",
            ));
        }
        numbers.insert(tile, self.nodes.len());
        self.nodes.push(node);
        Ok(self.nodes.len() - 1)
    }

    pub(crate) fn new_node(&self, tile: TileId, free_from: u64) -> Node {
        let cluster = match self.network.tile_ref(tile) {
            TileRef::Cluster(at) => Some(at),
            TileRef::Memory(_) => None,
        };
        Node {
            tile,
            at: self.network.coord(tile),
            cluster,
            free_from,
            memory_bytes: self.network.memory_bytes(tile),
        }
    }

    fn check_operator(&self, collective: &Collective, items: &[Item]) -> Result<(), SynthError> {
        let (operator, element) = (collective.operator, collective.element);
        let has_sums = |item: &&Item| item.operands.len() > 1;
        if !items.iter().any(|item| has_sums(&item)) {
            return Ok(());
        }
        if !operator.accepts(element) {
            let found = format!("{operator:?} on {element:?}");
            let accepted = "sum, min and max, or an integer type";
            return Err(SynthError::field("operator", found, accepted));
        }
        let sums = items.iter().filter(has_sums);
        let mut lengths = sums.flat_map(|item| item.outputs.iter().map(|(_, _, bytes)| *bytes));
        if let Some(odd) = lengths.find(|bytes| !bytes.is_multiple_of(element.bytes())) {
            let accepted = format!("multiples of {}, the bytes of {element:?}", element.bytes());
            return Err(SynthError::field("bytes", odd, accepted));
        }
        Ok(())
    }

    /// Ranges within memories; outputs that overlap neither each other nor operands of other values.
    fn check_memories(&mut self) -> Result<(), SynthError> {
        // By node: start, end, value, is it an output?
        let mut ranges: Vec<Vec<(u64, u64, usize, bool)>> = vec![Vec::new(); self.nodes.len()];
        for (number, item) in self.items.iter().enumerate() {
            let inputs = item
                .operands
                .iter()
                .map(|(n, at)| (*n, *at, item.bytes, false));
            let outputs = item.outputs.iter().map(|(n, at, b)| (*n, *at, *b, true));
            for (node, start, bytes, is_output) in inputs.chain(outputs) {
                let end = start.saturating_add(bytes);
                let node_of = &self.nodes[node];
                if end > node_of.memory_bytes {
                    return Err(SynthError::DoesNotFit {
                        tile: network_name(&self.network, node_of),
                        needed_bytes: end,
                        available_bytes: node_of.memory_bytes,
                        limit: self.network.memory_field(node_of.tile),
                    });
                }
                ranges[node].push((start, end, number, is_output));
            }
        }
        for (node, ranges) in ranges.iter_mut().enumerate() {
            ranges.sort_unstable();
            let ends = ranges.iter().map(|r| r.1);
            self.nodes[node].free_from = max_or_zero(ends);
            if let Some((first, second)) = overlap(ranges) {
                let found = format!(
                    "{}: bytes {} to {} and {} to {}",
                    network_name(&self.network, &self.nodes[node]),
                    first.0,
                    first.1,
                    second.0,
                    second.1
                );
                return Err(SynthError::field(
                    "outputs",
                    found,
                    "outputs that overlap neither each other nor inputs of other values",
                ));
            }
        }
        Ok(())
    }

    pub(crate) fn is_cluster(&self, node: NodeId) -> bool {
        self.network.kind(self.nodes[node].tile) == TileKind::Cluster
    }

    pub(crate) fn name(&self, node: NodeId) -> String {
        network_name(&self.network, &self.nodes[node])
    }
}

pub(crate) fn nodes_of(item: &Item) -> impl Iterator<Item = NodeId> {
    let operands = item.operands.iter().map(|(n, _)| *n);
    operands.chain(item.outputs.iter().map(|(n, _, _)| *n))
}

pub(crate) fn network_name(network: &Network, node: &Node) -> String {
    network.tile_ref(node.tile).to_string()
}

/// Two ranges of which one is an output, unless it replaces an operand of its own value.
fn overlap(sorted: &[(u64, u64, usize, bool)]) -> Option<((u64, u64), (u64, u64))> {
    for (at, first) in sorted.iter().enumerate() {
        for second in sorted[at + 1..].iter().take_while(|s| s.0 < first.1) {
            let in_place = first.2 == second.2 && first.0 == second.0 && first.3 != second.3;
            if (first.3 || second.3) && !in_place {
                return Some(((first.0, first.1), (second.0, second.1)));
            }
        }
    }
    None
}

// Who can send to whom, and over which relays where a fault is between them.

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
            .filter(|tile| !self.faults.has_tile(&self.network, *tile))
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
                    network_name(&self.network, &self.nodes[first]),
                    network_name(&self.network, &self.nodes[lost])
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
        self.faults.allows(&self.network, a.tile, b.tile)
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
