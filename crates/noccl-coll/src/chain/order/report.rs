// SPDX-License-Identifier: Apache-2.0
//! What an order costs: hops, links crossed twice, cycles by the closed form.

use super::links::{segments, shared_links};
use noccl_net::{ChainCycles, Network, TileId};

/// What an order costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainReport {
    /// Hops of all segments together.
    pub hops: u32,
    /// Hops between the source and the last destination.
    pub tail_hops: u32,
    /// Links that more than one segment crosses.
    pub num_shared_links: u32,
    /// Cycles by the closed form, all links free.
    pub cycles: u64,
}

/// Hops, shared links and cycles of a chain that visits `destinations` in this order with that many bytes.
#[must_use]
pub fn chain_report(
    network: &Network,
    source: TileId,
    destinations: &[TileId],
    constants: &ChainCycles,
    bytes: u64,
) -> ChainReport {
    let hops = segments(source, destinations).map(|(from, to)| network.hops(from, to));
    let hops = hops.sum();
    let tail_hops = destinations
        .last()
        // 0: a chain without destinations has no tail.
        .map_or(0, |tail| network.hops(source, *tail));
    ChainReport {
        hops,
        tail_hops,
        num_shared_links: shared_links(network, source, destinations).len() as u32,
        cycles: constants.cycles(network, source, destinations, bytes),
    }
}
