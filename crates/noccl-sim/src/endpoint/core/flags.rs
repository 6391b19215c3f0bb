// SPDX-License-Identifier: Apache-2.0
//! Deliveries and arrivals: what a tile notices without taking part in a response.
//!
//! A delivery's data carries its own flag: the destination's cores poll the last word that is written, so a
//! destination's share is over when its last burst is in memory. An arrival is a posted `LsbAnd` store:
//! a member's share is over when the store has left the core; the root polls the word that it sets.

use crate::endpoint::core::Agents;
use crate::endpoint::core::event::CoreEvent;
use crate::machine::Machine;
use crate::tile_index::tile_index;
use crate::transport::burst::Bursts;
use crate::transport::transaction::Owner;
use noccl_net::TileId;
use noccl_workload::{ActionKind, Arrival, Completion, Destination, Transfer};

impl Agents<'_> {
    /// A delivery starts: how many bursts every destination waits for.
    pub(crate) fn expect_delivery(&mut self, id: u32, transfer: &Transfer, machine: &Machine<'_>) {
        let share = &self.instances.all[id];
        let (action, initiator) = (share.action, share.tile.0);
        let start_cycle = share.data.start_cycle;
        let offset = match transfer.destination {
            Destination::One(place) => place.offset,
            Destination::Multicast { offset, .. } => offset,
        };
        let lines = (0..u64::from(transfer.rows)).map(|row| {
            let start = offset + row * transfer.destination_stride;
            Bursts::new(start, transfer.bytes, machine.network.axi()).count() as u32
        });
        let bursts: u32 = lines.sum();
        let is_copy_of_own = self.is_destination(transfer, initiator);
        for share in self.instances.of(action) {
            if share != id || is_copy_of_own {
                self.open_bursts.insert(share, bursts);
            }
            self.instances.all[share].data.start_cycle = start_cycle;
        }
    }

    /// Is a write over for its initiator when the responses are there? A destination of its own delivery
    /// knows from its own copy, and its action may be over by then.
    pub(crate) fn waits_for_responses(&self, id: u32) -> bool {
        let Some(share) = self.instances.all.get(id) else {
            return false;
        };
        let (tile, kind) = (share.tile.0, self.kind(id));
        delivery(&kind).is_none_or(|transfer| !self.is_destination(transfer, tile))
    }

    /// For diagnosis: the initiator's share of a delivery that this share only notices.
    pub(crate) fn delivered_by(&self, id: u32) -> Option<u32> {
        let share = &self.instances.all[id];
        let kind = self.kind(id);
        let initiator = self.network.find(delivery(&kind)?.initiator)?;
        let of_initiator = self.instances.at(share.action, initiator)?;
        (of_initiator != id).then_some(of_initiator)
    }

    fn is_destination(&self, transfer: &Transfer, tile: u32) -> bool {
        let at = TileId(tile);
        match transfer.destination {
            Destination::One(place) => self.network.find(place.tile) == Some(at),
            Destination::Multicast { set, .. } => {
                let coord = self.network.cluster_coord(self.network.coord(at));
                coord.is_some_and(|c| set.contains(c))
            }
        }
    }

    /// A write burst of a DMA engine is written at a tile.
    pub(crate) fn on_delivered(&mut self, instance: u32, tile: u32, machine: &mut Machine<'_>) {
        let share = self.instances.all.get(instance);
        let share = share.and_then(|share| self.instances.at(share.action, TileId(tile)));
        let Some(share) = share else {
            return;
        };
        let Some(open) = self.open_bursts.get_mut(&share) else {
            return;
        };
        *open -= 1;
        if *open == 0 {
            self.open_bursts.remove(&share);
            let seen =
                machine.clock.now() + u64::from(machine.network.axi().cluster.l1_latency_cycles);
            machine.call_driver(seen, CoreEvent::Over { instance: share });
        }
    }

    /// The store of a member's arrival leaves its core.
    pub(crate) fn send_arrival(&mut self, id: u32, arrival: &Arrival, machine: &mut Machine<'_>) {
        let tile = self.instances.all[id].tile.0;
        let path = u64::from(machine.network.axi().cluster.request_path_cycles);
        machine.call_driver(
            machine.clock.now() + path,
            CoreEvent::Arrive { instance: id },
        );
        if machine.network.find(arrival.root).map(|t| t.0) != Some(tile) {
            self.over(id, machine);
        }
        self.free_after(id, tile, machine);
    }

    /// The store reaches the NI.
    pub(crate) fn arrive(&mut self, id: u32, arrival: &Arrival, machine: &mut Machine<'_>) {
        let share = &self.instances.all[id];
        let (action, tile) = (share.action, share.tile.0);
        let group = machine.network.cube(arrival.group);
        let root = tile_index(&machine.network, arrival.root);
        let owner = Owner::Barrier { action };
        let txns = self
            .reductions
            .entry(action)
            .or_insert_with(|| vec![machine.open_barrier(group, root, owner)]);
        machine.arrive_at_barrier(tile, txns[0]);
    }

    /// The response to a member's store. The root sees its word set; all others posted theirs.
    pub(crate) fn on_arrival(
        &mut self,
        action: u32,
        tile: u32,
        arrival: &Arrival,
        machine: &mut Machine<'_>,
    ) {
        if machine.network.find(arrival.root).map(|t| t.0) != Some(tile) {
            return;
        }
        if let Some(share) = self.instances.at(action, TileId(tile)) {
            self.reductions.remove(&action);
            let path = u64::from(machine.network.axi().cluster.response_path_cycles);
            machine.call_driver(
                machine.clock.now() + path,
                CoreEvent::Over { instance: share },
            );
        }
    }
}

/// The transfer whose end its destinations notice by a flag, if it is one.
fn delivery(kind: &ActionKind) -> Option<&Transfer> {
    kind.transfer()
        .filter(|_| kind.completion() == Completion::Flag)
}
