// SPDX-License-Identifier: Apache-2.0
//! Local allocation: a channel for each input, then an input for each output, both round robin.

use super::channels::NOBODY;
use super::numbers::{
    FIRST_DIMENSION, LOCAL, MULTICAST, Numbers, PORTS, is_along_row, opposite, ports, towards,
};
use super::packet::{Packet, PacketKind};
use super::plane::{Grant, SmartPlane};
use noccl_net::TileId;

impl SmartPlane {
    /// Grants outputs at all routers that have something to send.
    pub(super) fn allocate(&mut self, takes: &impl Fn(TileId) -> bool) {
        if self.n.is_contended {
            self.allocate_all::<true>(takes);
        } else {
            self.allocate_all::<false>(takes);
        }
    }

    fn allocate_all<const IS_CONTENDED: bool>(&mut self, takes: &impl Fn(TileId) -> bool) {
        let crossed = self.cycle + u64::from(self.n.setup_cycles);
        let slot = self.slots.as_ref().and_then(|slots| slots.phase(crossed));
        if let Some(phase) = slot {
            self.bar_slots(phase);
        }
        for word in 0..self.channels.active.len() {
            let mut tiles = self.channels.active[word];
            while tiles != 0 {
                let tile = word * 64 + tiles.trailing_zeros() as usize;
                tiles &= tiles - 1;
                let able = if takes(TileId(tile as u32)) {
                    0b1_1111
                } else {
                    0b0_1111
                };
                let (inputs, outputs) = match (slot, &self.slots) {
                    (Some(phase), Some(slots)) => slots.usable(phase, tile),
                    (Some(_) | None, _) => (u8::MAX, u8::MAX),
                };
                self.allocate_at::<IS_CONTENDED>(tile, inputs, able & outputs);
            }
        }
    }

    /// What is contended for is chosen only, and granted when it has won. With free channels of before this cycle's paths, what these
    /// have taken is left out of what has been chosen.
    fn allocate_at<const IS_CONTENDED: bool>(&mut self, tile: usize, inputs: u8, able: u8) {
        let (mut asking, mut chosen) = ([0_u8; PORTS], [0_usize; PORTS]);
        let mut asked = 0;
        for port in ports(self.channels.ready_ports[tile] & inputs) {
            let (wants, channel) = self.choose(tile, port, able);
            chosen[port] = channel;
            asked |= wants;
            for out in ports(wants) {
                asking[out] |= 1 << port;
            }
        }
        let (mut granted, mut sending) = ([0_u8; PORTS], 0);
        for out in ports(asked) {
            let port = self.arbitrate(tile, out, asking[out]);
            granted[port] |= 1 << out;
            sending |= 1 << port;
        }
        for port in ports(sending) {
            match &mut self.contention {
                Some(contention) if IS_CONTENDED => {
                    contention.choose(tile, port, chosen[port], granted[port]);
                }
                Some(_) | None => self.grant_usable(tile, port, chosen[port], granted[port]),
            }
        }
    }

    /// The input that gets an output, of those that ask for it, of which there is one.
    #[inline]
    fn arbitrate(&self, tile: usize, out: usize, asking: u8) -> usize {
        let in_order = asking & (0b1_1111 << self.input_order[tile * PORTS + out]);
        let first = if in_order == 0 { asking } else { in_order };
        first.trailing_zeros() as usize
    }

    /// Grants those outputs of a channel that it can use, and moves their orders of round robin.
    #[inline]
    fn grant_usable(&mut self, tile: usize, port: usize, channel: usize, outs: u8) {
        let mut outs = outs;
        if self.n.is_chosen_before_paths {
            let class = self.n.class(self.n.channel_bit(channel));
            outs &= self.usable(&self.channels.open, tile, channel, class, outs);
        }
        for out in ports(outs) {
            self.input_order[tile * PORTS + out] = Self::behind(port as u8);
        }
        if outs != 0 {
            self.grant(tile, port, channel, outs);
        }
    }

    /// The input that goes first when one has been granted an output.
    #[inline]
    pub(super) const fn behind(port: u8) -> u8 {
        (port + 1) % PORTS as u8
    }

    /// The first channel of an input, from the next one in order on, that asks for an output which can be used, and all of those.
    fn choose(&self, tile: usize, port: usize, able: u8) -> (u8, usize) {
        let input = tile * PORTS + port;
        let open = if self.n.is_chosen_before_paths {
            &self.open_before_paths
        } else {
            &self.channels.open
        };
        let ready = self.channels.ready[input];
        let in_order = ready & (u64::MAX << self.channel_order[input]);
        for mut set in [in_order, ready & !in_order] {
            while set != 0 {
                let bit = set.trailing_zeros() as usize;
                set &= set - 1;
                let channel = self.n.channel(input, bit);
                let wants = self.channels.held[channel].wants & able;
                let wants = wants & self.usable(open, tile, channel, self.n.class(bit), wants);
                if wants & wants.wrapping_sub(1) != 0 {
                    return (self.channels.of_one_flit(channel, wants), channel);
                }
                if wants != 0 {
                    return (wants, channel);
                }
            }
        }
        (0, 0)
    }

    /// Outputs whose next input has a channel for what a channel holds, by a copy of [`Channels::open`].
    ///
    /// [`Channels::open`]: super::channels::Channels::open
    #[inline]
    fn usable(&self, open: &[u8], tile: usize, channel: usize, class: usize, wants: u8) -> u8 {
        let open = &open[tile * self.n.classes..];
        let owned = self.channels.held[channel].owned;
        if !self.n.has_order_classes || class < MULTICAST {
            return open[class] | owned;
        }
        let packet = self.channels.held[channel].packet;
        let mut usable = owned;
        for out in ports(wants) {
            let next = if out == LOCAL {
                class
            } else {
                self.link_class(packet, tile, class, out)
            };
            if self.n.is_slotted && out != LOCAL && next != MULTICAST {
                continue;
            }
            usable |= open[next] & 1 << out;
        }
        usable
    }

    /// Class of the channel behind an output, for a packet in a channel of a class here.
    #[inline]
    pub(super) fn link_class(&self, id: u32, tile: usize, class: usize, out: usize) -> usize {
        let packet = &self.packets[id as usize];
        match packet.kind {
            PacketKind::Unicast | PacketKind::Contribution => class,
            PacketKind::Tree if self.n.has_order_classes => self.n.class_of_dimension(out),
            PacketKind::Tree => class,
            PacketKind::ToCorner if class == MULTICAST && packet.target != tile as u32 => MULTICAST,
            PacketKind::ToCorner => {
                let is_row_first = self.trees[packet.of as usize].is_row_first;
                if is_along_row(out) == is_row_first {
                    FIRST_DIMENSION
                } else {
                    self.n.second_class
                }
            }
        }
    }

    /// Outputs of a packet that is latched at a tile in a channel of a class.
    #[inline]
    pub(super) fn outputs_at(&self, id: u32, tile: usize, class: usize) -> u8 {
        let packet = &self.packets[id as usize];
        let places = &self.channels.places;
        let straight = || 1 << towards(places[tile], places[packet.target as usize]);
        match packet.kind {
            PacketKind::Unicast | PacketKind::Contribution => straight(),
            PacketKind::ToCorner if class == MULTICAST && packet.target != tile as u32 => {
                straight()
            }
            PacketKind::Tree | PacketKind::ToCorner => self.trees[packet.of as usize].ports[tile],
        }
    }

    /// A flit of an input goes over some outputs.
    pub(super) fn grant(&mut self, tile: usize, port: usize, channel: usize, outs: u8) {
        self.has_moved = true;
        let after = self.n.channel_bit(channel) + 1;
        self.channel_order[tile * PORTS + port] = (after & (self.n.channels() - 1)) as u8;
        let id = self.channels.held[channel].packet;
        debug_assert_ne!(id, NOBODY, "an empty channel asks for an output");
        let Packet { kind, flits, .. } = self.packets[id as usize];
        if kind == PacketKind::Contribution {
            self.stays.end(self.cycle);
        }
        let flit = self.channels.held[channel].next_flit[outs.trailing_zeros() as usize];
        if port != LOCAL {
            self.bar(tile, opposite(port));
        }
        let ahead = self.n.granted_cycles;
        for out in ports(outs) {
            if out == LOCAL {
                self.packets[id as usize].holders += u32::from(flit + 1 == flits);
                let delivered = (id, tile as u32, flit);
                self.due_in(ahead + 1).delivered.push(delivered);
            } else {
                self.bar(tile, out);
                self.grant_link(channel, id, flit, out);
            }
            self.channels.held[channel].next_flit[out] = flit + 1;
        }
        if flits == 1 {
            self.channels.send(&self.n, channel, outs);
        } else {
            self.channels.ask(&self.n, channel);
        }
        self.leave_if_done(channel, ahead + 2);
    }

    fn grant_link(&mut self, channel: usize, id: u32, flit: u16, out: usize) {
        self.grants.push(Grant {
            channel: channel as u32,
            packet: id,
            flit,
            out: out as u8,
            follow: self.channels.held[channel].follow[out],
        });
    }

    /// No path goes on beyond a tile over an output in the cycle that is set up.
    #[inline]
    fn bar(&mut self, tile: usize, out: usize) {
        let place = self.channels.places[tile];
        let line = out * 64 + Numbers::line(place, out);
        if self.barred[line] == 0 {
            self.barred_lines.push(line as u16);
        }
        self.barred[line] |= 1 << Numbers::bit(place, out);
    }

    /// A channel whose packet has come as a whole and gone over all its outputs is free after some cycles.
    #[inline]
    pub(super) fn leave_if_done(&mut self, channel: usize, cycles: u32) {
        let held = &self.channels.held[channel];
        if held.wants == 0 && held.come == self.packets[held.packet as usize].flits {
            self.due_in(cycles).freed.push(channel as u32);
        }
    }
}
