// SPDX-License-Identifier: Apache-2.0
//! Routers of wormholes alone: endpoints are lists of packets, and receivers that stall.

mod configured;
mod contention;
mod prop_delivery;
mod unloaded;

use super::{PacketId, Params, Plane, WormholeFlit, Xy};
use noccl_net::TileId;
use std::collections::{BTreeMap, VecDeque};

/// As the UDN's preset.
pub(super) const UDN: Params = Params {
    input_fifo_flits: 3,
    local_fifo_flits: 3,
    hop_cycles: 1,
    turn_cycles: 1,
    reserve_cycles: 0,
};

/// A packet: from, to, flits, and the cycle from which it may be written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packet {
    pub from: u32,
    pub to: u32,
    pub flits: u32,
    pub not_before: u64,
}

/// The packet that a tile writes: its number, its packet, and the flit that is next.
type Writing = (usize, PacketId, u32);

/// A mesh whose tiles write packets one after the other and check what they receive.
pub(super) struct Bench {
    pub plane: Plane<Xy>,
    packets: Vec<Packet>,
    waiting: BTreeMap<u32, VecDeque<usize>>,
    writing: BTreeMap<u32, Writing>,
    /// Per tile: the packet that comes in, and the index of its next flit.
    incoming: BTreeMap<u32, (usize, u32)>,
    pub now: u64,
    /// Cycles in which the first flit of each packet was written, and the last one delivered.
    pub written: Vec<Option<u64>>,
    pub ended: Vec<Option<u64>>,
    /// Numbers of packets in the order in which their tails were delivered.
    pub order: Vec<usize>,
}

impl Bench {
    pub(super) fn new(size: (u16, u16), params: Params, packets: &[Packet]) -> Self {
        let mut waiting: BTreeMap<u32, VecDeque<usize>> = BTreeMap::new();
        for (number, packet) in packets.iter().enumerate() {
            waiting.entry(packet.from).or_default().push_back(number);
        }
        Self {
            plane: Plane::<Xy>::new(size.0, size.1, params),
            packets: packets.to_vec(),
            waiting,
            writing: BTreeMap::new(),
            incoming: BTreeMap::new(),
            now: 0,
            written: vec![None; packets.len()],
            ended: vec![None; packets.len()],
            order: Vec::new(),
        }
    }

    /// One cycle: tiles write, routers step, what is delivered is the next flit of its packet.
    pub(super) fn step(&mut self, takes: impl Fn(TileId) -> bool) -> bool {
        self.write();
        let has_moved = self.plane.step(self.now, |tile, _| takes(tile));
        for (tile, flit) in self.plane.delivered().to_vec() {
            self.receive(tile, flit);
        }
        self.now += 1;
        has_moved
    }

    /// Until everything is delivered.
    pub(super) fn run(&mut self, takes: impl Fn(u64, TileId) -> bool, limit: u64) {
        while self.order.len() < self.packets.len() {
            assert!(
                self.now < limit,
                "not all delivered: {:?}",
                self.plane.waits()
            );
            let now = self.now;
            self.step(|tile| takes(now, tile));
        }
        assert!(self.plane.is_idle());
    }

    fn write(&mut self) {
        for (tile, queue) in &mut self.waiting {
            if !self.writing.contains_key(tile)
                && let Some(number) = queue.front().copied()
                && self.packets[number].not_before <= self.now
            {
                queue.pop_front();
                let Packet { to, flits, .. } = self.packets[number];
                let packet = self.plane.open_packet(TileId(to), flits, number as u64);
                self.writing.insert(*tile, (number, packet, 0));
            }
            let Some((number, packet, index)) = self.writing.get_mut(tile) else {
                continue;
            };
            if !self.plane.has_space(TileId(*tile)) {
                continue;
            }
            self.plane.push(self.now, TileId(*tile), *packet, *index);
            self.written[*number].get_or_insert(self.now);
            *index += 1;
            if *index == self.packets[*number].flits {
                self.writing.remove(tile);
            }
        }
    }

    /// Flits of a packet come one behind the other, and none of another one between them.
    fn receive(&mut self, tile: TileId, flit: WormholeFlit) {
        let number = self.plane.packet(flit.packet()).tag as usize;
        let packet = self.packets[number];
        assert_eq!(
            packet.to, tile.0,
            "packet {number} is delivered where it goes"
        );
        let (expected, index) = self.incoming.remove(&tile.0).unwrap_or((number, 0));
        assert_eq!((number, flit.index()), (expected, index), "at {tile:?}");
        assert_eq!(flit.is_tail(), index + 1 == packet.flits);
        if flit.is_tail() {
            assert!(self.ended[number].is_none(), "packet {number} ends once");
            self.ended[number] = Some(self.now);
            self.order.push(number);
        } else {
            self.incoming.insert(tile.0, (number, index + 1));
        }
    }
}
