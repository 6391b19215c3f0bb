// SPDX-License-Identifier: Apache-2.0
//! What ranks wait for, for the diagnosis of a run in which nothing moves.

use super::ExecutedCores;
use super::tile::State;
use noccl_net::TileId;
use noccl_riscv::Port;

/// A rank that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RankWait {
    pub(crate) rank: u32,
    pub(crate) tile: TileId,
    /// Where in the program: the symbol and the bytes behind it, or the address.
    pub(crate) place: String,
    pub(crate) awaited: String,
    pub(crate) since_cycle: u64,
}

impl ExecutedCores<'_> {
    /// An address of the program as messages name it.
    pub(crate) fn place_of(&self, pc: u64) -> String {
        self.program.image().place_of(pc)
    }

    /// Ranks that wait, ascending.
    pub(crate) fn waits(&self) -> Vec<RankWait> {
        let ranks = self.tiles.iter().enumerate();
        let waiting =
            ranks.filter(|(_, tile)| matches!(tile.state, State::Blocked | State::Waiting));
        let wait = |(rank, tile): (usize, &super::tile::CoreTile)| {
            let access = tile.core.pending_access()?;
            let port = Port::at(access.address).map_or_else(String::new, Port::c_name);
            let awaited = if tile.state == State::Blocked {
                format!("space in {port}")
            } else {
                format!("words in {port}")
            };
            Some(RankWait {
                rank: rank as u32,
                tile: tile.at,
                place: self.place_of(access.pc),
                awaited,
                since_cycle: tile.since_cycle,
            })
        };
        waiting.filter_map(wait).collect()
    }
}
