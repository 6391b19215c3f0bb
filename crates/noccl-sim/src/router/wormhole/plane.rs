// SPDX-License-Identifier: Apache-2.0
//! The routers of one plane: what endpoints ask of them. `cycle` has what they do in a cycle.

use super::observe::{Fifos, INPUTS_PER_TILE};
use super::rule::Rule;
use super::{LOCAL, PORTS, Params};
use super::{PacketId, WormholeFlit};
use crate::kernel::bit_set::BitSet;
use noccl_net::{Coord, Port, TileId, coord_behind};
use serde::{Deserialize, Serialize};

/// All routers of a plane.
#[derive(Debug)]
pub(crate) struct Plane<R: Rule> {
    pub(super) rule: R,
    pub(super) params: Params,
    pub(super) packets: WormholePackets<R::Route>,
    pub(super) fifos: Fifos,
    /// Inputs whose outputs are granted: all of them with flits, and some that have been emptied.
    pub(super) streams: BitSet,
    /// Inputs whose front waits for a grant.
    pub(super) heads: BitSet,
    /// Per input: the packet that its outputs were granted to last.
    pub(super) holders: Vec<PacketId>,
    /// Per tile: outputs that are held, and outputs that exist.
    pub(super) held: Vec<u8>,
    pub(super) existing: Vec<u8>,
    /// By output port: from the first input of a tile to the input behind the output.
    pub(super) behind: [usize; LOCAL],
    /// Per output: flits that have left, and cycles in which one could not.
    pub(super) loads: Vec<u64>,
    pub(super) blocked: Vec<u64>,
    /// Links that heads were granted.
    pub(super) granted_links: u64,
    /// Flits in FIFOs.
    pub(super) num_flits: u64,
    /// Inputs whose fronts move in this cycle.
    pub(super) moves: Vec<u32>,
    pub(super) delivered: Vec<(TileId, WormholeFlit)>,
    pub(super) can_move: bool,
}

impl<R: Rule> Plane<R> {
    /// A plane of `width` × `height` idle routers.
    pub(crate) fn with_rule(width: u16, height: u16, params: Params, rule: R) -> Self {
        let num_tiles = usize::from(width) * usize::from(height);
        let inputs = num_tiles * INPUTS_PER_TILE;
        Self {
            rule,
            params,
            packets: WormholePackets::new(),
            fifos: Fifos::new(num_tiles, &params),
            streams: BitSet::new(inputs),
            heads: BitSet::new(inputs),
            holders: vec![PacketId(0); inputs],
            held: vec![0; num_tiles],
            existing: existing_outputs(width, height),
            behind: behind(height),
            loads: vec![0; inputs],
            blocked: vec![0; inputs],
            granted_links: 0,
            num_flits: 0,
            // A router moves one flit per input and cycle, and delivers one per output Local.
            moves: Vec::with_capacity(num_tiles * PORTS),
            delivered: Vec::with_capacity(num_tiles),
            can_move: false,
        }
    }

    /// A packet along a route whose tail is delivered to so many tiles. Its flits are to be pushed in order, at one tile.
    pub(crate) fn open(&mut self, route: R::Route, flits: u32, tails: u32, tag: u64) -> PacketId {
        self.packets.open(route, flits, tails, tag)
    }

    /// A packet that has been opened; until the step after the one that has delivered its last flit.
    pub(crate) fn packet(&self, packet: PacketId) -> &WormholePacket<R::Route> {
        self.packets.of(packet)
    }

    /// Is it a number that a packet has had?
    pub(crate) fn has_packet(&self, packet: PacketId) -> bool {
        packet.idx() < self.packets.all.len()
    }

    /// Can the endpoint push a flit? To be asked before this cycle's [`Self::step`], so that it sees the cycle's beginning.
    pub(crate) fn has_space(&self, tile: TileId) -> bool {
        self.fifos.has_local_space(tile.idx())
    }

    /// The endpoint of a tile writes a flit in cycle `now`; at most one per cycle, and there [`Self::has_space`].
    pub(crate) fn push(&mut self, now: u64, tile: TileId, packet: PacketId, index: u32) {
        let flit = self.packets.flit(packet, index);
        self.num_flits += 1;
        self.can_move = true;
        self.enter(now, tile.idx() * INPUTS_PER_TILE + LOCAL, flit);
    }

    /// What the last cycle has delivered.
    pub(crate) fn delivered(&self) -> &[(TileId, WormholeFlit)] {
        &self.delivered
    }

    /// Is no flit in a router?
    pub(crate) const fn is_idle(&self) -> bool {
        self.num_flits == 0
    }

    /// Could a further cycle change something although endpoints neither push a flit nor take others than before?
    ///
    /// A plane without flits is not stepped, so what its last cycle has left behind says nothing.
    pub(crate) const fn can_move(&self) -> bool {
        self.can_move && self.num_flits > 0
    }

    pub(super) const fn rule(&self) -> &R {
        &self.rule
    }

    /// The input behind a link.
    #[inline]
    pub(super) const fn behind(&self, tile: usize, output: usize) -> usize {
        (tile * INPUTS_PER_TILE).wrapping_add(self.behind[output])
    }
}

/// From the first input of a tile to the input behind each of its links, with `x * height + y` as the index of a tile.
fn behind(height: u16) -> [usize; LOCAL] {
    let up = INPUTS_PER_TILE;
    let right = usize::from(height) * INPUTS_PER_TILE;
    let tiles = [up, right, up.wrapping_neg(), right.wrapping_neg()];
    std::array::from_fn(|port| tiles[port].wrapping_add(Port::ALL[port].opposite().idx()))
}

/// Per tile: Local, and links that do not leave the mesh.
fn existing_outputs(width: u16, height: u16) -> Vec<u8> {
    let tiles = (0..width).flat_map(|x| (0..height).map(move |y| Coord::new(x, y)));
    let is_link = |at: Coord, port: Port| {
        coord_behind(at, port).is_some_and(|next| next.x < width && next.y < height)
    };
    let outputs = tiles.map(|at| {
        let links = Port::ALL.into_iter().filter(|port| is_link(at, *port));
        links.fold(Port::Local.bit(), |mask, port| mask | port.bit())
    });
    outputs.collect()
}

// Packets that are open: their routes, and when their numbers may be used again.

/// A packet that has been opened.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct WormholePacket<R> {
    /// Where it goes.
    pub route: R,
    /// Flits, with the head.
    pub flits: u32,
    /// What whoever opened it knows it by.
    pub tag: u64,
    /// Tails that are not delivered yet: one per tile to which it goes.
    open_tails: u32,
}

/// All packets of a plane.
#[derive(Debug)]
pub(super) struct WormholePackets<R> {
    pub(super) all: Vec<WormholePacket<R>>,
    pub(super) unused: Vec<u32>,
    /// Delivered everywhere in the last cycle, so that their tags can still be read.
    pub(super) ended: Vec<u32>,
}

impl<R> WormholePackets<R> {
    pub(super) const fn new() -> Self {
        Self {
            all: Vec::new(),
            unused: Vec::new(),
            ended: Vec::new(),
        }
    }

    pub(super) fn open(&mut self, route: R, flits: u32, tails: u32, tag: u64) -> PacketId {
        debug_assert!(
            flits > 0 && tails > 0,
            "a packet has a tail, delivered somewhere"
        );
        let packet = WormholePacket {
            route,
            flits,
            tag,
            open_tails: tails,
        };
        if let Some(id) = self.unused.pop() {
            self.all[id as usize] = packet;
            return PacketId(id);
        }
        self.all.push(packet);
        PacketId(self.all.len() as u32 - 1)
    }

    pub(super) fn flit(&self, packet: PacketId, index: u32) -> WormholeFlit {
        WormholeFlit::new(packet, index, index + 1 == self.all[packet.idx()].flits)
    }

    #[inline]
    pub(super) fn of(&self, packet: PacketId) -> &WormholePacket<R> {
        &self.all[packet.idx()]
    }

    /// A tile has got the tail.
    pub(super) fn tail_delivered(&mut self, packet: PacketId) {
        let open = &mut self.all[packet.idx()].open_tails;
        *open -= 1;
        if *open == 0 {
            self.ended.push(packet.0);
        }
    }

    /// The numbers of packets that ended before this cycle are free.
    pub(super) fn retire(&mut self) {
        self.unused.append(&mut self.ended);
    }
}

#[cfg(test)]
impl<R> WormholePackets<R> {
    /// Packets that are open or ended in the last cycle.
    pub(super) const fn num_open(&self) -> usize {
        self.all.len() - self.unused.len()
    }

    /// Numbers that have ever been in use.
    pub(super) const fn num_slots(&self) -> usize {
        self.all.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_not_used_again_while_its_last_tail_can_be_asked_for() {
        let mut packets: WormholePackets<()> = WormholePackets::new();
        let first = packets.open((), 1, 1, 7);
        packets.tail_delivered(first);
        let second = packets.open((), 1, 1, 8);
        assert_ne!(first, second);
        assert_eq!(packets.of(first).tag, 7);
        packets.retire();
        assert_eq!(packets.open((), 1, 1, 9), first);
    }
}
