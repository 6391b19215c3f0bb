// SPDX-License-Identifier: Apache-2.0
//! Multicasts that go in slots: which flit goes over a path that is driven, and where it leaves copies.
//!
//! The slot's paths are crossed in the cycle in which they are looked at, one after the latch, as their presets do not wait for anybody.

use super::numbers::{
    FIRST_DIMENSION, LOCAL, MULTICAST, Numbers, PORTS, SECOND_DIMENSION, opposite, ports,
};
use super::packet::PacketKind;
use super::plane::{Latched, SmartPlane};
use super::slots::{Drive, Slots};

impl SmartPlane {
    /// The paths of a slot that are crossed in this cycle.
    pub(super) fn drive_slots(&mut self) {
        let Some(mut slots) = self.slots.take() else {
            return;
        };
        if let Some(phase) = slots.phase(self.cycle) {
            slots.used.fill(0);
            if phase == 0 {
                slots.is_left = false;
                slots.is_reversed = !slots.is_reversed;
            }
            let drives = slots.drives(phase);
            for index in 0..drives {
                let index = if slots.is_reversed {
                    drives - 1 - index
                } else {
                    index
                };
                self.drive(slots.drive(phase, index), &mut slots);
            }
        }
        slots.ask(self.cycle, |tile| self.is_asked(tile));
        self.slots = Some(slots);
    }

    /// Outputs that allocation leaves to the slot whose paths are crossed in a later cycle.
    pub(super) fn bar_slots(&mut self, phase: usize) {
        let Some(slots) = self.slots.take() else {
            return;
        };
        for (line, tiles) in slots.bars(phase).iter().enumerate() {
            if *tiles != 0 {
                if self.barred[line] == 0 {
                    self.barred_lines.push(line as u16);
                }
                self.barred[line] |= tiles;
            }
        }
        self.slots = Some(slots);
    }

    /// Does a packet in its corner ask for outputs of its tree?
    fn is_asked(&self, tile: usize) -> bool {
        self.in_corner(tile).any(|channel| {
            let wants = self.channels.held[channel].wants;
            wants & !(1 << LOCAL) != 0
        })
    }

    /// Channels of a corner with packets whose tree begins there.
    fn in_corner(&self, tile: usize) -> impl Iterator<Item = usize> + '_ {
        ports(self.channels.ready_ports[tile]).flat_map(move |port| {
            self.of_class(tile, port, MULTICAST).filter(move |channel| {
                let packet = &self.packets[self.channels.held[*channel].packet as usize];
                packet.kind == PacketKind::ToCorner && packet.target == tile as u32
            })
        })
    }

    /// Channels of a class at an input that ask for an output.
    fn of_class(&self, tile: usize, port: usize, class: usize) -> impl Iterator<Item = usize> + '_ {
        let input = tile * PORTS + port;
        let ready = self.channels.ready[input];
        let mask = self.n.class_mask(class);
        let first = mask.trailing_zeros() as usize;
        (first..first + mask.count_ones() as usize)
            .filter(move |bit| ready >> bit & 1 == 1)
            .map(move |bit| self.n.channel(input, bit))
    }

    /// Sends a flit over a path of a slot, if there is one and its line is free.
    fn drive(&mut self, drive: Drive, slots: &mut Slots) {
        // 0: tiles that are no corner have one order, which begins at the first input.
        let order = slots.first_input(drive.tile).map_or(0, |input| *input);
        let Some(channel) = self.to_drive(drive, order, slots.used[drive.tile]) else {
            return;
        };
        let port = self.n.input(channel) % PORTS;
        let id = self.channels.held[channel].packet;
        let flit = self.channels.held[channel].next_flit[drive.out];
        let is_used = slots.used[drive.tile] >> port & 1 == 1;
        if is_used || drive.begins && flit == 0 && !self.take_line(drive, id) {
            slots.is_left = true;
            return;
        }
        slots.used[drive.tile] |= 1 << port;
        if drive.is_corner
            && drive.is_first
            && let Some(input) = slots.first_input(drive.tile)
        {
            *input = (port + 1) % PORTS;
        }
        self.has_moved = true;
        self.latch_path(drive, id, flit);
        self.channels.held[channel].next_flit[drive.out] = flit + 1;
        self.channels.ask(&self.n, channel);
        self.leave_if_done(channel, 2);
        // Others behind it wait for the next slot.
        slots.is_left |= self.to_drive(drive, order, 0).is_some();
    }

    /// The channel whose flit goes over a path: what came along the line, or one of those in a corner, round robin by input. Across goes
    /// what has gone on along the first dimension; a packet whose input has sent a flit in this cycle is the last choice.
    fn to_drive(&self, drive: Drive, order: usize, used: u8) -> Option<usize> {
        let Drive { tile, out, .. } = drive;
        let asks = |channel: &usize| {
            let has_gone = drive.is_first || {
                let next = &self.channels.held[*channel].next_flit;
                self.channels.held[*channel].outputs >> drive.first & 1 == 0
                    || next[drive.first] > next[out]
            };
            has_gone && self.channels.held[*channel].wants >> out & 1 == 1
        };
        // A packet that has begun owns its channels: one that has not must not be tried in its place.
        let is_new = |channel: &usize| self.channels.held[*channel].next_flit[out] == 0;
        if drive.is_corner {
            let rank = |channel: &usize| {
                let port = self.n.input(*channel) % PORTS;
                (used >> port & 1, (port + PORTS - order) % PORTS)
            };
            let asking = self.in_corner(tile).filter(asks);
            return asking.min_by_key(|channel| (is_new(channel), rank(channel)));
        }
        let (from, class) = if drive.is_first {
            (opposite(out), FIRST_DIMENSION)
        } else if drive.begins {
            (opposite(drive.first), FIRST_DIMENSION)
        } else {
            (opposite(out), SECOND_DIMENSION)
        };
        self.of_class(tile, from, class)
            .filter(asks)
            .min_by_key(is_new)
    }

    const fn slot_class(drive: Drive) -> usize {
        if drive.is_first {
            FIRST_DIMENSION
        } else {
            SECOND_DIMENSION
        }
    }

    /// Takes a channel at every router of a line that keeps a copy or drives the next path. False, and nothing taken, if one has none.
    fn take_line(&mut self, drive: Drive, id: u32) -> bool {
        let class = Self::slot_class(drive);
        let port = opposite(drive.out);
        let copies = self.copies(drive, id);
        let has_all = |(tile, _): &(usize, u8)| self.channels.has_free(&self.n, *tile, port, class);
        if !copies.iter().all(has_all) {
            return false;
        }
        for (tile, outputs) in copies {
            let channel = self.channels.take(&self.n, tile, port, class);
            self.channels.hold(channel, id, outputs);
            self.packets[id as usize].holders += 1;
        }
        true
    }

    /// Routers of a line that keep a copy, with its outputs.
    fn copies(&self, drive: Drive, id: u32) -> Vec<(usize, u8)> {
        let tree = &self.trees[self.packets[id as usize].of as usize].ports;
        let (mut copies, mut at, mut hops) = (Vec::new(), drive.tile, 0);
        while tree[at] >> drive.out & 1 == 1 {
            at = self.n.next(at, drive.out);
            hops += 1;
            let is_end = hops % self.n.hpc_max == 0;
            let outputs = if is_end {
                tree[at]
            } else {
                tree[at] & !(1 << drive.out)
            };
            if outputs != 0 {
                copies.push((at, outputs));
            }
        }
        copies
    }

    /// A flit crosses a path, and is latched where its packet has a channel.
    fn latch_path(&mut self, drive: Drive, id: u32, flit: u16) {
        let out = drive.out;
        let (mut at, mut hops) = (drive.tile, 0);
        while hops < drive.hops && self.goes_on(id, at, out) {
            at = self.n.next(at, out);
            hops += 1;
            if let Some(channel) = self.channels.find(&self.n, at, opposite(out), id) {
                let channel = channel as u32;
                let come = flit + 1;
                self.due_in(1).latched.push(Latched { channel, come });
            }
        }
        let place = self.channels.places[drive.tile];
        let (line, bit) = (Numbers::line(place, out), Numbers::bit(place, out));
        self.loads.add(out, line, bit, hops);
        if flit > 0 {
            self.loads.payload_hops += u64::from(hops);
        }
    }

    fn goes_on(&self, id: u32, at: usize, out: usize) -> bool {
        let tree = self.packets[id as usize].of;
        self.trees[tree as usize].ports[at] >> out & 1 == 1
    }
}
