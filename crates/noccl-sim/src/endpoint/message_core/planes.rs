// SPDX-License-Identifier: Apache-2.0
//! The two networks into which cores write words: the dynamic one (UDN) and the static one.

use super::stream::StaticWord;
use super::{Cores, UnitKind};
use crate::checkpoint::{CheckpointError, Reader, Writer};
use crate::router::wormhole::{Configured, Params, Plane, WormholeFlit, Xy};
use noccl_net::{LinkId, Network, Port, TileId};
use noccl_run::LinkLoad;
use noccl_spec::{CoreTiles, PlaneName};
use std::io::{Read, Write};

/// The cores of all tiles, to which words come. A packet's tag is its number at its source.
pub(crate) trait Receivers {
    /// Does a tile take a word of the dynamic network?
    fn takes(&self, now: u64, tile: TileId) -> bool;

    /// A word of the dynamic network has come.
    fn deliver(&mut self, now: u64, tile: TileId, flit: WormholeFlit, tag: u64);

    /// Does a tile take a word of the static network?
    fn takes_static(&self, now: u64, tile: TileId) -> bool;

    /// A word of the static network has come.
    fn deliver_static(&mut self, tile: TileId, flit: WormholeFlit, tag: u64);
}

/// The planes of a network of core tiles.
pub(crate) struct Planes {
    /// The dynamic network.
    pub(crate) udn: Plane<Xy>,
    /// The static network.
    pub(crate) fixed: Plane<Configured>,
}

impl Planes {
    pub(crate) fn new(network: &Network, tiles: &CoreTiles) -> Self {
        let (width, height) = (network.width(), network.height());
        let router = &tiles.router;
        let fixed = Params::of_static(&router.static_network);
        Self {
            udn: Plane::<Xy>::new(width, height, Params::of_udn(&router.udn)),
            fixed: Plane::<Configured>::new(width, height, fixed),
        }
    }

    /// A cycle of the routers, and the words that come in it. Returns whether anything has moved.
    pub(crate) fn step(&mut self, now: u64, to: &mut impl Receivers) -> bool {
        let mut has_moved = false;
        if !self.udn.is_idle() {
            has_moved |= self.udn.step(now, |tile, _| to.takes(now, tile));
            for (tile, flit) in self.udn.delivered() {
                let tag = self.udn.packet(flit.packet()).tag;
                to.deliver(now, *tile, *flit, tag);
            }
        }
        if !self.fixed.is_idle() {
            has_moved |= self.fixed.step(now, |tile, _| to.takes_static(now, tile));
            for (tile, flit) in self.fixed.delivered() {
                let tag = self.fixed.packet(flit.packet()).tag;
                to.deliver_static(*tile, *flit, tag);
            }
        }
        has_moved
    }

    /// Words so far, by link between two routers.
    pub(crate) fn links(&self) -> Vec<LinkLoad> {
        let udn = self.udn.link_loads();
        let udn = udn.map(|load| (PlaneName::Udn, load));
        let fixed = self.fixed.link_loads();
        let fixed = fixed.map(|load| (PlaneName::Static, load));
        udn.chain(fixed)
            .filter(|(_, (_, port, _))| *port != Port::Local)
            .map(|(plane, (tile, port, flits))| LinkLoad {
                link: LinkId { plane, tile, port },
                flits,
            })
            .collect()
    }

    /// Appends the state to a checkpoint.
    pub(crate) fn save<W: Write>(&self, to: &mut Writer<W>) -> Result<(), CheckpointError> {
        let Self { udn, fixed } = self;
        udn.save(to)?;
        fixed.save(to)
    }

    /// Takes the place of new planes' state.
    pub(crate) fn restore<R: Read>(&mut self, from: &mut Reader<R>) -> Result<(), CheckpointError> {
        let Self { udn, fixed } = self;
        udn.restore(from)?;
        fixed.restore(from)
    }

    pub(crate) const fn is_idle(&self) -> bool {
        self.udn.is_idle() && self.fixed.is_idle()
    }

    pub(crate) const fn can_move(&self) -> bool {
        self.udn.can_move() || self.fixed.can_move()
    }

    /// Cycles before `now` in which words could not go on over a link, over all links.
    pub(crate) fn blocked_cycles(&self, now: u64) -> u64 {
        self.udn.blocked_cycles(now).total + self.fixed.blocked_cycles(now).total
    }

    /// Hops of all words so far.
    pub(crate) fn flit_hops(&self) -> u64 {
        self.udn.flit_hops() + self.fixed.flit_hops()
    }
}

// Words that come to cores, and whether there is space for them.

impl Receivers for Cores<'_> {
    fn takes(&self, now: u64, tile: TileId) -> bool {
        self.stores[tile.idx()].has_space() && self.stalls.takes(now, tile)
    }

    fn deliver(&mut self, now: u64, tile: TileId, flit: WormholeFlit, number: u64) {
        let unit = self.units[number as usize];
        let store = &mut self.stores[tile.idx()];
        let queue = store.queue_of(unit.kind.tag());
        if flit.is_head() {
            store.open(queue, number as u32, unit.words);
            if unit.kind == UnitKind::Data(0)
                && let Some(message) = self.messages.get(unit.message)
            {
                self.program.comes(message.receiving, now + 1);
            }
        } else {
            store.fill(queue);
        }
        self.wake(tile.idx());
    }

    fn takes_static(&self, now: u64, tile: TileId) -> bool {
        let most = self.static_network.port_fifo_words as usize;
        self.static_words[tile.idx()].len() < most && self.stalls.takes(now, tile)
    }

    fn deliver_static(&mut self, tile: TileId, flit: WormholeFlit, action: u64) {
        self.static_words[tile.idx()].push_back(StaticWord {
            action: action as u32,
            index: flit.index(),
        });
        self.wake(tile.idx());
    }
}
