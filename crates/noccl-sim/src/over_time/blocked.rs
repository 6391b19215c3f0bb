// SPDX-License-Identifier: Apache-2.0
//! Cycles in which ports are blocked, counted within a window.

use crate::router::collective::control::block::{LANES, PORTS};
use noccl_net::{Port, TileId};
use noccl_run::{BLOCKING_CAUSES, BlockedPort};
use noccl_spec::PlaneName;

const CAUSES: usize = BLOCKING_CAUSES.len();
/// Inputs of a router, and its merge point.
const PLACES: usize = PORTS + 1;
pub(super) const MERGE_POINT: usize = PORTS;
const COUNTS: usize = PLACES * CAUSES * LANES;

/// Counts of 64 routers of a plane exist once one of their ports is blocked.
#[derive(Debug)]
pub(super) struct BlockedCycles {
    blocks: Vec<Option<Box<[u32; COUNTS]>>>,
    blocks_per_plane: usize,
    /// Counts above 0.
    touched: Vec<u32>,
}

impl BlockedCycles {
    pub(super) fn new(num_tiles: usize, num_planes: usize) -> Self {
        let blocks_per_plane = num_tiles.div_ceil(LANES);
        Self {
            blocks: vec![None; num_planes * blocks_per_plane],
            blocks_per_plane,
            touched: Vec::new(),
        }
    }

    /// Ports of a block are blocked in this cycle; `cause`: index into [`BLOCKING_CAUSES`].
    #[inline]
    pub(super) fn add(
        &mut self,
        (plane, w): (usize, usize),
        place: usize,
        cause: usize,
        lanes: u64,
    ) {
        let block = plane * self.blocks_per_plane + w;
        let first = (place * CAUSES + cause) * LANES;
        let counts = self.blocks[block].get_or_insert_with(|| Box::new([0; COUNTS]));
        let counts = &mut counts[first..first + LANES];
        let mut rest = lanes;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize % LANES;
            rest &= rest - 1;
            if counts[lane] == 0 {
                self.touched.push((block * COUNTS + first + lane) as u32);
            }
            counts[lane] += 1;
        }
    }

    /// The counts of the window that is over: number of the port and cause, cycles; ascending.
    pub(super) fn take(&mut self) -> Vec<(u32, u32)> {
        let Self {
            blocks, touched, ..
        } = self;
        touched.sort_unstable();
        let taken = touched.drain(..).filter_map(|key| {
            let counts = blocks[key as usize / COUNTS].as_mut()?;
            let cycles = std::mem::take(&mut counts[key as usize % COUNTS]);
            Some((key, cycles))
        });
        taken.collect()
    }

    /// The port and cause with this number.
    pub(super) fn port(&self, key: u32, cycles: u64) -> BlockedPort {
        let (block, count) = (key as usize / COUNTS, key as usize % COUNTS);
        let (plane, w) = (block / self.blocks_per_plane, block % self.blocks_per_plane);
        let (place, lane) = (count / LANES / CAUSES, count % LANES);
        BlockedPort {
            plane: PlaneName::ALL[plane],
            tile: TileId((w * LANES + lane) as u32),
            port: Port::ALL.get(place).copied(),
            cause: BLOCKING_CAUSES[count / LANES % CAUSES],
            cycles,
        }
    }
}
