// SPDX-License-Identifier: Apache-2.0
//! A destination of another endpoint's chain: reserved by the grant, fed by the destination before, released by the finish.

use crate::endpoint::torrent::cfg::Cfg;
use crate::endpoint::torrent::pattern::Streamer;
use crate::endpoint::torrent::published::lead::OwnResponse;
use serde::{Deserialize, Serialize};

/// A configuration and how far its task has come here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Follower {
    pub cfg: Cfg,
    /// Cycle in which it came.
    pub since_cycle: u64,
    pub(super) writer: Streamer,
    /// Has its grant gone on, or has the destination responded that it serves the task?
    pub granted: bool,
    /// What it has responded by itself, and what came of it.
    pub(super) response: OwnResponse,
    /// The finish of the next destination has come.
    pub has_finish: bool,
    /// Its own finish has gone on.
    pub finished: bool,
    /// Since when all data is in memory; looked at a cycle later.
    pub(super) idle_cycle: Option<u64>,
}

impl Follower {
    pub(crate) const fn new(cfg: Cfg, now: u64) -> Self {
        Self {
            since_cycle: now,
            writer: Streamer::new(cfg.addresses, cfg.beats as u64),
            granted: false,
            response: OwnResponse::Due,
            has_finish: false,
            finished: false,
            idle_cycle: None,
            cfg,
        }
    }

    /// All beats have come and are in memory.
    pub(crate) fn is_written(&self) -> bool {
        self.writer.passed() == self.writer.beats() && self.writer.is_drained()
    }
}
