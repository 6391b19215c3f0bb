// SPDX-License-Identifier: Apache-2.0
//! Cycles of a chain of Torrent endpoints by closed form: `docs/timing.md`, chains.
//!
//! Exact where nothing shares the chain's links and destinations and, if acknowledgements are chained, where grants take the
//! path of the data backwards.

use crate::counts::max_or_zero;
use crate::{Network, TileId};
use noccl_spec::{EndpointCycles, Plane, TorrentAcknowledgement, TorrentDispatch};

/// Constants of the closed form, and which of its variants holds.
///
/// A message to a tile h hops away takes the endpoints' path, a cycle for each of the 2 (h + 1) FIFOs on its path and those of its links
/// beyond the first, besides the cycles of the endpoint that sends it. Over an ideal crossbar it takes a cycle in place of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainCycles {
    /// From one configuration to the next.
    pub cfg_cycles: u64,
    /// From a configuration or grant to the grant or response that follows from it.
    pub grant_cycles: u64,
    /// Of the data through an endpoint.
    pub data_cycles: u64,
    /// From the last byte in memory, or from a finish, to the next finish.
    pub finish_cycles: u64,
    /// At the end of a chain, whatever its length.
    pub end_cycles: u64,
    /// Of a message outside of routers, in one direction.
    pub path_cycles: u64,
    /// Of a message in a router with the first cycle of the link behind it.
    pub router_cycles: u64,
    /// Of data from a router to the next.
    pub data_hop_cycles: u32,
    /// Of all other messages.
    pub message_hop_cycles: u32,
    /// Beats of a burst; each after the first takes a flit more for its address.
    pub burst_beats: u64,
    /// Do addresses take flits of their own?
    pub has_address_flits: bool,
    /// Order in which configurations leave.
    pub dispatch: TorrentDispatch,
    /// Which path grants and finishes take.
    pub acknowledgement: TorrentAcknowledgement,
}

/// Cycles of a chain from the commit of its task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChainTimes {
    /// Its last configuration has left: the next task's can.
    pub dispatched: u64,
    /// All destinations are ready: data leave.
    pub granted: u64,
    /// For which the data need the initiator's port.
    pub flits: u64,
    /// Its end.
    pub end: u64,
}

impl ChainCycles {
    /// Bytes of a beat.
    pub const BEAT_BYTES: u64 = 64;

    /// 82 cycles per destination between neighbours: 13, 6, 5 and 7 at the endpoint, three messages of 13 cycles
    /// outside of routers and 4 in them. S3 §IV-D.
    pub const PUBLISHED: Self = Self {
        cfg_cycles: 13,
        grant_cycles: 6,
        data_cycles: 5,
        finish_cycles: 7,
        end_cycles: 2,
        path_cycles: 13,
        router_cycles: 2,
        data_hop_cycles: 2,
        message_hop_cycles: 2,
        burst_beats: 64,
        has_address_flits: true,
        dispatch: TorrentDispatch::ChainOrder,
        acknowledgement: TorrentAcknowledgement::Chained,
    };

    /// Our hardware's endpoint (`noccl_torrent`) between the same connections.
    pub const LEAN: Self = Self {
        cfg_cycles: 8,
        grant_cycles: 3,
        data_cycles: 2,
        finish_cycles: 2,
        end_cycles: 5,
        ..Self::PUBLISHED
    };

    /// Words of a configuration.
    const CFG_WORDS: u64 = 8;

    /// The published constants, with what the network's own endpoints say where it has them.
    #[must_use]
    pub fn of(network: &Network) -> Self {
        let Some(network) = network.as_axi() else {
            return Self::PUBLISHED;
        };
        let Some(endpoint) = &network.axi().cluster.torrent else {
            return Self::PUBLISHED;
        };
        let own = match endpoint.endpoint_cycles {
            EndpointCycles::Published => Self::PUBLISHED,
            EndpointCycles::Lean => Self::LEAN,
        };
        Self {
            path_cycles: endpoint.endpoint_path_cycles.into(),
            router_cycles: network.router_cycles().into(),
            data_hop_cycles: network.plane(Plane::Wide).hop_cycles,
            message_hop_cycles: network.plane(Plane::Req).hop_cycles,
            has_address_flits: network.routers().address_flits > 0,
            dispatch: endpoint.dispatch,
            acknowledgement: endpoint.acknowledgement,
            ..own
        }
    }

    /// Cycles of a hop of a segment, by the messages that cross every segment: data, or grant and finish too.
    #[must_use]
    pub const fn per_hop(&self) -> u32 {
        match self.acknowledgement {
            TorrentAcknowledgement::Chained => self.data_hop_cycles + 2 * self.message_hop_cycles,
            TorrentAcknowledgement::Parallel => self.data_hop_cycles,
        }
    }

    /// Cycles of a hop between initiator and last destination: its configuration and response if they are the last ones, its
    /// finish if that comes straight.
    #[must_use]
    pub const fn per_tail_hop(&self) -> u32 {
        match (self.acknowledgement, self.dispatch) {
            (TorrentAcknowledgement::Parallel, TorrentDispatch::ChainOrder) => {
                3 * self.message_hop_cycles
            }
            (TorrentAcknowledgement::Parallel, TorrentDispatch::TailFirst)
            | (TorrentAcknowledgement::Chained, _) => self.message_hop_cycles,
        }
    }

    /// Cycles from the commit of the task to its end, for a chain over these destinations; 0 without destinations.
    #[must_use]
    pub fn cycles(
        &self,
        network: &Network,
        source: TileId,
        destinations: &[TileId],
        bytes: u64,
    ) -> u64 {
        self.times(network, source, destinations, bytes).end
    }

    /// [`ChainCycles::cycles`] with what lies between.
    #[must_use]
    pub fn times(
        &self,
        network: &Network,
        source: TileId,
        destinations: &[TileId],
        bytes: u64,
    ) -> ChainTimes {
        let Some(tail) = destinations.last() else {
            return ChainTimes::default();
        };
        let message = self.message_hop_cycles;
        let travel = |a: TileId, b: TileId| self.travel_cycles(network, a, b, message);
        let beats = bytes.div_ceil(Self::BEAT_BYTES);
        let addresses = beats.div_ceil(self.burst_beats).saturating_sub(1);
        let from = std::iter::once(&source).chain(destinations);
        let segments: Vec<u64> = from
            .zip(destinations)
            .map(|(a, b)| travel(*a, *b))
            .collect();
        let from = std::iter::once(&source).chain(destinations);
        let data = from.zip(destinations).map(|(a, b)| {
            self.data_cycles + self.travel_cycles(network, *a, *b, self.data_hop_cycles)
        });
        let data: u64 = data.sum();
        let finish: u64 = match self.acknowledgement {
            TorrentAcknowledgement::Chained => {
                segments.iter().map(|l| self.finish_cycles + l).sum()
            }
            TorrentAcknowledgement::Parallel => self.finish_cycles + travel(*tail, source),
        };
        let granted = self.granted(network, source, destinations, &segments);
        let flits = beats + u64::from(self.has_address_flits) * addresses;
        ChainTimes {
            dispatched: self.cfg_cycles * destinations.len() as u64,
            granted,
            flits,
            end: granted + data + finish + flits + self.end_cycles,
        }
    }

    /// Cycle in which the initiator knows that all destinations are ready.
    fn granted(
        &self,
        network: &Network,
        source: TileId,
        destinations: &[TileId],
        segments: &[u64],
    ) -> u64 {
        let message = self.message_hop_cycles;
        let travel = |a: TileId, b: TileId| self.travel_cycles(network, a, b, message);
        let configured = |at: usize| {
            let before = match self.dispatch {
                TorrentDispatch::ChainOrder => at,
                TorrentDispatch::TailFirst => destinations.len() - 1 - at,
            };
            // A link takes a configuration's words one by one.
            let words = Self::CFG_WORDS + u64::from(self.has_address_flits);
            let apart = self.cfg_cycles.max(words);
            self.cfg_cycles + apart * before as u64 + travel(source, destinations[at])
        };
        let places = 0..destinations.len();
        match self.acknowledgement {
            // From the tail on: a destination passes the grant on when it has both.
            TorrentAcknowledgement::Chained => places.rev().fold(0, |granted, at| {
                granted.max(configured(at)) + self.grant_cycles + segments[at]
            }),
            TorrentAcknowledgement::Parallel => {
                let responded =
                    |at| configured(at) + self.grant_cycles + travel(destinations[at], source);
                max_or_zero(places.map(responded))
            }
        }
    }

    /// Cycles of a message from endpoint to endpoint: a router more than hops, and its cycles are those of a hop over a link of one cycle.
    fn travel_cycles(&self, network: &Network, from: TileId, to: TileId, hop_cycles: u32) -> u64 {
        let links = u64::from(network.hops(from, to)) * u64::from(hop_cycles);
        self.path_cycles + links + self.router_cycles
    }
}
