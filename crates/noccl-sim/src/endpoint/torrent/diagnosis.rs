// SPDX-License-Identifier: Apache-2.0
//! What a chain that has not been granted waits for, told to the diagnosis of a stall.

use crate::endpoint::torrent::port::Torrents;
use crate::endpoint::torrent::wait_cause::Hindrance;
use noccl_spec::TorrentMode;

impl Torrents {
    /// Instance of the schedule whose chain the endpoint of a tile leads.
    pub(crate) fn led_by(&self, tile: u32) -> Option<u32> {
        let task = self.places.get(tile as usize)?.unit.task()?;
        Some(task.instance)
    }

    /// Initiator of the chain that the endpoint of a tile serves.
    pub(crate) fn served_at(&self, tile: u32) -> Option<u32> {
        let serving = self.places[tile as usize].unit.serving()?;
        Some(serving.initiator)
    }

    /// A burst of one beat, which the published endpoint never sends.
    pub(crate) fn never_leaves(&self, tile: u32) -> bool {
        let task = self.places[tile as usize].unit.task();
        let is_single = task.is_some_and(|t| t.beats == 1 && !t.cfgs.is_empty());
        is_single && self.settings.mode == TorrentMode::Published
    }

    /// What holds up the grant of the chain that the endpoint of a tile leads.
    pub(crate) fn hindrance(&self, tile: u32) -> Option<Hindrance> {
        let task = self.places.get(tile as usize)?.unit.task()?;
        let mut destinations = task.cfgs.iter().rev();
        destinations.find_map(|(destination, cfg)| {
            let (cause, since_cycle) = self.places[*destination as usize].unit.holds_up(cfg.key)?;
            Some(Hindrance {
                destination: *destination,
                cause,
                since_cycle,
            })
        })
    }
}
