// SPDX-License-Identifier: Apache-2.0
//! Which links the segments of a chain cross, and how often.

use noccl_net::{Coord, Network, Port, TileId};

/// Uses of every link of a plane.
#[derive(Debug, Clone)]
pub(super) struct LinkUses {
    /// By `tile * 4 + port`.
    uses: Vec<u32>,
}

/// Links that a packet crosses, as indices of [`LinkUses`].
fn route(network: &Network, from: TileId, to: TileId) -> impl Iterator<Item = usize> + '_ {
    let path = network.path(network.coord(from), network.coord(to));
    let links = path.filter(|(_, port)| *port != Port::Local);
    links.map(|(at, port): (Coord, Port)| network.tile_at(at).idx() * 4 + port.idx())
}

impl LinkUses {
    pub(super) fn new(network: &Network) -> Self {
        Self {
            uses: vec![0; network.num_tiles() * 4],
        }
    }

    /// Adds a segment; how many of its links were used already.
    pub(super) fn add(&mut self, network: &Network, from: TileId, to: TileId) -> u32 {
        let mut shared = 0;
        for link in route(network, from, to) {
            shared += u32::from(self.uses[link] > 0);
            self.uses[link] += 1;
        }
        shared
    }

    /// Takes back a segment that was added.
    pub(super) fn remove(&mut self, network: &Network, from: TileId, to: TileId) {
        for link in route(network, from, to) {
            self.uses[link] -= 1;
        }
    }

    /// Does a segment cross a link that is used?
    pub(super) fn has_shared(&self, network: &Network, from: TileId, to: TileId) -> bool {
        route(network, from, to).any(|link| self.uses[link] > 0)
    }
}

/// The segments of a chain: (from, to).
pub(super) fn segments(
    source: TileId,
    destinations: &[TileId],
) -> impl Iterator<Item = (TileId, TileId)> + '_ {
    let starts = std::iter::once(source).chain(destinations.iter().copied());
    starts.zip(destinations.iter().copied())
}

/// Links, as (tile, output port), that more than one segment of a chain crosses; ascending.
#[must_use]
pub fn shared_links(
    network: &Network,
    source: TileId,
    destinations: &[TileId],
) -> Vec<(TileId, Port)> {
    let mut uses = LinkUses::new(network);
    for (from, to) in segments(source, destinations) {
        uses.add(network, from, to);
    }
    let shared = uses.uses.iter().enumerate().filter(|(_, n)| **n > 1);
    shared
        .map(|(link, _)| (TileId((link / 4) as u32), Port::ALL[link % 4]))
        .collect()
}

/// Hops of a multicast tree: links in the union of the paths from the source to every destination.
#[must_use]
pub fn multicast_hops(network: &Network, source: TileId, destinations: &[TileId]) -> u32 {
    let mut uses = LinkUses::new(network);
    let all = destinations.iter();
    all.map(|to| network.hops(source, *to) - uses.add(network, source, *to))
        .sum()
}

/// Hops of one packet per destination.
#[must_use]
pub fn unicast_hops(network: &Network, source: TileId, destinations: &[TileId]) -> u32 {
    let all = destinations.iter();
    all.map(|to| network.hops(source, *to)).sum()
}
