// SPDX-License-Identifier: Apache-2.0
//! Flits that have been latched: they ask for outputs, or a router counts them.

use super::numbers::{PORTS, REDUCTION, ports};
use super::packet::Kind;
use super::plane::{Latched, Plane};

/// From a contribution's drop to the neighbour's use of its channel.
const DROP_CYCLES: u32 = 1;

impl Plane {
    /// All flits that have been latched in the last cycle. Contributions come after the others, in the order of tiles and ports.
    pub(super) fn latch(&mut self, latched: &mut Vec<Latched>) {
        let is_combining = self.n.is_complete || self.n.is_opportunistic;
        let mut contributions = std::mem::take(&mut self.contributions);
        for Latched { channel, come } in latched.drain(..) {
            self.has_moved = true;
            let at = channel as usize;
            let id = self.channels.held[at].packet;
            let packet = &self.packets[id as usize];
            if is_combining && packet.kind == Kind::Contribution {
                contributions.push(channel);
                continue;
            }
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
                let inputs = self.inputs_at(of, tile);
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
            self.channels.buffer(&self.n, channel);
        }
    }

    /// Contributions that come to a tile in all.
    fn inputs_at(&self, of: u32, tile: usize) -> u8 {
        let inputs = self.reductions[of as usize].inputs[tile];
        (inputs.count_ones() as u8).min(self.n.max_count)
    }

    /// Is the next contribution to come the last one at a tile?
    pub(super) fn is_last_at(&self, of: u32, tile: usize) -> bool {
        let reduction = &self.reductions[of as usize];
        let inputs = self.inputs_at(of, tile);
        reduction
            .id
            .is_some_and(|id| self.table.missing(tile, id, inputs) == 1)
    }

    /// A contribution joins one of its reduction that is buffered. True if it has found one.
    fn join(&mut self, channel: usize, tile: usize, id: u32) -> bool {
        let port = self.n.input(channel) % PORTS;
        let scope = if self.n.merges_in_router {
            0b1_1111
        } else {
            1 << port
        };
        let packet = self.packets[id as usize];
        let class = self.n.class_mask(REDUCTION);
        for port in ports(scope) {
            let input = tile * PORTS + port;
            let mut buffered = self.channels.ready[input] & class;
            while buffered != 0 {
                let other = self.n.channel(input, buffered.trailing_zeros() as usize);
                buffered &= buffered - 1;
                let found = self.channels.held[other].packet;
                if self.packets[found as usize].of == packet.of {
                    self.packets[found as usize].leaves += packet.leaves;
                    let combining = self.reductions[packet.of as usize].combining;
                    self.table.combine(found, id, combining);
                    return true;
                }
            }
        }
        false
    }
}
