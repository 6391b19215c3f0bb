// SPDX-License-Identifier: Apache-2.0
//! Chains of Torrent endpoints, by the closed formula of `docs/timing.md`.
//!
//! Exact where nothing shares the chain's links and followers and where grants go the way of the data backwards;
//! other chains' followers, bank conflicts and other orders of grants are left out.

use super::{Model, Shares};
use crate::ModelError;
use noccl_net::{ChainCycles, TileId};
use noccl_workload::{CHAIN_BEAT_BYTES, Chain};

/// Cycles of a chain without followers besides its beats.
const ALONE_CYCLES: u64 = 3;

impl Model<'_> {
    pub(super) fn chain(
        &mut self,
        index: usize,
        chain: &Chain,
        ready: &[(TileId, f64)],
    ) -> Result<Shares, ModelError> {
        let initiator = self.find(index, chain.initiator)?;
        let own = ready.iter().find(|(tile, _)| *tile == initiator);
        let start = self.issue(own.copied().unwrap_or((initiator, 0.0)), false);
        let followers = chain.followers();
        let mut stops = Vec::with_capacity(followers.len());
        for stop in &followers {
            stops.push(self.find(index, stop.tile)?);
        }
        let copies = stops.len() as u64 + u64::from(chain.own_copy().is_some());
        self.counters.dma_load_bytes += chain.bytes;
        self.counters.dma_store_bytes += chain.bytes * stops.len() as u64;
        self.counters.spm_write_bytes += chain.bytes * copies;
        let cycles = if chain.bytes == 0 {
            0
        } else {
            self.chain_cycles(initiator, &stops, chain.bytes)
        };
        Ok((start, vec![(initiator, start + cycles as f64)]))
    }

    fn chain_cycles(&self, initiator: TileId, stops: &[TileId], bytes: u64) -> u64 {
        if stops.is_empty() {
            return ALONE_CYCLES + bytes / CHAIN_BEAT_BYTES;
        }
        ChainCycles::of(self.network).cycles(self.network, initiator, stops, bytes)
    }
}
