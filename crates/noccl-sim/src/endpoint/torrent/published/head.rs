// SPDX-License-Identifier: Apache-2.0
//! The initiator of a chain: configurations out, data out once it is granted, done when the finish is back.

use crate::endpoint::torrent::cfg::{Cfg, Key};
use crate::endpoint::torrent::pattern::{Addresses, Streamer};
use crate::endpoint::torrent::published::responses::Responses;
use noccl_spec::TorrentDispatch;
use serde::{Deserialize, Serialize};

/// A chain as its initiator is told it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainTask {
    /// Its name, which the endpoint gives it.
    pub key: Key,
    /// Instance of the schedule that waits for it.
    pub instance: u32,
    pub source: Addresses,
    /// Where the initiator keeps a copy itself.
    pub own_copy: Option<Addresses>,
    pub beats: u64,
    /// Follower and its configuration, in the order of the data.
    pub cfgs: Vec<(u32, Cfg)>,
    /// Places in that order, in the order of grants.
    pub grants: Vec<u16>,
}

impl ChainTask {
    /// Everybody calls the task by this key.
    pub(crate) fn name(&mut self, key: Key) {
        self.key = key;
        for (_, cfg) in &mut self.cfgs {
            cfg.key = key;
        }
    }

    /// The configuration that leaves after so many others.
    pub(crate) fn to_dispatch(&self, gone: usize, dispatch: TorrentDispatch) -> Option<(u32, Cfg)> {
        let at = match dispatch {
            TorrentDispatch::ChainOrder => gone,
            TorrentDispatch::TailFirst => self.cfgs.len().checked_sub(1 + gone)?,
        };
        self.cfgs.get(at).copied()
    }
}

/// A task that has started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Head {
    pub task: ChainTask,
    /// Configurations that have asked for the port.
    pub asked: usize,
    /// Cycle in which the last of them leaves, once it is known.
    pub(super) dispatched_cycle: u64,
    pub reader: Streamer,
    pub(super) own_writer: Option<Streamer>,
    pub granted: bool,
    /// What the destinations have responded, where they respond by themselves.
    pub responses: Responses,
    /// Finishes that have yet to come.
    pub(super) finishes_due: usize,
    pub(super) finished_cycle: Option<u64>,
    /// Mode `published`: its bursts have been opened.
    pub is_open: bool,
}

impl Head {
    pub(crate) const fn key(&self) -> Key {
        self.task.key
    }

    /// Have all its configurations left before this cycle?
    pub(crate) const fn is_dispatched(&self, now: u64) -> bool {
        self.asked >= self.task.cfgs.len() && self.dispatched_cycle <= now
    }

    /// Is everything read and written, and the finish back?
    pub(crate) fn is_over(&self, now: u64) -> bool {
        let is_alone = self.task.cfgs.is_empty();
        let is_finished = is_alone || self.finished_cycle.is_some_and(|c| c <= now);
        let own = self.own_writer.as_ref();
        let has_own = own.is_none_or(|w| w.passed() == w.beats() && w.is_drained());
        is_finished && has_own && self.has_read_all()
    }

    /// A finish has come: of the first destination, or of any if each sends its own.
    pub(crate) fn take_finish(&mut self, now: u64) {
        self.finishes_due = self.finishes_due.saturating_sub(1);
        if self.finishes_due == 0 {
            self.finished_cycle.get_or_insert(now);
        }
    }

    /// Has the last beat left the reader?
    pub(crate) fn has_read_all(&self) -> bool {
        self.reader.passed() == self.task.beats
    }
}
