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
        let router = &tiles.router;
        let fixed = Params::of_static(&router.static_network);
        Self {
            udn: Plane::<Xy>::new(width, height, Params::of_udn(&router.udn)),
            fixed: Plane::<Configured>::new(width, height, fixed),
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
