// SPDX-License-Identifier: Apache-2.0
//! A follower's part of a cycle: data in and on, the grant and the finish.

use crate::endpoint::torrent::cfg::Key;
use crate::endpoint::torrent::narrow::NarrowMessage;
use crate::endpoint::torrent::published::endpoint::Endpoint;
use crate::endpoint::torrent::published::follower::Follower;
use crate::endpoint::torrent::published::lead::OwnResponse;
use crate::endpoint::torrent::unit::{
    Bytes, Effects, FINISH_CYCLES, FORWARD, GRANT_CYCLES, Settings,
};
use noccl_spec::{TorrentAcknowledgement, TorrentMode};

impl Endpoint {
    /// A beat that has come goes to the memory and, in the same cycle, on to the next destination.
    pub(crate) fn switch(
        &mut self,
        now: u64,
        settings: &Settings,
        bytes: &mut impl Bytes,
        effects: &mut Effects,
    ) {
        let Some(arrived) = self.arrived.front().copied() else {
            return;
        };
        let Some(key) = self.serving else { return };
        let follower = self.followers.iter_mut().find(|f| f.cfg.key == key);
        let Some(follower) = follower.filter(|f| f.granted) else {
            return;
        };
        let (beat, beats) = (follower.writer.passed(), follower.writer.beats());
        if !follower.writer.has_space(settings.fifo_words) {
            return;
        }
        let lane = &mut self.lanes[FORWARD];
        if let Some(next) = follower.cfg.next {
            if !lane.admit(now, settings, next, (beat, beats), key.initiator) {
                return;
            }
            bytes.share(arrived.payload);
            lane.push(now, settings.lane_cycles(), arrived.payload);
        }
        bytes.store(&follower.writer.pass(), arrived.payload);
        bytes.release(arrived.payload);
        self.arrived.pop_front();
        effects.consumed = arrived.closes;
        effects.has_moved = true;
    }

    /// Which task is served, its grant and its finish.
    pub(crate) fn follow(&mut self, now: u64, settings: &Settings, effects: &mut Effects) {
        if self.serving.is_none() {
            self.serving = match (settings.mode, settings.acknowledgement) {
                (TorrentMode::Safe, TorrentAcknowledgement::Chained) => self.first_granted(),
                (TorrentMode::Safe, TorrentAcknowledgement::Parallel) => self.first_waiting(),
                (TorrentMode::Published, _) => self.followers.first().map(|f| f.cfg.key),
            };
            effects.has_moved |= self.serving.is_some();
        }
        if settings.is_parallel() {
            self.response(now, effects);
        }
        let Some(key) = self.serving else { return };
        let Some(at) = self.followers.iter().position(|f| f.cfg.key == key) else {
            return;
        };
        let is_due = if settings.is_parallel() {
            self.grants.iter().any(|g| g.0 == key)
        } else {
            !self.followers[at].granted && self.may_grant(at, settings)
        };
        if is_due {
            self.pass_grant(now, at, settings);
            effects.has_moved = true;
        }
        self.finish(now, at, settings, effects);
    }

    /// Mode `safe`: of the tasks whose grant is here the one whose grant came first.
    fn first_granted(&self) -> Option<Key> {
        let starts = self.followers.iter().filter(|f| f.cfg.starts_grant);
        let starts = starts.map(|f| (f.since_cycle, f.cfg.key));
        let known = |key: &Key| self.followers.iter().any(|f| f.cfg.key == *key);
        let came = self.grants.iter().filter(|(key, _)| known(key));
        let came = came.map(|(key, cycle)| (*cycle, *key));
        starts.chain(came).min().map(|(_, key)| key)
    }

    /// May the served task's grant go on?
    fn may_grant(&self, at: usize, settings: &Settings) -> bool {
        match settings.mode {
            TorrentMode::Safe => true,
            TorrentMode::Published => {
                let follower = &self.followers[at];
                let is_tail = follower.cfg.next.is_none();
                // A grant behind another task's is not seen; a middle destination's reader must be idle.
                let is_granted = self.grants.front().is_some_and(|g| g.0 == follower.cfg.key);
                is_tail || (is_granted && self.heads.is_empty())
            }
        }
    }

    fn pass_grant(&mut self, now: u64, at: usize, settings: &Settings) {
        let Follower { cfg, .. } = self.followers[at];
        self.followers[at].granted = true;
        self.followers[at].response.overtake();
        self.grants.retain(|(key, _)| *key != cfg.key);
        let to = match settings.mode {
            TorrentMode::Safe => cfg.grant_to,
            TorrentMode::Published => cfg.previous,
        };
        let ready_cycle = now + GRANT_CYCLES;
        self.narrow
            .ask(ready_cycle, to, NarrowMessage::Grant(cfg.key));
        if let (TorrentMode::Published, Some(next)) = (settings.mode, cfg.next) {
            let lane = &mut self.lanes[FORWARD];
            let (beats, initiator) = (u64::from(cfg.beats), cfg.key.initiator);
            lane.open_all(now, settings, next, beats, initiator);
        }
    }

    /// The finish goes on, and the endpoint is free for the next task.
    fn finish(&mut self, now: u64, at: usize, settings: &Settings, effects: &mut Effects) {
        let follower = &mut self.followers[at];
        let is_written = follower.is_written();
        if is_written && follower.idle_cycle.is_none() {
            follower.idle_cycle = Some(now);
            effects.has_moved = true;
        }
        let is_idle = follower.idle_cycle.is_some_and(|c| c < now);
        let is_over = match (follower.cfg.next, settings.mode) {
            _ if settings.is_parallel() => is_idle && follower.response != OwnResponse::Overtaken,
            (None, _) => is_idle,
            (Some(_), TorrentMode::Safe) => follower.has_finish && is_written,
            (Some(_), TorrentMode::Published) => follower.has_finish,
        };
        let (key, previous) = (follower.cfg.key, follower.cfg.previous);
        if is_over && !follower.finished {
            follower.finished = true;
            let ready_cycle = now + FINISH_CYCLES;
            let to = if settings.is_parallel() {
                key.initiator
            } else {
                previous
            };
            self.narrow.ask(ready_cycle, to, NarrowMessage::Finish(key));
        }
        if self.followers[at].finished && is_written {
            self.followers.remove(at);
            self.serving = None;
            effects.has_moved = true;
        }
    }
}
