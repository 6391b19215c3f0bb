// SPDX-License-Identifier: Apache-2.0
//! Paths that a flit crosses in a cycle: one link, or several in a line where routers are passed in flight.

use crate::capabilities::MessageCycles;
use crate::{Coord, Network, TileId};
use noccl_spec::Tiles;

impl Network {
    /// Most links of one path: `router.bypass.hpc_max`, and 1 without bypass.
    #[must_use]
    pub const fn path_links(&self) -> u32 {
        match &self.spec.tiles {
            Tiles::Axi(axi) => match &axi.router.bypass {
                Some(bypass) => bypass.hpc_max,
                None => 1,
            },
            Tiles::Cores(_) => 1,
        }
    }

    /// Paths of a route in an otherwise idle network. A path ends where the route changes its direction. Each takes
    /// [`hop_cycles`](crate::planes::NetworkPlane::hop_cycles).
    #[must_use]
    pub const fn paths(&self, from: Coord, to: Coord) -> u32 {
        MessageCycles::paths(from, to, self.path_links())
    }

    /// The same between two tiles.
    #[must_use]
    pub const fn paths_between(&self, from: TileId, to: TileId) -> u32 {
        self.paths(self.coord(from), self.coord(to))
    }

    /// Fewest paths of any route over so many hops.
    #[must_use]
    pub const fn least_paths(&self, hops: u32) -> u32 {
        hops.div_ceil(self.path_links())
    }
}
