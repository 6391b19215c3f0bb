// SPDX-License-Identifier: Apache-2.0
//! Worms to one tile, X first, then Y; heads that want one output are granted in round-robin order (S4, section 2: the UDN).

use super::flit::WormId;
use super::plane::Plane;
use super::rule::Rule;
use super::{PORTS, Params, ports};
use noccl_net::{Coord, TileId, xy_port};
use noccl_spec::UdnRouter;

/// The rule of the UDN.
#[derive(Debug)]
pub(crate) struct Xy {
    pub(super) coords: Vec<Coord>,
    /// Per output: the input that is asked first.
    pub(super) first: Vec<u8>,
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

    /// A worm of so many flits to a tile.
    pub(crate) fn open_worm(&mut self, to: TileId, flits: u32, tag: u64) -> WormId {
        let to = self.rule().coords[to.idx()];
        self.open(to, flits, 1, tag)
    }
}
