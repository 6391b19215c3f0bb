// SPDX-License-Identifier: Apache-2.0
//! One engine of input-queued wormhole routers (`docs/design/0013-core-tiles.md`).
//!
//! Routers of this kind have a FIFO per input and no virtual channels; a packet holds the outputs that it was granted from
//! its head to its tail, and a flit moves when all outputs that it takes can take it. What differs between networks is a
//! [`Rule`]: which outputs a packet wants at a tile, and which of the heads that stand there are granted. [`Xy`] is the
//! dynamic network of cores (S4, section 2: XY, one output, round robin), [`Configured`] the static one (outputs that
//! cores have written beforehand), and `router::esp` has its own of trees.
//!
//! Without one engine each network would count its cycles in its own words, and their comparison would measure the
//! difference of simulators. Invariants: an output has one holder at most; flits of a packet follow each other in order; a
//! flit is in one FIFO per branch. A cycle looks at the registers as they were at its beginning, and allocates nothing.

use crate::kernel::bit_set::bits;
use noccl_net::{Coord, TileId, xy_port};
use noccl_spec::UdnRouter;
use serde::{Deserialize, Serialize};

pub(crate) use configured::Configured;
pub(crate) use observe::Awaited;
pub(crate) use plane::Plane;
pub(crate) use rule::Rule;

#[cfg(test)]
use observe::Blocked;

mod configured;
mod cycle;
mod observe;
mod plane;
mod rule;
mod saved;
#[cfg(test)]
mod tests;

/// Ports of a router, in the order of [`noccl_net::Port`]: Local is the last.
pub(crate) const PORTS: usize = 5;

/// The port between router and endpoint.
pub(crate) const LOCAL: usize = 4;

/// Mask of the ports to other routers.
const LINKS: u8 = (1 << LOCAL) - 1;

/// Sizes and cycles of all routers of a plane.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Params {
    /// Flits that the FIFO of a link holds. A slot is in use from the cycle behind that in which its flit leaves the FIFO
    /// before to that in which it leaves this one, so flits follow one per cycle only if it is at least `hop_cycles + turn_cycles + 1`.
    pub input_fifo_flits: u32,
    /// Flits that the FIFO between endpoint and router holds.
    pub local_fifo_flits: u32,
    /// Cycles from the cycle in which a flit leaves a FIFO to that in which it may leave the next one; at least 1.
    pub hop_cycles: u32,
    /// Further cycles that a head stands in the FIFO from which it changes dimension.
    pub turn_cycles: u32,
    /// Cycles that a head needs for its grant: 0 moves it in the cycle in which it is granted, 1 in the next.
    pub reserve_cycles: u32,
}

impl Params {
    /// Slots of a FIFO that let flits follow one per cycle, behind a head that changes dimension too.
    #[cfg(test)]
    pub(crate) const fn full_rate_flits(&self) -> u32 {
        self.hop_cycles + self.turn_cycles + 1
    }
}

/// Members of a mask of ports, ascending.
#[inline]
fn ports(mask: u8) -> impl Iterator<Item = usize> {
    bits(u64::from(mask))
}

// Packets to one tile, X first, then Y; heads that want one output are granted in round-robin order (S4, section 2: the UDN).

/// The rule of the UDN.
#[derive(Debug)]
pub(crate) struct Xy {
    coords: Vec<Coord>,
    /// Per output: the input that is asked first.
    first: Vec<u8>,
}

impl Xy {
    fn new(width: u16, height: u16) -> Self {
        let columns = 0..width;
        let coords = columns.flat_map(|x| (0..height).map(move |y| Coord::new(x, y)));
        let coords: Vec<Coord> = coords.collect();
        Self {
            first: vec![0; coords.len() * PORTS],
            coords,
        }
    }
}

impl Rule for Xy {
    type Route = Coord;

    #[inline]
    fn outputs(&self, to: &Coord, tile: usize) -> u8 {
        xy_port(self.coords[tile], *to).bit()
    }

    #[inline]
    fn grant(&mut self, tile: usize, heads: u8, wanted: &[u8; PORTS], free: u8) -> u8 {
        let (mut open, mut granted) = (heads, 0);
        while open != 0 {
            let first = open.trailing_zeros() as usize;
            let output = wanted[first];
            open &= open - 1;
            let same = ports(open).filter(|input| wanted[*input] == output);
            let same = same.fold(1 << first, |mask, input| mask | 1 << input);
            open &= !same;
            if output & free != 0 {
                let first = &mut self.first[tile * PORTS + output.trailing_zeros() as usize];
                let from_first = same & u8::MAX << *first;
                let candidates = if from_first == 0 { same } else { from_first };
                let winner = candidates.trailing_zeros() as u8;
                *first = (winner + 1) % PORTS as u8;
                granted |= 1 << winner;
            }
        }
        granted
    }
}

impl Params {
    /// Those of the UDN: the FIFO between core and router is as those of links.
    pub(crate) const fn of_udn(udn: &UdnRouter) -> Self {
        Self {
            input_fifo_flits: udn.input_fifo_flits,
            local_fifo_flits: udn.input_fifo_flits,
            hop_cycles: udn.hop_cycles,
            turn_cycles: udn.turn_cycles,
            reserve_cycles: 0,
        }
    }
}

impl Plane<Xy> {
    /// A plane of `width` × `height` idle routers.
    pub(crate) fn new(width: u16, height: u16, params: Params) -> Self {
        Self::with_rule(width, height, params, Xy::new(width, height))
    }

    /// A packet of so many flits to a tile.
    pub(crate) fn open_packet(&mut self, to: TileId, flits: u32, tag: u64) -> PacketId {
        let to = self.rule().coords[to.idx()];
        self.open(to, flits, 1, tag)
    }
}

// What travels: a flit is a number of its packet and of itself in it; data stay with whoever opened the packet.

/// A packet between its opening and the delivery of its last flit; numbers are used again afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct PacketId(pub u32);

impl PacketId {
    /// As an index into arrays per packet.
    pub(crate) const fn idx(self) -> usize {
        self.0 as usize
    }
}

const TAIL: u32 = 1 << 31;

/// A flit of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WormholeFlit {
    packet: u32,
    /// Its number in the packet, and [`TAIL`] if it is the last.
    place: u32,
}

impl WormholeFlit {
    const NONE: Self = Self {
        packet: 0,
        place: 0,
    };

    const fn new(packet: PacketId, index: u32, is_tail: bool) -> Self {
        Self {
            packet: packet.0,
            place: index | if is_tail { TAIL } else { 0 },
        }
    }

    pub(crate) const fn packet(self) -> PacketId {
        PacketId(self.packet)
    }

    /// Its number in the packet, from 0.
    pub(crate) const fn index(self) -> u32 {
        self.place & !TAIL
    }

    pub(crate) const fn is_head(self) -> bool {
        self.index() == 0
    }

    pub(crate) const fn is_tail(self) -> bool {
        self.place & TAIL != 0
    }
}
