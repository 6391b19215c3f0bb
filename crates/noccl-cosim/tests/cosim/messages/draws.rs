// SPDX-License-Identifier: Apache-2.0
//! What is drawn for random messages.

use noccl_net::{Coord, Network, TileId};
use noccl_run::Rng;
use noccl_workload::{ElementType, Operator};

/// Draws for a network.
pub struct Draws<'n> {
    network: &'n Network,
    pub rng: Rng,
    vc_flits: u16,
    flit_bytes: usize,
}

impl<'n> Draws<'n> {
    pub fn new(network: &'n Network, seed: u64) -> Self {
        let smart = network.spec().axi().unwrap().router.smart.as_ref().unwrap();
        Self {
            network,
            rng: Rng::new(seed, "messages"),
            vc_flits: smart.vc_flits as u16,
            flit_bytes: smart.flit_bits as usize / 8,
        }
    }

    pub fn tile(&mut self) -> TileId {
        TileId(self.rng.below(self.network.num_tiles() as u64) as u32)
    }

    /// As many flits as a packet may have, one of them most often.
    pub fn flits(&mut self) -> u16 {
        if self.rng.one_in(2) {
            return 1;
        }
        1 + self.rng.below(self.vc_flits.into()) as u16
    }

    /// A multi-address, ascending; all tiles most often.
    pub fn set(&mut self) -> Vec<TileId> {
        let (width, height) = (self.network.width(), self.network.height());
        let at = self.network.coord(self.tile());
        let mut mask = self.network.coord(self.tile());
        if self.rng.one_in(3) {
            mask = Coord::new(width - 1, height - 1);
        }
        let is_member = |tile: &TileId| {
            let place = self.network.coord(*tile);
            (place.x ^ at.x) & !mask.x == 0 && (place.y ^ at.y) & !mask.y == 0
        };
        let tiles = (0..self.network.num_tiles() as u32).map(TileId);
        tiles.filter(is_member).collect()
    }

    /// An operation whose result does not depend on the order of operands.
    pub fn combining(&mut self) -> (Operator, ElementType) {
        let operator = *self.rng.pick(&Operator::ALL);
        loop {
            let element = *self.rng.pick(&ElementType::ALL);
            let is_ordered = matches!(operator, Operator::Min | Operator::Max);
            if is_ordered || !element.is_float() {
                return (operator, element);
            }
        }
    }

    /// An operand of several elements, a whole flit most often.
    pub fn operand(&mut self) -> Vec<u8> {
        let bytes = if self.rng.one_in(3) {
            8 * (1 + self.rng.below(self.flit_bytes as u64 / 8)) as usize
        } else {
            self.flit_bytes
        };
        self.bytes(bytes)
    }

    /// What flits behind a head carry; the last one may be filled in part.
    pub fn payload(&mut self, flits: u16) -> Vec<u8> {
        let most = usize::from(flits - 1) * self.flit_bytes;
        let missing = self.rng.below(self.flit_bytes as u64) as usize;
        self.bytes(most.saturating_sub(missing))
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.rng.draw() as u8).collect()
    }
}
