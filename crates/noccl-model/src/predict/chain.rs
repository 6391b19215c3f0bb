// SPDX-License-Identifier: Apache-2.0
//! Chains of Torrent endpoints, by the closed formula of `docs/timing.md`.
//!
//! Chains of one initiator share its port for configurations, its port for data, and its endpoint's number of open tasks.
//! Exact where nothing shares the chain's links and followers and where grants follow the path of the data backwards;
//! other chains' followers, bank conflicts and other orders of grants are left out.

use super::{Model, Shares};
use crate::ModelError;
use noccl_net::{ChainCycles, ChainTimes, TileId};
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
        let mut destinations = Vec::with_capacity(followers.len());
        for follower in &followers {
            destinations.push(self.find(index, follower.tile)?);
        }
        let copies = destinations.len() as u64 + u64::from(chain.own_copy().is_some());
        self.counters.dma_load_bytes += chain.bytes;
        self.counters.dma_store_bytes += chain.bytes * destinations.len() as u64;
        self.counters.spm_write_bytes += chain.bytes * copies;
        let end = if chain.bytes == 0 {
            start
        } else {
            self.chain_end(start, initiator, &destinations, chain.bytes)
        };
        Ok((start, vec![(initiator, end)]))
    }

    /// End of a chain that is handed to an initiator's endpoint at this time.
    fn chain_end(&mut self, start: f64, tile: TileId, destinations: &[TileId], bytes: u64) -> f64 {
        let network = self.network;
        let times = if destinations.is_empty() {
            ChainTimes {
                end: ALONE_CYCLES + bytes / CHAIN_BEAT_BYTES,
                ..ChainTimes::default()
            }
        } else {
            ChainCycles::of(&network).times(&network, tile, destinations, bytes)
        };
        let endpoint = network.capabilities().chains;
        let open_tasks = endpoint.map_or(1, |e| e.open_tasks as usize);
        let initiator = self.initiators.entry(tile).or_default();
        initiator.begin(start, &times, open_tasks)
    }
}

/// What the chains that an endpoint has begun leave to the next one.
#[derive(Debug, Default)]
pub(super) struct Initiator {
    /// From when on configurations, and data, of another chain can leave.
    dispatch_free: f64,
    data_free: f64,
    /// Ends of the chains that are running.
    ends: Vec<f64>,
}

impl Initiator {
    /// The next chain: returns its end.
    fn begin(&mut self, ready: f64, times: &ChainTimes, open_tasks: usize) -> f64 {
        let mut begins = ready.max(self.dispatch_free);
        self.ends.sort_by(f64::total_cmp);
        if let Some(before) = self.ends.len().checked_sub(open_tasks) {
            begins = begins.max(self.ends[before]);
        }
        self.dispatch_free = begins + times.dispatched as f64;
        let data = (begins + times.granted as f64).max(self.data_free);
        self.data_free = data + times.flits as f64;
        let end = data + (times.end - times.granted) as f64;
        self.ends.push(end);
        end
    }
}
