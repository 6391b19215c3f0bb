// SPDX-License-Identifier: Apache-2.0
//! Networks that carry packets between tiles, for machines that are no schedule: unicasts, multicasts to sets that are made known once,
//! reductions that are counted only, and what arrives in each cycle.
//!
//! Routers with bypass fork multicasts and may count contributions; between cores both are unicasts.

use crate::router::{RouterEngine, engine_of, smart::MessageNetwork, udn::UdnMessages};
use noccl_net::{Network, TileId};
use noccl_run::RunError;

/// A set of destinations of one source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MulticastId(pub(crate) u32);

/// Contributors to one root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReductionTreeId(pub(crate) u32);

/// A reduction that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReductionId(pub(crate) u32);

/// A whole packet has come to an interface, or all contributions of a reduction to its root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// Where.
    pub tile: TileId,
    /// The tag that it was sent or opened with.
    pub tag: u64,
    /// The reduction that is complete, if it is one.
    pub reduction: Option<ReductionId>,
}

/// A network that carries packets.
pub trait PacketNetwork {
    /// Most flits of a packet, and the field of the spec that says so; none where packets of any length pass.
    fn longest_packet(&self) -> Option<(u32, &'static str)> {
        None
    }

    /// Makes a set of destinations known, the source not among them.
    fn add_multicast(&mut self, from: TileId, members: &[TileId]) -> MulticastId;

    /// Makes contributors to a root known, the root not among them.
    fn add_reduction_tree(&mut self, root: TileId, members: &[TileId]) -> ReductionTreeId;

    /// Queues a packet at its source, for another tile.
    fn send(&mut self, from: TileId, to: TileId, flits: u16, tag: u64);

    /// Queues a packet to all of a set, and says how many those are.
    fn send_multicast(&mut self, to: MulticastId, flits: u16, tag: u64) -> u32;

    /// Opens a reduction. Where routers count, it gets an entry of their tables if one is free.
    fn open_reduction(&mut self, tree: ReductionTreeId, tag: u64) -> ReductionId;

    /// Has a reduction an entry in the routers' tables? Without one the root gets all its contributions.
    fn has_entry(&self, reduction: ReductionId) -> bool;

    /// Queues a contribution at its source. Routers that combine contributions have a flit for each, others a packet of so many.
    fn contribute(&mut self, from: TileId, reduction: ReductionId, flits: u16);

    /// Forgets a reduction that is complete. Returns how many messages its root has got.
    fn close(&mut self, reduction: ReductionId) -> u32;

    /// One cycle. True if anything has moved.
    fn step(&mut self) -> bool;

    /// What has arrived and has not been taken.
    fn arrivals(&mut self) -> &mut Vec<Arrival>;

    /// What has arrived since this was called last.
    fn take_arrivals(&mut self) -> Vec<Arrival> {
        std::mem::take(self.arrivals())
    }

    /// Gives what has been taken back, so that its memory is used again.
    fn return_arrivals(&mut self, mut arrivals: Vec<Arrival>) {
        arrivals.clear();
        arrivals.append(self.arrivals());
        *self.arrivals() = arrivals;
    }

    /// Is nothing in flight?
    fn is_idle(&self) -> bool;

    /// The cycle that comes next.
    fn cycle(&self) -> u64;

    /// Goes to a later cycle while nothing is in flight.
    fn skip_to(&mut self, cycle: u64);

    /// Entries of the routers' tables that are in use.
    fn open_entries(&self) -> usize;

    /// Flits that have crossed a link so far.
    fn flit_hops(&self) -> u64;

    /// Flits that have been buffered in a router, those that interfaces have sent among them.
    fn buffered_flits(&self) -> u64;

    /// Flits that interfaces have got.
    fn delivered_flits(&self) -> u64;
}

/// The network with no packet in it.
///
/// # Errors
/// [`RunError::Refused`] for routers that carry transactions or lists.
pub fn packet_network<'n>(network: &'n Network) -> Result<Box<dyn PacketNetwork + 'n>, RunError> {
    match engine_of(network) {
        RouterEngine::Smart => Ok(Box::new(MessageNetwork::new(network)?)),
        RouterEngine::Cores => Ok(Box::new(UdnMessages::new(network)?)),
        RouterEngine::Machine(..) | RouterEngine::Esp(_) => Err(RunError::Refused {
            backend: "sim",
            what: format!("packets on {}", network.spec().label()),
            reason: format!(
                "routers of flow {} carry no packets from tile to tile; accepted: router.flow = \"smart\", e.g. smart_8x8, or core tiles, \
                 e.g. tilepro64_8x8",
                network.spec().flow_name()
            ),
        }),
    }
}
