// SPDX-License-Identifier: Apache-2.0
//! Outputs that cores have written beforehand, with an atomic fork (S4, section 2: the static network).
//!
//! A router moves the words of an input over the outputs that its core has selected for it, when all of them take the
//! word. Words of an input without outputs wait in its FIFO, so words of a stream that comes early are not lost and go
//! where the configuration of their own stream says. A fork that is not atomic would let a core configure anew while a
//! branch still has to take the last word.

use super::observe::INPUTS_PER_TILE;
use super::plane::Plane;
use super::rule::Rule;
use super::{LOCAL, PORTS, Params};
use noccl_net::TileId;
use noccl_spec::StaticNetwork;

/// The rule of the static network: nobody asks, nobody holds.
#[derive(Debug)]
pub(crate) struct Configured;

impl Rule for Configured {
    type Route = ();

    const IS_CONFIGURED: bool = true;

    fn outputs(&self, (): &(), _tile: usize) -> u8 {
        0
    }

    fn grant(&mut self, _tile: usize, _heads: u8, _wanted: &[u8; PORTS], _free: u8) -> u8 {
        0
    }
}

impl Params {
    /// Those of the static network, whose flits are words.
    pub(crate) const fn of_static(network: &StaticNetwork) -> Self {
        Self {
            input_fifo_flits: network.input_fifo_flits,
            local_fifo_flits: network.port_fifo_words,
            hop_cycles: 1,
            turn_cycles: 0,
            reserve_cycles: 0,
        }
    }
}

impl Plane<Configured> {
    /// A plane of `width` × `height` routers that select nothing.
    pub(crate) fn new(width: u16, height: u16, params: Params) -> Self {
        Self::with_rule(width, height, params, Configured)
    }

    /// Have all words that the core of a tile has written left the FIFO before its router? A root configures anew only then:
    /// words that are still there would wait for its next multicast.
    pub(crate) fn is_drained(&self, tile: TileId) -> bool {
        self.fifos.inputs[tile.idx() * INPUTS_PER_TILE + LOCAL].len == 0
    }

    /// The core of a tile writes its configuration before the step of cycle `now`: outputs as masks by input, in the order
    /// of [`noccl_net::Port`]. Links that leave the mesh are left out; an output in several masks belongs to the first.
    pub(crate) fn configure(&mut self, now: u64, tile: TileId, outputs: [u8; PORTS]) {
        let base = tile.idx() * INPUTS_PER_TILE;
        let mut free = self.existing[tile.idx()];
        for (port, wanted) in outputs.into_iter().enumerate() {
            let fifo = &mut self.fifos.inputs[base + port];
            fifo.outputs = wanted & free;
            fifo.is_holding = fifo.outputs != 0;
            // Waiting for the configuration is not waiting for a link.
            fifo.since = fifo.since.max(now);
            free &= !wanted;
            if fifo.is_holding {
                self.streams.insert(base + port);
            } else {
                self.streams.remove(base + port);
            }
        }
        self.can_move = true;
    }
}
