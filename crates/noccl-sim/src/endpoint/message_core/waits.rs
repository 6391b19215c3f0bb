// SPDX-License-Identifier: Apache-2.0
//! What each core is doing when nothing moves, and for whom it waits.

use super::core::Doing;
use super::{Cores, UnitKind};
use noccl_net::TileId;

/// Whom a core waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum For {
    /// Its port into the dynamic network to take a word.
    Port,
    /// Its port into the static network to take one.
    StaticPort,
    /// Another core to send a message, an acknowledgement or words of a stream.
    Core(TileId),
}

/// A core that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CoreWait {
    pub tile: TileId,
    /// What it does, as text.
    pub doing: String,
    pub awaited: For,
    pub since_cycle: u64,
}

impl Cores<'_> {
    /// Cores that wait, ascending by tile.
    pub(crate) fn waits(&self) -> Vec<CoreWait> {
        (0..self.cores.len())
            .filter_map(|tile| self.wait_of(tile))
            .collect()
    }

    /// Words that stand in a core's store, and how many it holds.
    pub(crate) fn stored_words(&self, tile: usize) -> (u32, u32) {
        (self.stores[tile].len(), self.spec.receive_store_words)
    }

    /// What the worm of a unit carries, as text.
    pub(crate) fn unit_text(&self, number: u64) -> String {
        let unit = self.units[number as usize];
        let what = match unit.kind {
            UnitKind::Data(index) => format!("unit {index} of actions[{}]", unit.message),
            UnitKind::Acknowledgement => {
                format!("the acknowledgement of actions[{}]", unit.message)
            }
            UnitKind::Request => format!("the request of actions[{}]", unit.message),
            UnitKind::Reply => format!("the reply to actions[{}]", unit.message),
        };
        match self.messages.get(unit.message) {
            Some(message) => format!(
                "{what} ({} to {})",
                self.network.coord(TileId(message.source)),
                self.network.coord(TileId(message.target))
            ),
            None => what,
        }
    }

    fn wait_of(&self, tile: usize) -> Option<CoreWait> {
        let core = &self.cores[tile];
        let (doing, awaited) = match core.doing {
            Doing::Send { message, at, .. } => (
                format!(
                    "writes word {} of unit {} of actions[{message}]",
                    at.words, at.unit
                ),
                For::Port,
            ),
            Doing::Control { message, .. } => (
                format!("writes the response to actions[{message}]"),
                For::Port,
            ),
            Doing::Await { message, .. } => {
                let target = self.messages.get(message)?.target;
                let doing = format!("waits for a response before it sends actions[{message}]");
                (doing, For::Core(TileId(target)))
            }
            Doing::Write { share, words, .. } => (
                format!("writes word {words} of actions[{}]", self.action(share)),
                For::StaticPort,
            ),
            Doing::Read { share, words } => {
                let action = self.action(share);
                let root = self.streams.get(action)?.root();
                (
                    format!("reads word {words} of actions[{action}]"),
                    For::Core(root),
                )
            }
            Doing::Nothing | Doing::Local { .. } | Doing::Copy { .. } | Doing::Route { .. } => {
                self.receive_wait(tile)?
            }
        };
        Some(CoreWait {
            tile: TileId(tile as u32),
            doing,
            awaited,
            since_cycle: core.since,
        })
    }

    fn action(&self, share: u32) -> u32 {
        self.program.instances.all[share].action
    }

    /// The first message that a core has not received although nothing that it waits for is open.
    fn receive_wait(&self, tile: usize) -> Option<(String, For)> {
        let mut to_tile = self
            .messages
            .iter()
            .filter(|(_, m)| m.target as usize == tile);
        let waiting = to_tile.find_map(|(action, message)| {
            let share = &self.program.instances.all[message.receiving];
            (!share.is_over && share.open == 0).then_some((action, message.source))
        });
        let (action, source) = waiting?;
        Some((
            format!("waits for actions[{action}]"),
            For::Core(TileId(source)),
        ))
    }
}
