// SPDX-License-Identifier: Apache-2.0
//! What an order costs: hops, links crossed twice, cycles by the closed form.

use super::links::{legs, shared_links};
use noccl_net::{Network, TileId};

/// Constants of the closed form of a chain's latency.
///
/// A message to a tile h hops away takes the endpoints' path and 2 (h + 1) cycles in routers. Per leg three of them
/// follow each other (grant and finish backwards, data forwards), besides the endpoint's own cycles; the configuration
/// of the last stop, behind those of all others, goes straight to it.
///
/// Exact for an empty network where grants go the way of the data backwards: `docs/timing.md`, chains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainCycles {
    /// Cycles of an endpoint per destination: configuration, grant, data, finish.
    pub endpoint_cycles: u32,
    /// Cycles at the end of a chain, whatever its length.
    pub end_cycles: u32,
    /// Cycles of a message outside of routers, one way.
    pub path_cycles: u32,
    /// Bytes of a beat.
    pub beat_bytes: u64,
    /// Beats of a burst; each after the first takes a flit more for its address.
    pub burst_beats: u64,
}

impl ChainCycles {
    /// Cycles of a hop of a leg: two in the router, by three messages.
    pub const PER_HOP: u32 = 6;
    /// Cycles of a hop between source and last destination: the configuration's way.
    pub const PER_TAIL_HOP: u32 = 2;

    /// 82 cycles per destination between neighbours: 13, 6, 5 and 7 at the endpoint, three messages of 13 cycles
    /// outside of routers and 4 in them. S3 §IV-D.
    pub const PUBLISHED: Self = Self {
        endpoint_cycles: 31,
        end_cycles: 2,
        path_cycles: 13,
        beat_bytes: 64,
        burst_beats: 64,
    };

    /// The published constants, with the path of the network's own endpoints where it has them.
    #[must_use]
    pub fn of(network: &Network) -> Self {
        let torrent = network.spec().cluster.torrent.as_ref();
        Self {
            path_cycles: torrent.map_or(Self::PUBLISHED.path_cycles, |t| t.endpoint_path_cycles),
            ..Self::PUBLISHED
        }
    }

    /// Cycles from the start of the task to the last finish, for a chain of this many destinations and hops; 0 without
    /// destinations.
    #[must_use]
    pub fn cycles(&self, num_destinations: u32, hops: u32, tail_hops: u32, bytes: u64) -> u64 {
        if num_destinations == 0 {
            return 0;
        }
        // A message without its hops: the path and the routers at both ends.
        let message = self.path_cycles + 2;
        let control = num_destinations * (self.endpoint_cycles + 3 * message)
            + hops * Self::PER_HOP
            + message
            + tail_hops * Self::PER_TAIL_HOP
            + self.end_cycles;
        let beats = bytes.div_ceil(self.beat_bytes);
        let addresses = beats.div_ceil(self.burst_beats).saturating_sub(1);
        u64::from(control) + beats + addresses
    }
}

/// What an order costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainReport {
    /// Hops of all legs together.
    pub hops: u32,
    /// Hops between the source and the last destination.
    pub tail_hops: u32,
    /// Links that more than one leg crosses.
    pub num_shared_links: u32,
    /// Cycles by the closed form, all links free.
    pub cycles: u64,
}

/// Hops, shared links and cycles of a chain that visits `stops` in this order with that many bytes.
#[must_use]
pub fn chain_report(
    network: &Network,
    source: TileId,
    stops: &[TileId],
    constants: &ChainCycles,
    bytes: u64,
) -> ChainReport {
    let hops = legs(source, stops).map(|(from, to)| network.hops(from, to));
    let hops = hops.sum();
    let tail_hops = stops.last().map_or(0, |tail| network.hops(source, *tail));
    ChainReport {
        hops,
        tail_hops,
        num_shared_links: shared_links(network, source, stops).len() as u32,
        cycles: constants.cycles(stops.len() as u32, hops, tail_hops, bytes),
    }
}
