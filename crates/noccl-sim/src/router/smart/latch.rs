// SPDX-License-Identifier: Apache-2.0
//! Flits that have been latched: they ask for outputs, or a router counts them.

use super::channels::NOBODY;
use super::numbers::{PORTS, REDUCTION, ports};
use super::packet::{Packet, PacketKind};
use super::plane::{Latched, SmartPlane};

/// From a contribution's drop to the neighbour's use of its channel.
const DROP_CYCLES: u32 = 1;
const ALL_INPUTS: u8 = 0b1_1111;

impl SmartPlane {
    /// All flits that have been latched in the last cycle. Contributions come after the others, in the order of tiles and ports.
    pub(super) fn latch(&mut self, latched: &mut Vec<Latched>) {
        let is_combining = self.n.is_complete || self.n.is_opportunistic;
        let mut contributions = std::mem::take(&mut self.contributions);
        for Latched { channel, come } in latched.drain(..) {
            self.has_moved = true;
            let at = channel as usize;
            let id = self.channels.held[at].packet;
            let packet = &self.packets[id as usize];
            if is_combining && packet.kind == PacketKind::Contribution {
                contributions.push(channel);
                continue;
            }
            self.loads.buffered_flits += 1;
            self.channels.held[at].come = come;
            if packet.flits == 1 {
                self.channels.buffer(&self.n, at);
            } else {
                self.channels.ask(&self.n, at);
            }
            if self.channels.held[at].wants == 0 {
                self.leave_if_done(at, DROP_CYCLES);
            }
        }
        contributions.sort_unstable();
        for channel in contributions.drain(..) {
            self.contribute(channel as usize);
        }
        self.contributions = contributions;
    }

    /// A contribution has come to a router.
    fn contribute(&mut self, channel: usize) {
        let tile = self.n.input(channel) / PORTS;
        let id = self.channels.held[channel].packet;
        let of = self.packets[id as usize].of;
        let reduction = &self.reductions[of as usize];
        let combining = reduction.combining;
        let is_dropped = match reduction.id {
            Some(entry) if self.is_last_at(of, tile) => {
                let leaves = self.table.finish(tile, entry, id, combining);
                self.packets[id as usize].leaves += leaves;
                false
            }
            Some(entry) => {
                let inputs = reduction.inputs[tile];
                let leaves = self.packets[id as usize].leaves;
                self.table.count(tile, entry, inputs, id, leaves, combining);
                true
            }
            None if self.n.is_opportunistic => self.join(channel, tile, id),
            None => false,
        };
        if is_dropped {
            self.due_in(DROP_CYCLES).freed.push(channel as u32);
        } else {
            self.loads.buffered_flits += 1;
            self.channels.buffer(&self.n, channel);
            self.stays.begin(self.cycle);
        }
    }

    /// Is the next contribution to come the last one at a tile?
    pub(super) fn is_last_at(&self, of: u32, tile: usize) -> bool {
        let reduction = &self.reductions[of as usize];
        let inputs = reduction.inputs[tile];
        (reduction.id).is_some_and(|id| self.table.missing(tile, id, inputs) == 1)
    }

    /// A contribution joins one of its reduction that is buffered, or that waits in the tile's interface. True if it has found one.
    fn join(&mut self, channel: usize, tile: usize, id: u32) -> bool {
        let port = self.n.input(channel) % PORTS;
        let buffered = self.buffered(tile, self.merge_scope(port), id);
        let buffered = buffered.map(|other| self.channels.held[other].packet);
        let Some(into) = buffered.or_else(|| self.waiting_in_interface(tile, id)) else {
            return false;
        };
        self.combine(into, id);
        true
    }

    /// The tile's own contribution to a packet's reduction, if it waits for a channel and interfaces combine.
    fn waiting_in_interface(&self, tile: usize, id: u32) -> Option<u32> {
        if !self.n.merges_in_interface {
            return None;
        }
        let of = self.packets[id as usize].of;
        let waiting = self.reductions[of as usize].waiting[tile];
        (waiting != NOBODY).then_some(waiting)
    }

    /// A contribution that passes a tile takes along one of its reduction that is buffered there, at whichever input: S2 compares every
    /// buffered one with the requests that pass. It leaves over the same output in the same cycle, so its channel is free as if it had
    /// been granted that.
    pub(super) fn take_along(&mut self, id: u32, tile: usize, out: usize) {
        let Some(other) = self.buffered(tile, ALL_INPUTS, id) else {
            return;
        };
        debug_assert_eq!(
            self.channels.held[other].wants,
            1 << out,
            "one root, two paths"
        );
        self.combine(id, self.channels.held[other].packet);
        self.stays.end(self.cycle);
        self.channels.held[other].wants = 0;
        self.channels.set_ready(&self.n, other, false);
        self.channels.held[other].next_flit[out] = 1;
        self.leave_if_done(other, self.n.granted_cycles + 2);
    }

    /// Inputs whose contributions one that is latched at a port can join.
    const fn merge_scope(&self, port: usize) -> u8 {
        if self.n.merges_in_router {
            ALL_INPUTS
        } else {
            1 << port
        }
    }

    fn combine(&mut self, into: u32, from: u32) {
        let Packet { leaves, of, .. } = self.packets[from as usize];
        self.packets[into as usize].leaves += leaves;
        let combining = self.reductions[of as usize].combining;
        self.table.combine(into, from, combining);
    }

    /// The first channel of some inputs that holds a contribution to a packet's reduction.
    fn buffered(&self, tile: usize, scope: u8, id: u32) -> Option<usize> {
        let of = self.packets[id as usize].of;
        let class = self.n.class_mask(REDUCTION);
        for port in ports(scope & self.channels.ready_ports[tile]) {
            let input = tile * PORTS + port;
            let mut buffered = self.channels.ready[input] & class;
            while buffered != 0 {
                let other = self.n.channel(input, buffered.trailing_zeros() as usize);
                buffered &= buffered - 1;
                if self.packets[self.channels.held[other].packet as usize].of == of {
                    return Some(other);
                }
            }
        }
        None
    }
}
