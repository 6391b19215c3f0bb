// SPDX-License-Identifier: Apache-2.0
//! One endpoint, cycle by cycle: it begins the chains of its own cluster and follows in those of others.
//!
//! It knows messages and beats, no flits; whatever connects endpoints calls [`Endpoint::receive`],
//! [`Endpoint::arrive`] and [`Endpoint::tick`]. With connections that take no time a chain of N stops takes
//! 31 N + beats + 2 cycles, as the published hardware does (13 per configuration, 6 per grant, 5 per data hop,
//! 7 per finish).
//!
//! Both roles have their own streams, so that an endpoint that waits in one can go on in the other. In mode
//! `published` a middle stop waits until its own reader is idle, as there.

use super::cfg::{Key, NUM_TASK_IDS};
use super::follower::Follower;
use super::head::{Head, Task};
use super::lane::Lane;
use super::narrow::{Leaving, Message, NarrowPort};
use super::pattern::Banks;
use noccl_spec::{EndpointCycles, TorrentAcknowledgement, TorrentDispatch, TorrentMode};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Cycles from the switch to the endpoint's port: address, burst, AW FIFO, W FIFO, data path.
const SWITCH_CYCLES: u64 = 5;
/// Cycles from a grant to the port's arbitration.
pub(super) const GRANT_CYCLES: u64 = 2;
/// Cycles from a finish to the port's arbitration.
pub(super) const FINISH_CYCLES: u64 = 3;
/// Cycles from the last beat of a configuration to the arbitration of the next.
pub(super) const CFG_CYCLES: u64 = 2;

/// Lane of an endpoint's own tasks, and of the data that it forwards.
pub(crate) const OWN: usize = 0;
pub(crate) const FORWARD: usize = 1;

/// What all endpoints of a network have in common.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub mode: TorrentMode,
    pub cycles: EndpointCycles,
    pub dispatch: TorrentDispatch,
    pub acknowledgement: TorrentAcknowledgement,
    pub open_tasks: u32,
    pub path_cycles: u64,
    pub burst_beats: u32,
    pub buffer_bursts: u32,
    pub fifo_words: u32,
    pub num_banks: u32,
}

impl Settings {
    pub(super) const fn is_parallel(&self) -> bool {
        matches!(self.acknowledgement, TorrentAcknowledgement::Parallel)
    }

    /// Cycles from the switch to the NI.
    pub(crate) const fn lane_cycles(&self) -> u64 {
        let switch_cycles = match self.cycles {
            EndpointCycles::Published => SWITCH_CYCLES,
            EndpointCycles::Lean => 0,
        };
        switch_cycles + self.path_cycles
    }

    /// Beats of the burst in which this beat of a task is.
    pub(super) const fn burst_of(&self, beat: u64, beats: u64) -> u16 {
        let burst = self.burst_beats as u64;
        let rest = beats - beat / burst * burst;
        if rest < burst {
            rest as u16
        } else {
            burst as u16
        }
    }

    pub(super) const fn begins_burst(&self, beat: u64) -> bool {
        beat.is_multiple_of(self.burst_beats as u64)
    }
}

/// A beat that has come over the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Arrived {
    pub payload: u32,
    /// Burst whose last beat it is.
    pub closes: Option<u32>,
}

/// Memory and payloads, as the endpoint uses them.
pub(crate) trait Bytes {
    /// Reads a beat's words into a new payload.
    fn load(&mut self, words: &[u64; 8]) -> u32;
    /// Writes a beat's words from a payload.
    fn store(&mut self, words: &[u64; 8], payload: u32);
    /// A second user of a payload.
    fn share(&mut self, payload: u32);
    /// A user of a payload is done with it.
    fn release(&mut self, payload: u32);
}

/// What a cycle of an endpoint leaves for others to do.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Effects {
    /// A message has started to leave.
    pub leaving: Option<Leaving>,
    /// The burst's buffer is free again.
    pub consumed: Option<u32>,
    /// The task of this instance is over.
    pub done: Option<u32>,
    /// Something has moved that can move on in the next cycle.
    pub has_moved: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Endpoint {
    pub tile: u32,
    pub(super) tasks: VecDeque<Task>,
    pub(super) next_task: u8,
    /// Its own tasks under way, in the order of their start.
    pub(super) heads: Vec<Head>,
    /// The one of them whose data leave.
    pub(super) streaming: Option<Key>,
    /// Configurations of tasks that are not over here, in the order of arrival.
    pub(super) followers: Vec<Follower>,
    /// The task whose data this endpoint takes.
    pub(super) serving: Option<Key>,
    /// Grants of tasks whose configuration has not come, or that wait behind another task.
    pub(super) grants: VecDeque<(Key, u64)>,
    /// Messages of tasks that are not known here.
    pub strays: u64,
    pub(super) narrow: NarrowPort,
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
    pub(crate) fn commit(&mut self, mut task: Task) {
        let key = Key {
            initiator: self.tile,
            task: self.next_task,
        };
        task.name(key);
        self.next_task = (self.next_task + 1) % NUM_TASK_IDS;
        self.tasks.push_back(task);
    }

    /// The last beat of a message has come.
    pub(crate) fn receive(&mut self, now: u64, message: Message) {
        match message {
            Message::Cfg(cfg) => self.followers.push(Follower::new(cfg, now)),
            Message::Grant(key) => self.take_grant(now, key),
            Message::Finish(key) => self.take_finish(now, key),
            Message::Answer(answer) => self.take_answer(now, answer),
            Message::Release(key) => self.take_release(key),
        }
    }

    fn take_grant(&mut self, now: u64, key: Key) {
        if key.initiator != self.tile {
            self.grants.push_back((key, now));
            return;
        }
        match self.heads.iter_mut().find(|h| h.key() == key) {
            Some(head) => head.granted = true,
            None => self.strays += 1,
        }
    }

    fn take_finish(&mut self, now: u64, key: Key) {
        if let Some(head) = self.heads.iter_mut().find(|h| h.key() == key) {
            head.take_finish(now);
            return;
        }
        let follower = self.followers.iter_mut().find(|f| f.cfg.key == key);
        match follower {
            Some(follower) => follower.has_finish = true,
            None => self.strays += 1,
        }
    }

    /// Beats that the receiving side holds are fewer than it has room for.
    pub(crate) fn takes_beat(&self, settings: &Settings) -> bool {
        match settings.mode {
            // Room for whole bursts has been promised.
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

    /// One cycle.
    pub(crate) fn tick(
        &mut self,
        now: u64,
        settings: &Settings,
        bytes: &mut impl Bytes,
    ) -> Effects {
        let mut effects = Effects::default();
        let mut banks = Banks::new(settings.num_banks);
        self.write(&mut banks, &mut effects);
        self.switch(now, settings, bytes, &mut effects);
        self.send_own(now, settings, bytes, &mut effects);
        self.read(&mut banks, settings, &mut effects);
        self.lead(now, settings, &mut effects);
        self.follow(now, settings, &mut effects);
        if let Some(leaving) = self.narrow.start(now) {
            self.next_cfg(&leaving, settings);
            effects.leaving = Some(leaving);
        }
        effects
    }

    /// Next cycle after this one in which something is due, whatever comes from outside.
    pub(crate) fn next_cycle(&self, now: u64) -> Option<u64> {
        let lanes = self.lanes.iter().filter_map(|l| l.next_cycle(now));
        let narrow = self.narrow.next_cycle().map(|c| c.max(now + 1));
        let start = self.next_start(now);
        lanes.chain(narrow).chain(start).min()
    }

    /// Writers before the reader: what has come must not wait for what goes.
    fn write(&mut self, banks: &mut Banks, effects: &mut Effects) {
        if let Some(follower) = self.served_mut() {
            effects.has_moved |= follower.writer.write(banks);
        }
        let own = self.heads.iter_mut().filter_map(|h| h.own_writer.as_mut());
        for writer in own {
            effects.has_moved |= writer.write(banks);
        }
    }

    fn read(&mut self, banks: &mut Banks, settings: &Settings, effects: &mut Effects) {
        for head in &mut self.heads {
            effects.has_moved |= head.reader.read(banks, settings.fifo_words);
        }
    }

    pub(super) fn served_mut(&mut self) -> Option<&mut Follower> {
        let key = self.serving?;
        self.followers.iter_mut().find(|f| f.cfg.key == key)
    }
}
