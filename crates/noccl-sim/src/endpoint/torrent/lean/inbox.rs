// SPDX-License-Identifier: Apache-2.0
//! What others have told this endpoint: a place for each initiator, and the chains in the order in which they
//! became ready to be followed (`noccl_torrent_inbox`).

use crate::endpoint::torrent::cfg::{Cfg, Key};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// An initiator's chain that is not over here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Slot {
    pub cfg: Cfg,
    pub since_cycle: u64,
    pub has_finish: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Inbox {
    slots: Vec<Slot>,
    /// Initiators whose grant is here.
    granted: Vec<u32>,
    ready: VecDeque<u32>,
}

impl Inbox {
    pub(crate) fn slot(&self, initiator: u32) -> Option<&Slot> {
        self.slots.iter().find(|s| s.cfg.key.initiator == initiator)
    }

    pub(crate) fn first_ready(&self) -> Option<u32> {
        self.ready.front().copied()
    }

    pub(crate) fn take_ready(&mut self) {
        self.ready.pop_front();
    }

    /// The later of configuration and grant makes a chain ready.
    pub(crate) fn take_cfg(&mut self, cfg: Cfg, now: u64) {
        let initiator = cfg.key.initiator;
        if cfg.starts_grant || self.granted.contains(&initiator) {
            self.ready.push_back(initiator);
        }
        self.slots.push(Slot {
            cfg,
            since_cycle: now,
            has_finish: false,
        });
    }

    pub(crate) fn take_grant(&mut self, key: Key) {
        if self.slot(key.initiator).is_some() {
            self.ready.push_back(key.initiator);
        }
        if !self.granted.contains(&key.initiator) {
            self.granted.push(key.initiator);
        }
    }

    /// A finish of an older task says nothing.
    pub(crate) fn take_finish(&mut self, key: Key) {
        if let Some(slot) = self.slots.iter_mut().find(|s| s.cfg.key == key) {
            slot.has_finish = true;
        }
    }

    pub(crate) fn release(&mut self, initiator: u32) {
        self.slots.retain(|s| s.cfg.key.initiator != initiator);
        self.granted.retain(|i| *i != initiator);
    }
}
