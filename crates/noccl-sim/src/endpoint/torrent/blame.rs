// SPDX-License-Identifier: Apache-2.0
//! What a chain that has not been granted waits for, told to the diagnosis of a hang.

use super::cfg::Key;
use super::endpoint::Endpoint;
use super::follower::Follower;
use super::port::Torrents;
use noccl_spec::TorrentMode;

/// Why a stop does not pass a chain's grant on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    /// It serves the chain of this initiator.
    Serves(u32),
    /// It is busy with the chain that it has begun itself.
    Reads,
    /// The grant of this initiator's chain came before.
    GrantBefore(u32),
}

/// The first stop, seen from where grants start, that holds a chain up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hindrance {
    pub stop: u32,
    pub cause: Cause,
    pub since_cycle: u64,
}

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
        let mut stops = task.cfgs.iter().rev();
        stops.find_map(|(stop, cfg)| {
            let (cause, since_cycle) = self.places[*stop as usize].unit.holds_up(cfg.key)?;
            Some(Hindrance {
                stop: *stop,
                cause,
                since_cycle,
            })
        })
    }
}

impl Endpoint {
    /// What holds up a chain here, and since when; none if its grant has gone on or has not come.
    pub(super) fn holds_up(&self, key: Key) -> Option<(Cause, u64)> {
        let follower: &Follower = self.followers.iter().find(|f| f.cfg.key == key)?;
        if follower.granted {
            return None;
        }
        let cause = match self.serving {
            Some(serving) if serving != key => Cause::Serves(serving.initiator),
            Some(_) | None => {
                let (first, _) = self.grants.front()?;
                if *first != key {
                    Cause::GrantBefore(first.initiator)
                } else if !self.heads.is_empty() {
                    Cause::Reads
                } else {
                    return None;
                }
            }
        };
        Some((cause, follower.since_cycle))
    }
}
