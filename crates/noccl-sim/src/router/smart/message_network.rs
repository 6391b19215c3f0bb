// SPDX-License-Identifier: Apache-2.0
//! Routers with bypass as a network of packets.

use super::SmartNetwork;
use super::multicasts::Multicast;
use super::packet::Combining;
use super::plane::SmartPlane;
use crate::packets::{Arrival, MulticastId, PacketNetwork, ReductionId, ReductionTreeId};
use noccl_net::{Coord, Network, TileId, TreeTable};
use noccl_run::RunError;

struct Destinations {
    from: TileId,
    members: u32,
    multicast: Multicast,
}

struct Contributors {
    table: TreeTable,
    members: u32,
}

/// A network of messages.
pub struct MessageNetwork<'n> {
    on: SmartNetwork<'n>,
    pub(super) plane: SmartPlane,
    destinations: Vec<Destinations>,
    contributors: Vec<Contributors>,
    arrivals: Vec<Arrival>,
    delivered_flits: u64,
}

impl<'n> MessageNetwork<'n> {
    /// With nothing in it.
    ///
    /// # Errors
    /// [`RunError::Refused`] for routers of other kinds.
    pub fn new(network: &'n Network) -> Result<Self, RunError> {
        Ok(Self::with_operands(SmartNetwork::new(network)?, 0))
    }

    /// With nothing in it, for operands of so many bytes.
    pub(super) fn with_operands(on: SmartNetwork<'n>, bytes: usize) -> Self {
        Self {
            on,
            plane: SmartPlane::new(on.network, on.smart, bytes),
            destinations: Vec::new(),
            contributors: Vec::new(),
            arrivals: Vec::new(),
            delivered_flits: 0,
        }
    }

    fn places(&self, tiles: &[TileId]) -> Vec<Coord> {
        self.on.places(tiles)
    }

    /// Opens a reduction of operands, or of none.
    pub(super) fn open_combining(
        &mut self,
        tree: ReductionTreeId,
        combining: Combining,
        tag: u64,
    ) -> ReductionId {
        let Contributors { table, members } = &self.contributors[tree.0 as usize];
        ReductionId((self.plane).add_reduction(table, *members, combining, tag))
    }

    /// One cycle. `takes` says whether an interface takes a flit, `offers` whether it injects one. True if anything has moved.
    pub fn step_with(
        &mut self,
        takes: impl Fn(TileId) -> bool,
        offers: impl Fn(TileId) -> bool,
    ) -> bool {
        let has_moved = self.plane.step(takes, offers);
        self.delivered_flits += self.plane.deliveries.len() as u64;
        for delivery in &self.plane.deliveries {
            if delivery.completes {
                self.arrivals.push(Arrival {
                    tile: delivery.tile,
                    tag: delivery.tag,
                    reduction: delivery.reduction.map(ReductionId),
                });
            }
        }
        self.plane.settle();
        has_moved
    }
}

impl PacketNetwork for MessageNetwork<'_> {
    /// A channel holds a whole packet.
    fn longest_packet(&self) -> Option<(u32, &'static str)> {
        Some(self.on.network.longest_packet_beats())
    }

    fn add_multicast(&mut self, from: TileId, members: &[TileId]) -> MulticastId {
        let multicast = self.on.multicast(&mut self.plane, from, members);
        self.plane.keep_multicast(&multicast);
        self.destinations.push(Destinations {
            from,
            members: members.len() as u32,
            multicast,
        });
        MulticastId(self.destinations.len() as u32 - 1)
    }

    fn add_reduction_tree(&mut self, root: TileId, members: &[TileId]) -> ReductionTreeId {
        let network = self.on.network;
        self.contributors.push(Contributors {
            table: network.shared_reduction(network.coord(root), &self.places(members)),
            members: members.len() as u32,
        });
        ReductionTreeId(self.contributors.len() as u32 - 1)
    }

    fn send(&mut self, from: TileId, to: TileId, flits: u16, tag: u64) {
        self.plane.send_unicast(from, to, flits, tag);
    }

    fn send_multicast(&mut self, to: MulticastId, flits: u16, tag: u64) -> u32 {
        let Destinations {
            from,
            members,
            multicast,
        } = &self.destinations[to.0 as usize];
        self.plane.send_to_all(*from, multicast, flits, tag);
        *members
    }

    fn open_reduction(&mut self, tree: ReductionTreeId, tag: u64) -> ReductionId {
        self.open_combining(tree, Combining::Count, tag)
    }

    fn has_entry(&self, reduction: ReductionId) -> bool {
        self.plane.is_counting(reduction.0)
    }

    fn contribute(&mut self, from: TileId, reduction: ReductionId, _: u16) {
        self.plane.send_contribution(from, reduction.0, &[]);
    }

    fn close(&mut self, reduction: ReductionId) -> u32 {
        let (messages, _) = self.plane.result(reduction.0);
        self.plane.close(reduction.0);
        messages
    }

    fn step(&mut self) -> bool {
        self.step_with(|_| true, |_| true)
    }

    fn arrivals(&mut self) -> &mut Vec<Arrival> {
        &mut self.arrivals
    }

    fn is_idle(&self) -> bool {
        self.plane.is_idle() && self.arrivals.is_empty()
    }

    fn cycle(&self) -> u64 {
        self.plane.cycle
    }

    fn skip_to(&mut self, cycle: u64) {
        self.plane.skip_to(cycle);
    }

    fn open_entries(&self) -> usize {
        self.plane.open_entries()
    }

    fn flit_hops(&self) -> u64 {
        self.plane.flit_hops()
    }

    fn buffered_flits(&self) -> u64 {
        self.plane.loads.buffered_flits
    }

    fn delivered_flits(&self) -> u64 {
        self.delivered_flits
    }
}
