// SPDX-License-Identifier: Apache-2.0
//! One endpoint, cycle by cycle: it begins the chains of its own cluster and follows in those of others.
//!
//! It knows messages and beats, no flits; whatever connects endpoints calls [`Endpoint::receive`],
//! [`Endpoint::arrive`] and [`Endpoint::tick`]. With connections that take no time a chain of N destinations takes
//! 31 N + beats + 2 cycles, as the published hardware does (13 per configuration, 6 per grant, 5 per data hop,
//! 7 per finish).
//!
//! Both roles have their own streams, so that an endpoint that waits in one can go on in the other. In mode
//! `published` a middle destination waits until its own reader is idle, as there.

use crate::endpoint::torrent::cfg::{Key, NUM_TASK_IDS};
use crate::endpoint::torrent::lane::Lane;
use crate::endpoint::torrent::narrow::NarrowPort;
use crate::endpoint::torrent::published::follower::Follower;
use crate::endpoint::torrent::published::head::{ChainTask, Head};
use crate::endpoint::torrent::unit::{Arrived, Settings};
use noccl_spec::TorrentMode;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Endpoint {
    pub tile: u32,
    pub(crate) tasks: VecDeque<ChainTask>,
    pub(crate) next_task: u8,
    /// Its own tasks in progress, in the order of their start.
    pub(super) heads: Vec<Head>,
    /// The one of them whose data leave.
    pub(super) streaming: Option<Key>,
    /// Configurations of tasks that are not over here, in the order of arrival.
    pub(super) followers: Vec<Follower>,
    /// The task whose data this endpoint takes.
    pub(crate) serving: Option<Key>,
    /// Grants of tasks whose configuration has not come, or that wait behind another task.
    pub(crate) grants: VecDeque<(Key, u64)>,
    /// Messages of tasks that are not known here.
    pub strays: u64,
    pub(crate) narrow: NarrowPort,
    pub arrived: VecDeque<Arrived>,
    pub lanes: [Lane; 2],
}

impl Endpoint {
    pub(crate) fn new(tile: u32) -> Self {
        Self {
            tile,
            tasks: VecDeque::new(),
            next_task: 0,
            heads: Vec::new(),
            streaming: None,
            followers: Vec::new(),
            serving: None,
            grants: VecDeque::new(),
            strays: 0,
            narrow: NarrowPort::default(),
            arrived: VecDeque::new(),
            lanes: [Lane::default(), Lane::default()],
        }
    }

    /// The core commits a task: cycle 0 of its counter.
    pub(crate) fn commit(&mut self, mut task: ChainTask) {
        let key = Key {
            initiator: self.tile,
            task: self.next_task,
        };
        task.name(key);
        self.next_task = (self.next_task + 1) % NUM_TASK_IDS;
        self.tasks.push_back(task);
    }

    /// Beats that the receiving side holds are fewer than it has space for.
    pub(crate) fn takes_beat(&self, settings: &Settings) -> bool {
        match settings.mode {
            // Space for whole bursts has been promised.
            TorrentMode::Safe => true,
            TorrentMode::Published => self.arrived.len() < 2,
        }
    }

    /// Is every task over and everything forgotten?
    #[cfg(test)]
    pub(crate) fn is_idle(&self) -> bool {
        let is_silent = self.narrow.is_idle() && self.grants.is_empty();
        let has_no_role =
            self.heads.is_empty() && self.tasks.is_empty() && self.followers.is_empty();
        has_no_role && is_silent && self.arrived.is_empty() && self.lanes.iter().all(Lane::is_empty)
    }

    pub(crate) fn served_mut(&mut self) -> Option<&mut Follower> {
        let key = self.serving?;
        self.followers.iter_mut().find(|f| f.cfg.key == key)
    }
}
