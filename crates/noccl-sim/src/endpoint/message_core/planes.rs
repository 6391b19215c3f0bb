// SPDX-License-Identifier: Apache-2.0
//! The two networks into which cores write words: the dynamic one (UDN) and the static one.

use crate::router::wormhole::{Configured, Params, Plane, Xy};
use noccl_net::Network;
use noccl_spec::CoreTiles;

/// The planes of a network of core tiles.
pub(crate) struct Planes {
    /// The dynamic network.
    pub(crate) udn: Plane<Xy>,
    /// The static network.
    pub(crate) fixed: Plane<Configured>,
}

impl Planes {
    pub(crate) fn new(network: &Network, tiles: &CoreTiles) -> Self {
        let (width, height) = (network.width(), network.height());
        let (udn, fixed) = (&tiles.router.udn, &tiles.router.static_network);
        Self {
            udn: Plane::<Xy>::new(
                width,
                height,
                Params {
                    input_fifo_flits: udn.input_fifo_flits,
                    local_fifo_flits: udn.input_fifo_flits,
                    hop_cycles: udn.hop_cycles,
                    turn_cycles: udn.turn_cycles,
                    reserve_cycles: 0,
                },
            ),
            fixed: Plane::<Configured>::new(
                width,
                height,
                Params {
                    input_fifo_flits: fixed.input_fifo_flits,
                    local_fifo_flits: fixed.port_fifo_words,
                    hop_cycles: 1,
                    turn_cycles: 0,
                    reserve_cycles: 0,
                },
            ),
        }
    }

    pub(crate) const fn is_idle(&self) -> bool {
        self.udn.is_idle() && self.fixed.is_idle()
    }

    pub(crate) const fn can_move(&self) -> bool {
        self.udn.can_move() || self.fixed.can_move()
    }

    /// Cycles before `now` in which words could not go on over a link, over all links.
    pub(crate) fn blocked_cycles(&self, now: u64) -> u64 {
        self.udn.blocked_cycles(now).total + self.fixed.blocked_cycles(now).total
    }

    /// Hops of all words so far.
    pub(crate) fn flit_hops(&self) -> u64 {
        self.udn.flit_hops() + self.fixed.flit_hops()
    }
}
