// SPDX-License-Identifier: Apache-2.0
//! Requests of consumers and data of producers: worms that wait at tiles, and the routers behind them.

use super::rule::EspTrees;
use crate::router::wormhole::{Params, Plane as Routers, WormId, WormholeFlit};
use noccl_net::{Network, TileId};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Flits that follow each other over one tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct EspWorm {
    pub action: u32,
    pub source: TileId,
    /// With the head.
    pub flits: u32,
    /// First beat of the payload that the flit behind the head carries.
    pub(super) first_beat: u64,
}

/// The two planes.
pub(super) struct EspPlanes {
    pub requests: EspPlane,
    pub(super) data: EspPlane,
}

/// One plane.
pub(super) struct EspPlane {
    pub(super) routers: Routers<EspTrees>,
    /// By number in the routers: worms that are open, and what was there before.
    worms: Vec<EspWorm>,
    /// Worms that wait at or pass a tile's injection port, and the next flit of the first.
    injecting: BTreeMap<u32, (VecDeque<WormId>, u32)>,
    /// Actions of the worms whose tail was injected in the last cycle.
    injected: Vec<u32>,
}

impl EspPlane {
    pub(super) fn new(network: &Network, fifo_flits: u32, reserve_cycles: u32) -> Self {
        let params = Params {
            input_fifo_flits: fifo_flits,
            local_fifo_flits: fifo_flits,
            hop_cycles: 1,
            turn_cycles: 0,
            reserve_cycles,
        };
        let rule = EspTrees::new(network.num_tiles());
        Self {
            routers: Routers::with_rule(network.width(), network.height(), params, rule),
            worms: Vec::new(),
            injecting: BTreeMap::new(),
            injected: Vec::new(),
        }
    }

    /// Queues a worm at its source; it is delivered to so many tiles.
    pub(super) fn send(&mut self, worm: EspWorm, outputs: &Arc<[u8]>, num_destinations: usize) {
        let tails = num_destinations as u32;
        let id = self.routers.open(Arc::clone(outputs), worm.flits, tails, 0);
        if id.idx() == self.worms.len() {
            self.worms.push(worm);
        } else {
            self.worms[id.idx()] = worm;
        }
        let queue = self.injecting.entry(worm.source.0).or_default();
        queue.0.push_back(id);
    }

    pub(super) fn worm(&self, id: WormId) -> &EspWorm {
        &self.worms[id.idx()]
    }

    pub(super) fn is_idle(&self) -> bool {
        self.routers.is_idle() && self.injecting.is_empty()
    }

    /// What the last cycle has delivered.
    pub(super) fn delivered(&self) -> &[(TileId, WormholeFlit)] {
        self.routers.delivered()
    }

    /// Actions of the worms whose tail was injected in the last cycle.
    pub(super) fn injected(&self) -> &[u32] {
        &self.injected
    }

    /// One cycle; true if a flit or a reservation has moved. `takes` says whether a tile takes a flit, `offers` whether it
    /// injects one.
    pub(super) fn step(
        &mut self,
        cycle: u64,
        takes: impl Fn(TileId) -> bool,
        offers: impl Fn(TileId) -> bool,
    ) -> bool {
        let has_injected = self.inject(cycle, offers);
        self.routers.step(cycle, |tile, _| takes(tile)) | has_injected
    }

    /// Tiles whose injection port has a flit and space for it.
    fn inject(&mut self, cycle: u64, offers: impl Fn(TileId) -> bool) -> bool {
        self.injected.clear();
        let mut has_injected = false;
        let (routers, worms, injected) = (&mut self.routers, &self.worms, &mut self.injected);
        self.injecting.retain(|tile, (queue, next)| {
            let tile = TileId(*tile);
            let Some(worm) = queue.front().copied() else {
                return false;
            };
            if !routers.has_space(tile) || !offers(tile) {
                return true;
            }
            has_injected = true;
            routers.push(cycle, tile, worm, *next);
            *next += 1;
            let EspWorm { action, flits, .. } = worms[worm.idx()];
            if *next == flits {
                injected.push(action);
                *next = 0;
                queue.pop_front();
            }
            !queue.is_empty()
        });
        has_injected
    }
}
