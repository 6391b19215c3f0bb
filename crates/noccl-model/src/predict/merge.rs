// SPDX-License-Identifier: Apache-2.0
//! The tree of an in-network reduction: when the root has the first beat, and how fast the others follow.

use super::links::{OnPath, Passage, Route, adder, from_ni, slot};
use super::{Model, Shares};
use crate::ModelError;
use crate::constants::{Constants, cycles_per_beat};
use noccl_net::pairs::{FoldOrder, senders};
use noccl_net::tree::Cube;
use noccl_net::{AxiNetwork, Coord, Port, TileId};
use noccl_workload::InNetworkReduction;

pub(crate) struct Tree<'a> {
    pub(crate) network: AxiNetwork<'a>,
    pub(crate) constants: &'a Constants,
    pub(crate) group: Cube,
    pub(crate) root: Coord,
    pub(crate) element_bytes: u64,
    /// Where contributions meet.
    pub(crate) fold_order: FoldOrder,
    /// An all-reduce in one transaction: the root's own contribution does not pass its NI.
    pub(crate) is_shared: bool,
}

/// What comes out at the root.
pub(crate) struct Merged {
    /// Cycle of the first beat, without α and β.
    pub(crate) cycle: f64,
    /// Pace of the slowest router.
    pub(crate) cycles_per_beat: f64,
    /// All links, from the first start on.
    pub(crate) route: Route,
}

/// A router at which contributions meet, or a member whose own goes on alone.
struct Meeting {
    here: Coord,
    has_own: bool,
    /// Meetings whose sums come here, in fold order.
    from: Vec<usize>,
}

impl Tree<'_> {
    /// Merges contributions that start at these cycles, ascending by tile.
    pub(crate) fn merge(&self, starts: &[(TileId, f64)]) -> Merged {
        let first = starts.iter().map(|(_, s)| *s).fold(f64::INFINITY, f64::min);
        let mut merged = Merged {
            cycle: 0.0,
            cycles_per_beat: 1.0,
            route: Route::new(),
        };
        let meetings = self.meetings();
        let mut sums = vec![0.0_f64; meetings.len()];
        for (index, meeting) in meetings.iter().enumerate().rev() {
            let tile = self.network.tile_at(meeting.here);
            let mut operands = Vec::with_capacity(meeting.from.len() + 1);
            if meeting.has_own {
                let start = starts.binary_search_by_key(&tile, |(t, _)| *t);
                let start = start.map_or(first, |at| starts[at].1);
                operands.push(start);
                if !(self.is_shared && meeting.here == self.root) {
                    merged.route.push(alone(from_ni(tile), start - first));
                }
            }
            for from in &meeting.from {
                let sender = meetings[*from].here;
                operands.push(self.send(sender, meeting.here, sums[*from], first, &mut merged));
            }
            if operands.len() > 1 {
                let last = operands.iter().copied().fold(0.0, f64::max);
                merged.route.push(alone(adder(tile), last - first));
            }
            merged.cycles_per_beat = merged.cycles_per_beat.max(self.pace(operands.len() as u32));
            sums[index] = self.sum(&operands);
        }
        // The first meeting is the root's.
        merged.cycle = sums[0];
        let local = slot(self.network.tile_at(self.root), Port::Local as usize);
        merged.route.push(alone(local, merged.cycle - first));
        merged
    }

    /// Meetings in an order in which each stands behind the one that it sends to: the walk from the root.
    fn meetings(&self) -> Vec<Meeting> {
        let at = |here: Coord| Meeting {
            here,
            has_own: false,
            from: Vec::new(),
        };
        let mut walk = vec![at(self.root)];
        let mut next = 0;
        while let Some(here) = walk.get(next).map(|meeting| meeting.here) {
            for sender in senders(here, self.group, self.root, self.fold_order) {
                if sender == here {
                    walk[next].has_own = true;
                } else {
                    let behind = walk.len();
                    walk[next].from.push(behind);
                    walk.push(at(sender));
                }
            }
            next += 1;
        }
        walk
    }

    /// A sum that is ready at `ready` passes the links to where it meets others. Returns when it is there.
    fn send(&self, from: Coord, to: Coord, ready: f64, first: f64, merged: &mut Merged) -> f64 {
        let path_cycles = self.constants.path_cycles(1);
        let mut on_path = OnPath::new(ready);
        let mut before = Port::Local;
        for (at, port) in self.network.path(from, to).take_while(|(at, _)| *at != to) {
            on_path = on_path.leave(port == before, self.network.path_links());
            let out = slot(self.network.tile_at(at), port as usize);
            merged.route.push(alone(out, on_path.left - first));
            on_path = on_path.arrive(path_cycles);
            before = port;
        }
        on_path.arrives
    }

    /// When the sum of operands is ready that come at these cycles, in fold order.
    fn sum(&self, operands: &[f64]) -> f64 {
        let kind = self.network.axi().router.wide_reduction.kind;
        let adding = |count| self.constants.merge_cycles(kind, count, self.element_bytes);
        let last = operands.iter().copied().fold(0.0, f64::max);
        match self.fold_order {
            FoldOrder::ByRouter => last + adding(operands.len() as u32),
            FoldOrder::InPairs => {
                let sum = operands.iter().copied();
                let sum = sum.reduce(|sum, operand| sum.max(operand) + adding(2));
                sum.unwrap_or(last)
            }
        }
    }

    fn pace(&self, operands: u32) -> f64 {
        let spec = &self.network.axi().router.wide_reduction;
        let addition = self.constants.addition_cycles(self.element_bytes);
        match self.fold_order {
            FoldOrder::ByRouter => cycles_per_beat(spec.kind, operands, addition),
            // They are one beat.
            FoldOrder::InPairs => 1.0,
        }
    }
}

/// A link whose lateness is its own: contributions wait for each other in the tiles.
const fn alone(slot: u32, at: f64) -> Passage {
    Passage {
        slot,
        at,
        before: None,
    }
}

// Reductions in the network, and all-reduces in one transaction.

impl Model<'_> {
    /// A reduction, or an all-reduce in one transaction, whose root multicasts what it has reduced.
    pub(super) fn reduction(
        &mut self,
        index: usize,
        reduction: &InNetworkReduction,
        ready: &[(TileId, f64)],
        is_shared: bool,
    ) -> Result<Shares, ModelError> {
        let starts: Vec<(TileId, f64)> = ready
            .iter()
            .map(|at| (at.0, self.issue(*at, false)))
            .collect();
        let root = self.find(index, reduction.root.tile)?;
        let axi = self.network.axi();
        let beats = axi.ni.beats(reduction.bytes);
        let tree = Tree {
            network: self.network,
            constants: self.constants,
            group: self.network.cube(reduction.group),
            root: self.network.coord(root),
            element_bytes: reduction.element.bytes(),
            fold_order: reduction.fold_order(&self.network),
            is_shared,
        };
        let merged = tree.merge(&starts);
        let first = starts.iter().map(|(_, s)| *s).fold(f64::INFINITY, f64::min);
        let pace =
            merged.cycles_per_beat * f64::from(axi.cluster.cycles_per_wide_addition(&axi.ni));
        let further = (beats.saturating_sub(1) as f64 * pace).round() as u64;
        let serial = self.per_beat(1 + further);
        let delay = self.links.pass(&merged.route, first, serial, beats);
        self.count(reduction, starts.len() as u64, is_shared);
        let mut at_root = merged.cycle + delay + self.constants.reduction_alpha_cycles + serial;
        if is_shared {
            // Each result beat is read where it was written, and is written once more at its member.
            let set = self.network.cube(reduction.group);
            let route = self.links.route(&self.network, root, set, 0.0);
            at_root += self.links.pass(&route, at_root - serial, serial, beats);
            at_root += f64::from(self.network.axi().cluster.l1_latency_cycles);
        }
        let ends = starts
            .iter()
            .map(|(tile, _)| {
                let paths = self.network.paths_between(*tile, root);
                (*tile, at_root + self.constants.path_cycles(paths))
            })
            .collect();
        Ok((first, ends))
    }

    fn count(&mut self, reduction: &InNetworkReduction, members: u64, is_shared: bool) {
        let (bytes, shares) = (reduction.bytes, u64::from(is_shared));
        self.counters.dma_load_bytes += bytes * (members + shares);
        self.counters.dma_store_bytes += bytes * members;
        self.counters.spm_write_bytes += if is_shared { bytes * members } else { bytes };
        self.counters.dca_ops += bytes / reduction.element.bytes() * (members.saturating_sub(1));
    }
}
