// SPDX-License-Identifier: Apache-2.0
//! Multicasts by a list of destinations on ESP's routers, by the closed formula of `docs/timing.md`.
//!
//! Exact where nothing else is on the links: the last request at the producer, then one packet to all destinations.

use super::{Model, Shares};
use crate::ModelError;
use noccl_net::counts::max_or_zero;
use noccl_net::{AxiNetwork, Network, TileId};
use noccl_workload::ListMulticast;

/// When a list multicast ends.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ListEnds {
    source: u64,
    consumers: Vec<u64>,
}

/// Cycles of one list multicast alone, its consumers all ready at the same time; `None` where routers multicast by
/// no list, 0 without consumers.
#[must_use]
pub fn list_multicast_cycles(
    network: &Network,
    source: TileId,
    consumers: &[TileId],
    bytes: u64,
) -> Option<u64> {
    let ready: Vec<(TileId, u64)> = consumers.iter().map(|tile| (*tile, 0)).collect();
    let ends = ends(network.as_axi()?, (source, 0), &ready, bytes)?;
    Some(max_or_zero(ends.consumers))
}

/// Ends of a source and its consumers, each with the cycle from which on it is ready.
fn ends(
    network: AxiNetwork<'_>,
    source: (TileId, u64),
    consumers: &[(TileId, u64)],
    bytes: u64,
) -> Option<ListEnds> {
    let axi = network.axi();
    let (router, endpoint) = (axi.router.esp.as_ref()?, axi.cluster.esp.as_ref()?);
    let per_router = u64::from(1 + router.reserve_cycles);
    let path = |to: TileId| per_router * (u64::from(network.hops(source.0, to)) + 1);
    let mut cpu_free = 0;
    let mut requests: Vec<u64> = Vec::with_capacity(consumers.len());
    for (tile, ready) in consumers {
        let start = cpu_free.max(*ready);
        cpu_free = start + u64::from(endpoint.consumer_start_cycles);
        // The length flit is one behind the head.
        requests.push(start + u64::from(endpoint.setup_cycles) + path(*tile) + 1);
    }
    requests.sort_unstable();
    // At the producer's port a request follows another one after its two flits and its reservation.
    let (mut received, mut noted) = (0, source.1);
    for request in requests {
        received = request.max(received + 1 + per_router);
        noted = noted.max(received + 1) + u64::from(endpoint.request_cycles);
    }
    let sent = noted + u64::from(axi.cluster.l1_latency_cycles);
    let beats = axi.ni.beats(bytes);
    let packets = match router.worm_flits {
        0 => 1,
        flits => beats.div_ceil(u64::from(flits)),
    };
    let data = beats + (packets - 1) * per_router;
    let consumers = consumers
        .iter()
        .map(|(tile, _)| sent + path(*tile) + data + 1);
    Some(ListEnds {
        source: sent + data + 1,
        consumers: consumers.collect(),
    })
}

impl Model<'_> {
    pub(super) fn list_multicast(
        &mut self,
        index: usize,
        list: &ListMulticast,
        ready: &[(TileId, f64)],
    ) -> Result<Shares, ModelError> {
        let from = |tile: TileId| match ready.iter().find(|(at, _)| *at == tile) {
            Some((_, cycle)) => Ok((tile, cycle.ceil() as u64)),
            None => Err(not_a_participant(index, tile)),
        };
        let source = from(self.find(index, list.source)?)?;
        let mut consumers = Vec::new();
        for tile in list.consumers() {
            consumers.push(from(self.find(index, tile)?)?);
        }
        let start = ready
            .iter()
            .map(|(_, at)| *at)
            .fold(f64::INFINITY, f64::min);
        self.counters.dma_load_bytes += list.bytes;
        self.counters.dma_store_bytes += list.bytes;
        self.counters.spm_write_bytes += list.bytes * list.destinations.len() as u64;
        let found = ends(self.network, source, &consumers, list.bytes);
        let Some(found) = found.filter(|_| list.bytes > 0) else {
            return Ok((start, ready.to_vec()));
        };
        let ends = consumers.iter().map(|(tile, _)| *tile).zip(found.consumers);
        let mut ends: Vec<(TileId, f64)> = ends.map(|(tile, end)| (tile, end as f64)).collect();
        ends.push((source.0, found.source as f64));
        ends.sort_unstable_by_key(|(tile, _)| *tile);
        Ok((start, ends))
    }
}

/// Every participant has a cycle from which on it is ready; a start of 0 would end the multicast too early.
fn not_a_participant(action: usize, tile: TileId) -> ModelError {
    ModelError::Schedule {
        action,
        reason: format!(
            "tile {}: no participant of the multicast; accepted: its source and consumers",
            tile.idx()
        ),
    }
}
