// SPDX-License-Identifier: Apache-2.0
//! Random stalls of interfaces, drawn from cycle and tile.

use crate::kernel::random::is_drawn;
use noccl_net::TileId;
use noccl_run::RunConfig;

/// How often an interface takes no flit, and sends none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stalls {
    seed: u64,
    target_per_256: u32,
    initiator_per_256: u32,
}

impl Stalls {
    pub(crate) fn new(config: &RunConfig) -> Self {
        Self {
            seed: config.stall_seed,
            // 0: without stalls.
            target_per_256: config.stalls.map_or(0, |s| s.target_stall_per_256),
            // 0: without stalls.
            initiator_per_256: config.stalls.map_or(0, |s| s.initiator_stall_per_256),
        }
    }

    #[inline]
    pub(crate) fn takes(self, cycle: u64, tile: TileId) -> bool {
        !self.stalls(cycle, tile, self.target_per_256, 0)
    }

    #[inline]
    pub(crate) fn offers(self, cycle: u64, tile: TileId) -> bool {
        !self.stalls(cycle, tile, self.initiator_per_256, 1)
    }

    #[inline]
    fn stalls(self, cycle: u64, tile: TileId, per_256: u32, salt: u64) -> bool {
        let key = (cycle << 24 | u64::from(tile.0)) << 1 | salt;
        is_drawn(self.seed, key, per_256)
    }
}
