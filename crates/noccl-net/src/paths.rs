// SPDX-License-Identifier: Apache-2.0
//! Paths that a flit crosses in a cycle: one link, or several in a line where routers are passed in flight.

use crate::{Coord, Network};

impl Network {
    /// Most links of one path: `router.bypass.hpc_max`, and 1 without bypass.
    #[must_use]
    pub const fn path_links(&self) -> u32 {
        match &self.spec.router.bypass {
            Some(bypass) => bypass.hpc_max,
            None => 1,
        }
    }

    /// Paths of a route in an otherwise idle network. A path ends where the route changes its direction. Each takes
    /// [`hop_cycles`](crate::planes::NetworkPlane::hop_cycles).
    #[must_use]
    pub fn paths(&self, from: Coord, to: Coord) -> u32 {
        let of_line = |a: u16, b: u16| u32::from(a.abs_diff(b)).div_ceil(self.path_links());
        of_line(from.x, to.x) + of_line(from.y, to.y)
    }

    /// Fewest paths of any route over so many hops.
    #[must_use]
    pub const fn least_paths(&self, hops: u32) -> u32 {
        hops.div_ceil(self.path_links())
    }
}
