// SPDX-License-Identifier: Apache-2.0
//! The tree of an in-network reduction: when the root has the first beat, and how fast the others follow.

use super::links::{Passage, Route, adder, from_ni, slot};
use crate::constants::{Constants, cycles_per_beat};
use noccl_net::tree::{Cube, join_set};
use noccl_net::{Coord, Network, Port, TileId};

pub(crate) struct Tree<'a> {
    pub(crate) network: &'a Network,
    pub(crate) constants: &'a Constants,
    pub(crate) group: Cube,
    pub(crate) root: Coord,
    pub(crate) element_bytes: u64,
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

impl Tree<'_> {
    /// Merges contributions that start at these cycles, ascending by tile.
    pub(crate) fn merge(&self, starts: &[(TileId, f64)]) -> Merged {
        let first = starts.iter().map(|(_, s)| *s).fold(f64::INFINITY, f64::min);
        let mut merged = Merged {
            cycle: 0.0,
            cycles_per_beat: 1.0,
            route: Route::new(),
        };
        // Routers in an order in which each stands behind its inputs: the walk from the root, backwards.
        let mut walk = vec![(self.root, usize::MAX)];
        let mut next = 0;
        while let Some((here, _)) = walk.get(next).copied() {
            for port in self.inputs(here).filter(|p| *p != Port::Local) {
                walk.extend(self.network.neighbour(here, port).map(|n| (n, next)));
            }
            next += 1;
        }
        let mut cycle = vec![0.0_f64; walk.len()];
        for (index, (here, behind)) in walk.iter().copied().enumerate().rev() {
            let tile = self.network.tile_at(here);
            let operands = self.inputs(here).count() as u32;
            if self.inputs(here).any(|p| p == Port::Local) {
                let start = starts.binary_search_by_key(&tile, |(t, _)| *t);
                let start = start.map_or(first, |at| starts[at].1);
                cycle[index] = cycle[index].max(start);
                if !(self.is_shared && here == self.root) {
                    merged.route.push(alone(from_ni(tile), start - first));
                }
            }
            if operands > 1 {
                merged.route.push(alone(adder(tile), cycle[index] - first));
            }
            let kind = self.network.axi().router.wide_reduction.kind;
            let (constants, bytes) = (self.constants, self.element_bytes);
            cycle[index] += constants.merge_cycles(kind, operands, bytes);
            let pace = cycles_per_beat(kind, operands, constants.addition_cycles(bytes));
            merged.cycles_per_beat = merged.cycles_per_beat.max(pace);
            let port = self.network.next_hop(here, self.root);
            let out = alone(slot(tile, port as usize), cycle[index] - first);
            merged.route.push(out);
            if let Some(at) = cycle.get(behind).copied() {
                cycle[behind] = at.max(cycle[index] + self.constants.path_cycles(1));
            }
        }
        merged.cycle = cycle[0];
        merged
    }

    fn inputs(&self, here: Coord) -> impl Iterator<Item = Port> + use<> {
        let ports = join_set(here, self.group, self.root);
        Port::ALL.into_iter().filter(move |p| ports & p.bit() != 0)
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
