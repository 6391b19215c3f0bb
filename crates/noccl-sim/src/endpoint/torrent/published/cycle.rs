// SPDX-License-Identifier: Apache-2.0
//! What an endpoint does with a message, and in a cycle.

use crate::endpoint::torrent::cfg::Key;
use crate::endpoint::torrent::narrow::NarrowMessage;
use crate::endpoint::torrent::pattern::Banks;
use crate::endpoint::torrent::published::endpoint::Endpoint;
use crate::endpoint::torrent::published::follower::Follower;
use crate::endpoint::torrent::unit::{Bytes, Effects, Settings};

impl Endpoint {
    /// The last beat of a message has come.
    pub(crate) fn receive(&mut self, now: u64, message: NarrowMessage) {
        match message {
            NarrowMessage::Cfg(cfg) => self.followers.push(Follower::new(cfg, now)),
            NarrowMessage::Grant(key) => self.take_grant(now, key),
            NarrowMessage::Finish(key) => self.take_finish(now, key),
            NarrowMessage::Response(response) => self.take_response(now, response),
            NarrowMessage::Release(key) => self.take_release(key),
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
}
