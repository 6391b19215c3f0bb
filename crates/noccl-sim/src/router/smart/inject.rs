// SPDX-License-Identifier: Apache-2.0
//! Interfaces send: a flit per cycle into a channel of the Local input, message classes round robin.

use super::channels::NOBODY;
use super::numbers::{LOCAL, MULTICAST, REDUCTION, ports};
use super::plane::{Latched, Sending, SmartPlane};
use noccl_net::TileId;

impl SmartPlane {
    /// NIs with a flit and a channel for it.
    pub(super) fn inject(&mut self, offers: &impl Fn(TileId) -> bool) {
        for word in 0..self.sending.len() {
            let mut tiles = self.sending[word];
            while tiles != 0 {
                let tile = word * 64 + tiles.trailing_zeros() as usize;
                tiles &= tiles - 1;
                if offers(TileId(tile as u32)) {
                    self.inject_at(tile);
                }
            }
        }
    }

    fn inject_at(&mut self, tile: usize) {
        let queues = &self.queues[tile];
        let in_order = queues.filled & (0b111 << queues.next_class);
        for class in ports(in_order).chain(ports(queues.filled & !in_order)) {
            let Some(id) = self.queues[tile].waiting[class].front().copied() else {
                continue;
            };
            let sending = match self.queues[tile].sending[class] {
                Some(sending) => sending,
                None if self.channels.has_free(&self.n, tile, LOCAL, class) => {
                    let channel = self.enter(tile, class, id);
                    Sending { flit: 0, channel }
                }
                None => continue,
            };
            self.has_moved = true;
            self.record_entry(tile, class);
            self.due_in(1).latched.push(Latched {
                channel: sending.channel,
                come: sending.flit + 1,
            });
            let is_last = sending.flit + 1 == self.packets[id as usize].flits;
            let queues = &mut self.queues[tile];
            queues.next_class = (class as u8 + 1) % 3;
            queues.sending[class] = (!is_last).then_some(Sending {
                flit: sending.flit + 1,
                channel: sending.channel,
            });
            if is_last {
                queues.waiting[class].pop_front();
                if queues.waiting[class].is_empty() {
                    queues.filled &= !(1 << class);
                }
                if queues.filled == 0 {
                    self.sending[tile / 64] &= !(1 << (tile % 64));
                }
                self.let_go(id);
            }
            return;
        }
    }

    /// A packet takes a channel of the Local input.
    fn enter(&mut self, tile: usize, class: usize, id: u32) -> u32 {
        let channel = self.channels.take(&self.n, tile, LOCAL, class);
        if class == MULTICAST {
            self.choose_tree(tile, id);
        } else if class == REDUCTION && self.n.merges_in_interface {
            let of = self.packets[id as usize].of;
            self.reductions[of as usize].waiting[tile] = NOBODY;
        }
        let outputs = self.outputs_at(id, tile, class);
        self.channels.hold(channel, id, outputs);
        self.packets[id as usize].holders += 1;
        channel as u32
    }
}
