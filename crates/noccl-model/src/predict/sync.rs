// SPDX-License-Identifier: Apache-2.0
//! Barriers and arrivals.

use super::{Model, Shares};
use crate::ModelError;
use crate::constants::Constants;
use crate::polling::{response_cycles, seen_full};
use noccl_net::{AxiNetwork, MultiAddress, TileId, TileSet, cover};
use noccl_workload::{Barrier, BarrierMechanism};

impl Model<'_> {
    /// Members go on at once; the root when the last store has set its word.
    pub(super) fn arrival(&mut self, root: TileId, ready: &[(TileId, f64)]) -> Shares {
        let constants = self.constants;
        let (mut first, mut last) = (f64::INFINITY, 0.0_f64);
        let mut ends = Vec::with_capacity(ready.len());
        for (tile, ready) in ready {
            let start = self.control[tile.idx()].max(*ready);
            let left = start + constants.enter_cycles;
            self.control[tile.idx()] = left;
            first = first.min(start);
            last = last.max(start + constants.path_cycles(self.network.paths_between(*tile, root)));
            ends.push((*tile, left));
        }
        let set = last + constants.arrival_alpha_cycles;
        for (tile, end) in &mut ends {
            if *tile == root {
                *end = set;
            }
        }
        (first, ends)
    }

    pub(super) fn barrier(
        &mut self,
        index: usize,
        barrier: &Barrier,
        ready: &[(TileId, f64)],
    ) -> Result<Shares, ModelError> {
        let counter = self.find(index, barrier.counter)?;
        let enters: Vec<(TileId, f64, f64)> = ready
            .iter()
            .map(|(tile, ready)| {
                let path = self
                    .constants
                    .path_cycles(self.network.paths_between(*tile, counter));
                (*tile, self.control[tile.idx()].max(*ready), path)
            })
            .collect();
        let first = enters.iter().map(|e| e.1).fold(f64::INFINITY, f64::min);
        let ends: Vec<(TileId, f64)> = match barrier.mechanism {
            BarrierMechanism::InNetwork => {
                let last = enters.iter().map(|(_, enter, path)| enter + path);
                let released = last.fold(0.0, f64::max) + self.constants.barrier_alpha_cycles;
                enters
                    .iter()
                    .map(|(tile, _, path)| (*tile, released + path))
                    .collect()
            }
            BarrierMechanism::Software => counted(
                self.network,
                self.constants,
                &barrier.group,
                &enters,
                counter,
            )?,
        };
        for (tile, end) in &ends {
            self.control[tile.idx()] = *end;
        }
        Ok((first, ends))
    }
}

/// Software: one after the other at the counter, in the order of arrival. The counter's own cluster, if it is a
/// member, sees it full and interrupts all; else the member that came last does, once it has its response. Interrupts to a group
/// of several multi-addresses leave one after the other.
pub(crate) fn counted(
    network: AxiNetwork<'_>,
    constants: &Constants,
    group: &TileSet,
    enters: &[(TileId, f64, f64)],
    counter: TileId,
) -> Result<Vec<(TileId, f64)>, ModelError> {
    let mut arrivals: Vec<(f64, TileId, f64)> = enters
        .iter()
        .map(|(tile, enter, path)| (enter + path, *tile, *path))
        .collect();
    arrivals.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut full: f64 = 0.0;
    let mut own = None;
    for (arrival, tile, _) in &arrivals {
        full = full.max(*arrival) + constants.counter_member_cycles;
        own = own.or((*tile == counter).then_some(full));
    }
    let last = arrivals
        .last()
        .map_or((counter, 0.0), |(_, tile, path)| (*tile, *path));
    let polls_from = response_cycles(network.axi());
    let (releaser, seen) = match own {
        Some(own) => {
            let round = constants.poll_cycles;
            (counter, seen_full(own, full, polls_from, round))
        }
        None => (last.0, full + last.1),
    };
    let released = seen + constants.counter_alpha_cycles;
    let cubes = cover(&network, group)?;
    // Interrupts leave one after the other, in the order of the multi-addresses.
    let position = |tile: TileId| {
        let at = network.cluster_coord(network.coord(tile));
        let holds = |cube: &MultiAddress| at.is_some_and(|at| cube.contains(at));
        cubes.iter().take_while(|cube| !holds(cube)).count() as f64
    };
    let path = |tile| constants.path_cycles(network.paths_between(tile, releaser));
    let end = |tile: TileId| released + position(tile) + path(tile);
    Ok(enters
        .iter()
        .map(|(tile, _, _)| (*tile, end(*tile)))
        .collect())
}
