// SPDX-License-Identifier: Apache-2.0
//! Networks without routers: what takes the place of a plane's routers and links.
//!
//! Interfaces see a plane as with routers: they push flits into its Local inputs and take flits from its Local outputs. Between
//! the two, a [`DirectNetwork`] has the flits. [`Direct`](super::Direct) lists the kinds.

use crate::router::collective::context::Context;
use crate::router::collective::control::block::{LANES, LOCAL};
use crate::router::collective::plane::PlaneState;
use crate::transport::flit::Flit;
use std::collections::BTreeSet;

/// One plane of a network without routers.
pub(crate) trait DirectNetwork {
    /// An interface sends a flit. The network has space for it.
    fn send(&mut self, tile: usize, flit: Flit);

    /// Begins a cycle: queues for the interfaces what has arrived. `coords` are the packed coordinates of the tiles.
    fn advance(&mut self, coords: &[u32], context: &mut Context<'_>);

    /// Tiles that have a flit in their queue.
    fn waiting(&self) -> &BTreeSet<u32>;

    /// Takes the next flit out of a tile's queue.
    fn take(&mut self, tile: u32) -> Option<Flit>;

    /// Tiles whose queue will get a flit in a later cycle, even if no interface sends another one.
    fn due(&self) -> Vec<usize>;

    /// Flits that have entered each interface that any has entered: tile, Local, flits.
    fn loads(&self) -> Vec<(usize, usize, u32)>;

    /// Element operations so far, for energy.
    fn added_elements(&self) -> u64;
}

impl PlaneState {
    /// A cycle of the network without routers, if this plane is one: at most one flit to each interface. A plane without an active
    /// block counts as idle, so the blocks of tiles that have or will get a flit stay active.
    pub(super) fn advance_direct(&mut self, context: &mut Context<'_>) {
        let Some(mut direct) = self.direct.take() else {
            return;
        };
        let network = direct.network_mut();
        network.advance(&self.coords, context);
        let has_space = |tile: &u32| !self.is_full(*tile as usize, false, LOCAL);
        let able: Vec<u32> = network
            .waiting()
            .iter()
            .copied()
            .filter(has_space)
            .collect();
        for tile in able {
            if let Some(flit) = network.take(tile) {
                self.push_output(tile as usize, LOCAL, flit);
                self.flit_hops += 1;
            }
        }
        for tile in network.due() {
            self.active.insert(tile / LANES);
        }
        self.direct = Some(direct);
        self.offer_local();
    }

    /// All Local outputs with a flit offer it: one list, in ascending order, whatever the partitions are.
    fn offer_local(&mut self) {
        for partition in &mut self.partitions {
            partition.offering.clear();
        }
        for w in 0..self.blocks.len() {
            if self.local_offers(w) != 0 {
                self.active.insert(w);
                if let Some(first) = self.partitions.first_mut() {
                    first.offering.push(w as u32);
                }
            }
        }
    }
}
