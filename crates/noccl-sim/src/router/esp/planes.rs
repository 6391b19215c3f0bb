// SPDX-License-Identifier: Apache-2.0
//! Requests of consumers and data of producers: packets that wait at tiles, and the routers behind them.

use crate::router::wormhole::{PacketId, Params, Plane as Routers, Rule, WormholeFlit};
use noccl_net::{Network, TileId};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

pub(super) use crate::router::wormhole::PORTS;

/// Flits that follow each other over one tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct EspPacket {
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
    /// By number in the routers: packets that are open, and what was there before.
    packets: Vec<EspPacket>,
    /// Packets that wait at or pass a tile's injection port, and the next flit of the first.
    injecting: BTreeMap<u32, (VecDeque<PacketId>, u32)>,
    /// Actions of the packets whose tail was injected in the last cycle.
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
            packets: Vec::new(),
            injecting: BTreeMap::new(),
            injected: Vec::new(),
        }
    }

    /// Queues a packet at its source; it is delivered to so many tiles.
    pub(super) fn send(&mut self, packet: EspPacket, outputs: &Arc<[u8]>, num_destinations: usize) {
        let tails = num_destinations as u32;
        let id = self
            .routers
            .open(Arc::clone(outputs), packet.flits, tails, 0);
        if id.idx() == self.packets.len() {
            self.packets.push(packet);
        } else {
            self.packets[id.idx()] = packet;
        }
        let queue = self.injecting.entry(packet.source.0).or_default();
        queue.0.push_back(id);
    }

    pub(super) fn packet(&self, id: PacketId) -> &EspPacket {
        &self.packets[id.idx()]
    }

    pub(super) fn is_idle(&self) -> bool {
        self.routers.is_idle() && self.injecting.is_empty()
    }

    /// What the last cycle has delivered.
    pub(super) fn delivered(&self) -> &[(TileId, WormholeFlit)] {
        self.routers.delivered()
    }

    /// Actions of the packets whose tail was injected in the last cycle.
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
        let (routers, packets, injected) = (&mut self.routers, &self.packets, &mut self.injected);
        self.injecting.retain(|tile, (queue, next)| {
            let tile = TileId(*tile);
            let Some(packet) = queue.front().copied() else {
                return false;
            };
            if !routers.has_space(tile) || !offers(tile) {
                return true;
            }
            has_injected = true;
            routers.push(cycle, tile, packet, *next);
            *next += 1;
            let EspPacket { action, flits, .. } = packets[packet.idx()];
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

// Trees, reserved whole (ESP's `lookahead_router_multicast`).
//
// A head reserves all its outputs in one cycle, or none. Those that want one output go first, by a matrix arbiter per
// output; those that want several go through one per router.

/// The rule of ESP's routers.
#[derive(Debug)]
pub(super) struct EspTrees {
    routers: Vec<Arbiters>,
}

#[derive(Debug, Default, Clone)]
struct Arbiters {
    single: [Matrix; PORTS],
    several: Matrix,
}

impl EspTrees {
    pub(super) fn new(num_tiles: usize) -> Self {
        Self {
            routers: vec![Arbiters::default(); num_tiles],
        }
    }
}

impl Rule for EspTrees {
    /// Output ports per tile, as a mask; packets of one transfer share them.
    type Route = Arc<[u8]>;

    #[inline]
    fn outputs(&self, route: &Self::Route, tile: usize) -> u8 {
        route[tile]
    }

    fn grant(&mut self, tile: usize, heads: u8, wanted: &[u8; PORTS], mut free: u8) -> u8 {
        let router = &mut self.routers[tile];
        let (mut granted, mut several) = (0, heads);
        for (out, arbiter) in router.single.iter_mut().enumerate() {
            let requests = heads & ports_where(|input| wanted[input] == 1 << out);
            several &= !requests;
            if free >> out & 1 != 0
                && let Some(input) = arbiter.first(requests)
            {
                free &= !(1 << out);
                granted |= 1 << input;
                arbiter.served(input);
            }
        }
        loop {
            let able = several & ports_where(|input| wanted[input] & !free == 0);
            let Some(input) = router.several.first(able) else {
                break;
            };
            several &= !(1 << input);
            free &= !wanted[input];
            granted |= 1 << input;
            router.several.served(input);
        }
        granted
    }
}

fn ports_where(is_member: impl Fn(usize) -> bool) -> u8 {
    (0..PORTS).fold(0, |mask, port| mask | u8::from(is_member(port)) << port)
}

// Matrix arbiter: of those that ask, who was served longest ago.

/// Row i holds those that i goes before.
#[derive(Debug, Clone, Copy)]
pub(super) struct Matrix([u8; PORTS]);

impl Default for Matrix {
    /// At first the lower index goes first.
    fn default() -> Self {
        const ALL: u8 = (1 << PORTS) - 1;
        Self(std::array::from_fn(|i| ALL & (ALL << (i + 1))))
    }
}

impl Matrix {
    /// The one of `requests` that goes before all others of them.
    pub(super) fn first(&self, requests: u8) -> Option<usize> {
        (0..PORTS).find(|i| requests >> i & 1 != 0 && requests & !(1 << i) & !self.0[*i] == 0)
    }

    /// `winner` goes behind all others from now on.
    pub(super) fn served(&mut self, winner: usize) {
        for (i, row) in self.0.iter_mut().enumerate() {
            *row = if i == winner { 0 } else { *row | 1 << winner };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_always_one_first_and_everybody_is_granted() {
        let mut matrix = Matrix::default();
        assert_eq!(matrix.first(0), None);
        let mut order = Vec::new();
        for _ in 0..2 * PORTS {
            let winner = matrix.first(0b11111).unwrap();
            matrix.served(winner);
            order.push(winner);
        }
        assert_eq!(order, [0, 1, 2, 3, 4, 0, 1, 2, 3, 4]);
        matrix.served(2);
        assert_eq!(matrix.first(0b00101), Some(0));
        matrix.served(0);
        assert_eq!(matrix.first(0b00101), Some(2));
    }
}
