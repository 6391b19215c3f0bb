// SPDX-License-Identifier: Apache-2.0
//! Chains of Torrent endpoints, by the closed formula of `docs/timing.md`.
//!
//! Exact where nothing shares the chain's links and followers and where grants go the way of the data backwards;
//! other chains' followers, bank conflicts and other orders of grants are left out.

use super::{Model, Shares};
use crate::ModelError;
use noccl_net::TileId;
use noccl_workload::{CHAIN_BEAT_BYTES, Chain};

/// Cycles of the endpoints per stop: configuration, grant, data, finish (S3; measured on its hardware).
const STOP_CYCLES: u64 = 13 + 6 + 5 + 7;
/// Cycles after the last finish.
const END_CYCLES: u64 = 2;
/// Cycles of a chain without followers besides its beats.
const ALONE_CYCLES: u64 = 3;
/// Beats of a burst, each of which begins with a flit for its AW.
const BURST_BEATS: u64 = 64;
/// Trips over every leg: grant, data, finish.
const TRIPS: u64 = 3;

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
            self.chain_cycles(initiator, &stops, chain.bytes / CHAIN_BEAT_BYTES)
        };
        Ok((start, vec![(initiator, start + cycles as f64)]))
    }

    fn chain_cycles(&self, initiator: TileId, stops: &[TileId], beats: u64) -> u64 {
        let endpoint = self.network.spec().cluster.torrent.as_ref();
        let path = endpoint.map_or(0, |e| u64::from(e.endpoint_path_cycles));
        let one_way = |from, to| path + 2 * (u64::from(self.network.hops(from, to)) + 1);
        let Some(tail) = stops.last() else {
            return ALONE_CYCLES + beats;
        };
        let from = std::iter::once(&initiator).chain(stops);
        let trips: u64 = from.zip(stops).map(|(a, b)| TRIPS * one_way(*a, *b)).sum();
        let data = beats + beats.div_ceil(BURST_BEATS) - 1;
        STOP_CYCLES * stops.len() as u64 + trips + one_way(initiator, *tail) + data + END_CYCLES
    }
}
