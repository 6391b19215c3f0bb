// SPDX-License-Identifier: Apache-2.0
//! What ranks have done.

use super::ExecutedCores;
use noccl_net::TileId;
use noccl_run::{RankTime, TimeSlices};
use serde::{Deserialize, Serialize};

/// What a rank has done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutedRank {
    /// Its tile.
    pub tile: TileId,
    /// What its program has ended with.
    pub exit_code: u64,
    /// When it ended.
    pub finish_cycle: u64,
    /// Instructions that it has executed.
    pub instructions: u64,
    /// Cycles in which it waited for space in a port, and for words.
    pub send_wait_cycles: u64,
    /// Cycles in which it waited for words.
    pub receive_wait_cycles: u64,
    /// Packets of the dynamic network that it has begun.
    pub packets: u64,
    /// Words that it has written into both networks.
    pub sent_words: u64,
    /// Words that it has read from both.
    pub received_words: u64,
    /// What it has printed.
    pub console: Vec<u8>,
    /// When it executed and waited; nothing if it was not asked for.
    pub times: TimeSlices,
}

impl ExecutedCores<'_> {
    /// What each rank has printed so far.
    pub(crate) fn consoles(&self) -> impl Iterator<Item = &[u8]> {
        self.tiles.iter().map(|tile| tile.console.as_slice())
    }

    /// What each rank has done so far.
    pub(crate) fn results(&self) -> Vec<ExecutedRank> {
        let ranks = self.tiles.iter().map(|tile| ExecutedRank {
            tile: tile.at,
            // A rank that has not ended has not succeeded, as 0 would say.
            exit_code: tile.exit_code.unwrap_or(u64::MAX),
            finish_cycle: tile.finish_cycle,
            instructions: tile.core.retired_instructions,
            send_wait_cycles: tile.send_wait_cycles,
            receive_wait_cycles: tile.receive_wait_cycles,
            packets: tile.packets,
            sent_words: tile.sent_words,
            received_words: tile.received_words,
            console: tile.console.clone(),
            times: tile
                .times
                .as_ref()
                .map_or_else(TimeSlices::default, |times| {
                    times.filled(RankTime::Execute, tile.finish_cycle)
                }),
        });
        ranks.collect()
    }
}
