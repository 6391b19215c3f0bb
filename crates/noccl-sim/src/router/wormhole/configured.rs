// SPDX-License-Identifier: Apache-2.0
//! Outputs that cores have written beforehand, with an atomic fork (S4, section 2: the static network).
//!
//! A router moves the words of an input over the outputs that its core has selected for it, when all of them take the
//! word. Words of an input without outputs wait in its FIFO, so words of a stream that comes early are not lost and go
//! where the configuration of their own stream says. A fork that is not atomic would let a core configure anew while a
//! branch still has to take the last word.

use super::plane::{NO_INPUT, Plane};
use super::rule::Rule;
use super::{LOCAL, PORTS, Params, ports};
use noccl_net::TileId;

/// The rule of the static network: nobody asks, nobody holds.
#[derive(Debug)]
pub(crate) struct Configured;

impl Rule for Configured {
    type Route = ();

    const IS_CONFIGURED: bool = true;

    fn outputs(&self, (): &(), _tile: usize) -> u8 {
        0
    }

    fn grant(&mut self, _tile: usize, _heads: u8, _wanted: &[u8], _free: u8) -> u8 {
        0
    }
}

impl Plane<Configured> {
    /// A plane of `width` × `height` routers that select nothing.
    pub(crate) fn new(width: u16, height: u16, params: Params) -> Self {
        Self::with_rule(width, height, params, Configured)
    }

    /// The core of a tile writes its configuration before the step of cycle `now`: outputs as masks by input, in the order
    /// of [`noccl_net::Port`]. Links that leave the mesh are left out; an output in several masks belongs to the first.
    pub(crate) fn configure(&mut self, now: u64, tile: TileId, outputs: [u8; PORTS]) {
        let (tile, base) = (tile.idx(), tile.idx() * PORTS);
        let exists = |output: &usize| *output == LOCAL || self.behind[base + output] != NO_INPUT;
        let mut free = (0..PORTS)
            .filter(exists)
            .fold(0, |mask, output| mask | 1 << output);
        self.holding[tile] = 0;
        for (port, wanted) in outputs.into_iter().enumerate() {
            let selected = wanted & free;
            free &= !selected;
            self.outputs[base + port] = selected;
            if selected != 0 {
                self.holding[tile] |= 1 << port;
            }
        }
        for port in ports(self.filled[tile]) {
            // Waiting for the configuration is not waiting for a link.
            self.since[base + port] = self.since[base + port].max(now);
        }
        self.note_change();
    }
}
