// SPDX-License-Identifier: Apache-2.0
//! What holds a chain up at an endpoint, for the diagnosis of a stall.

use crate::endpoint::torrent::cfg::Key;
use crate::endpoint::torrent::port::Cause;
use crate::endpoint::torrent::published::endpoint::Endpoint;
use crate::endpoint::torrent::published::follower::Follower;

impl Endpoint {
    /// What holds up a chain here, and since when; none if its grant has gone on or has not come.
    pub(crate) fn holds_up(&self, key: Key) -> Option<(Cause, u64)> {
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
