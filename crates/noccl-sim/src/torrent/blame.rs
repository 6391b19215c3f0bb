// SPDX-License-Identifier: Apache-2.0
//! What a chain that has not been granted waits for, told to the diagnosis of a hang.

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
        let head = self.places.get(tile as usize)?.endpoint.head.as_ref()?;
        Some(head.task.instance)
    }

    /// Initiator of the chain that the endpoint of a tile serves.
    pub(crate) fn served_at(&self, tile: u32) -> Option<u32> {
        let serving = self.places[tile as usize].endpoint.serving?;
        Some(serving.initiator)
    }

    /// A burst of one beat, which the published endpoint never sends.
    pub(crate) fn never_leaves(&self, tile: u32) -> bool {
        let head = self.places[tile as usize].endpoint.head.as_ref();
        let is_single = head.is_some_and(|h| h.task.beats == 1 && !h.task.cfgs.is_empty());
        is_single && self.settings.mode == TorrentMode::Published
    }

    /// What holds up the grant of the chain that the endpoint of a tile leads.
    pub(crate) fn hindrance(&self, tile: u32) -> Option<Hindrance> {
        let head = self.places.get(tile as usize)?.endpoint.head.as_ref()?;
        let key = head.key();
        let stops = head.task.cfgs.iter().rev();
        let waiting = stops.filter_map(|(stop, _)| {
            let endpoint = &self.places[*stop as usize].endpoint;
            let follower: &Follower = endpoint.followers.iter().find(|f| f.cfg.key == key)?;
            if follower.granted {
                return None;
            }
            let cause = match endpoint.serving {
                Some(serving) if serving != key => Cause::Serves(serving.initiator),
                Some(_) | None => {
                    let (first, _) = endpoint.grants.front()?;
                    if *first != key {
                        Cause::GrantBefore(first.initiator)
                    } else if endpoint.head.is_some() {
                        Cause::Reads
                    } else {
                        return None;
                    }
                }
            };
            Some(Hindrance {
                stop: *stop,
                cause,
                since_cycle: follower.since_cycle,
            })
        });
        waiting.into_iter().next()
    }
}
