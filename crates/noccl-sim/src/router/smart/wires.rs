// SPDX-License-Identifier: Apache-2.0
//! A wire between any two interfaces in place of routers: a bound (S2, Fig. 1 and 8), and nothing that could be built.
//!
//! A flit is there in the next cycle however far it has to go, an interface sends over all its wires at once and takes whatever comes.
//! S2 does not say whether it takes several flits in a cycle; with one, 63 acknowledgements would need longer than over the mesh.
//! Wires are no links of a mesh: what is counted are flits into interfaces, as over the ideal crossbar.

use super::numbers::LOCAL;
use super::plane::SmartPlane;
use noccl_net::TileId;
use std::collections::{BTreeMap, VecDeque};

/// Packets of one source to one destination, and the next flit of the first.
#[derive(Debug, Default)]
struct Wire {
    packets: VecDeque<u32>,
    flit: u16,
}

/// Wires with something to send, by source and destination.
#[derive(Debug, Default)]
pub(super) struct Wires {
    busy: BTreeMap<(u32, u32), Wire>,
    /// Flits into each interface.
    received: BTreeMap<u32, u64>,
}

impl Wires {
    pub(super) fn queue(&mut self, from: u32, to: u32, packet: u32) {
        let wire = self.busy.entry((from, to)).or_default();
        wire.packets.push_back(packet);
    }

    /// Flits by tile and output, which is Local.
    pub(super) fn link_loads(&self) -> Vec<(TileId, usize, u64)> {
        let received = self.received.iter();
        received
            .map(|(tile, flits)| (TileId(*tile), LOCAL, *flits))
            .collect()
    }

    pub(super) fn is_idle(&self) -> bool {
        self.busy.is_empty()
    }
}

impl SmartPlane {
    /// A flit over every wire that has one, unless an interface at its end pauses.
    pub(super) fn cross_wires(
        &mut self,
        takes: &impl Fn(TileId) -> bool,
        offers: &impl Fn(TileId) -> bool,
    ) {
        let Some(mut wires) = self.wires.take() else {
            return;
        };
        wires.busy.retain(|(from, to), wire| {
            if offers(TileId(*from)) && takes(TileId(*to)) {
                self.cross_wire(*to, wire);
                *wires.received.entry(*to).or_insert(0) += 1;
            }
            !wire.packets.is_empty()
        });
        self.wires = Some(wires);
    }

    fn cross_wire(&mut self, to: u32, wire: &mut Wire) {
        let Some(id) = wire.packets.front().copied() else {
            return;
        };
        self.has_moved = true;
        let flit = wire.flit;
        self.due_in(1).delivered.push((id, to, flit));
        self.loads.flit_hops += 1;
        self.loads.payload_hops += u64::from(flit > 0 || self.has_operand(id));
        wire.flit += 1;
        if wire.flit == self.packets[id as usize].flits {
            // The delivery holds the packet from now on, in place of the queue.
            wire.packets.pop_front();
            wire.flit = 0;
        }
    }
}
