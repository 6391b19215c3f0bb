// SPDX-License-Identifier: Apache-2.0
//! Words that come to cores, and whether there is space for them.

use super::planes::Receivers;
use super::stream::StaticWord;
use super::{Cores, UnitKind};
use crate::router::wormhole::WormholeFlit;
use noccl_net::TileId;

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
