// SPDX-License-Identifier: Apache-2.0
//! The initiator of a chain: configurations out, data out once it is granted, done when the finish is back.

use super::cfg::{Cfg, Key};
use super::endpoint::{Bytes, CFG_CYCLES, Effects, Endpoint, OWN, Settings};
use super::narrow::{Leaving, Message};
use super::pattern::{Addresses, Streamer};
use super::response::Answers;
use noccl_spec::{TorrentDispatch, TorrentMode};
use serde::{Deserialize, Serialize};

/// A chain as its initiator is told it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Task {
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

impl Task {
    /// Everybody calls the task by this key.
    pub(super) fn name(&mut self, key: Key) {
        self.key = key;
        for (_, cfg) in &mut self.cfgs {
            cfg.key = key;
        }
    }

    /// The configuration that leaves after so many others.
    fn to_dispatch(&self, gone: usize, dispatch: TorrentDispatch) -> Option<(u32, Cfg)> {
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
    pub task: Task,
    /// Configurations that have asked for the port.
    asked: usize,
    /// Cycle in which the last of them leaves, once it is known.
    dispatched_cycle: u64,
    pub reader: Streamer,
    pub own_writer: Option<Streamer>,
    pub granted: bool,
    /// What the stops have answered, where they answer by themselves.
    pub answers: Answers,
    /// Finishes that have yet to come.
    finishes_due: usize,
    pub finished_cycle: Option<u64>,
    /// Mode `published`: its bursts have been opened.
    pub is_open: bool,
}

impl Head {
    pub(super) const fn key(&self) -> Key {
        self.task.key
    }

    /// Have all its configurations left before this cycle?
    const fn is_dispatched(&self, now: u64) -> bool {
        self.asked >= self.task.cfgs.len() && self.dispatched_cycle <= now
    }

    /// Is everything read and written, and the finish back?
    fn is_over(&self, now: u64) -> bool {
        let is_alone = self.task.cfgs.is_empty();
        let is_finished = is_alone || self.finished_cycle.is_some_and(|c| c <= now);
        let own = self.own_writer.as_ref();
        let has_own = own.is_none_or(|w| w.passed() == w.beats() && w.is_drained());
        is_finished && has_own && self.has_read_all()
    }

    /// A finish has come: of the first stop, or of any if each sends its own.
    pub(super) fn take_finish(&mut self, now: u64) {
        self.finishes_due = self.finishes_due.saturating_sub(1);
        if self.finishes_due == 0 {
            self.finished_cycle.get_or_insert(now);
        }
    }

    /// Has the last beat left the reader?
    pub(super) fn has_read_all(&self) -> bool {
        self.reader.passed() == self.task.beats
    }
}

impl Endpoint {
    /// Ends a task that is over, or starts the next one once the one before has sent its configurations.
    pub(super) fn lead(&mut self, now: u64, settings: &Settings, effects: &mut Effects) {
        if let Some(at) = self.heads.iter().position(|h| h.is_over(now)) {
            effects.done = Some(self.heads.remove(at).task.instance);
            effects.has_moved = true;
            return;
        }
        let is_full = self.heads.len() >= settings.open_tasks as usize;
        if is_full || self.heads.last().is_some_and(|h| !h.is_dispatched(now)) {
            return;
        }
        // A task's name is its own until it is over.
        let is_named = |task: &Task| self.heads.iter().any(|h| h.key() == task.key);
        if self.tasks.front().is_none_or(is_named) {
            return;
        }
        let Some(task) = self.tasks.pop_front() else {
            return;
        };
        effects.has_moved = true;
        if let Some((to, cfg)) = task.to_dispatch(0, settings.dispatch) {
            self.narrow.ask(now + CFG_CYCLES, to, Message::Cfg(cfg));
        }
        let num_stops = task.cfgs.len();
        self.heads.push(Head {
            asked: 1,
            dispatched_cycle: if num_stops == 0 { 0 } else { u64::MAX },
            reader: Streamer::new(task.source, task.beats),
            own_writer: task.own_copy.map(|own| Streamer::new(own, task.beats)),
            granted: task.cfgs.is_empty(),
            answers: Answers::default(),
            finishes_due: if settings.is_parallel() { num_stops } else { 1 },
            finished_cycle: None,
            is_open: false,
            task,
        });
    }

    /// A configuration leaves: the next one asks for the port.
    pub(super) fn next_cfg(&mut self, leaving: &Leaving, settings: &Settings) {
        let Message::Cfg(cfg) = leaving.message else {
            return;
        };
        let Some(head) = self.heads.iter_mut().find(|h| h.key() == cfg.key) else {
            return;
        };
        if let Some((to, cfg)) = head.task.to_dispatch(head.asked, settings.dispatch) {
            head.asked += 1;
            let ready_cycle = leaving.cycle + CFG_CYCLES;
            self.narrow.ask(ready_cycle, to, Message::Cfg(cfg));
        } else {
            head.dispatched_cycle = leaving.cycle;
        }
    }

    /// The first task under way that has not been granted, or the first of all.
    pub(super) fn leading(&self) -> Option<&Head> {
        let waits = self.heads.iter().find(|h| !h.granted);
        waits.or(self.heads.first())
    }

    /// Next cycle in which a task can start because the configurations of the one before have left.
    pub(super) fn next_start(&self, now: u64) -> Option<u64> {
        let last = self.heads.last().filter(|_| !self.tasks.is_empty())?;
        (last.dispatched_cycle > now && last.dispatched_cycle < u64::MAX)
            .then_some(last.dispatched_cycle)
    }

    /// The granted task whose data leave: one after the other, since a lane keeps beats in order.
    fn streaming(&mut self) -> Option<&mut Head> {
        let is_read = |h: &Head| Some(h.key()) == self.streaming && h.has_read_all();
        if self.streaming.is_none() || self.heads.iter().any(is_read) {
            let next = self.heads.iter().find(|h| h.granted && !h.has_read_all());
            self.streaming = next.map(Head::key);
        }
        let key = self.streaming?;
        self.heads.iter_mut().find(|h| h.key() == key)
    }

    /// A beat of the own task: to the own memory, to the first follower, or to both at once.
    pub(super) fn send_own(
        &mut self,
        now: u64,
        settings: &Settings,
        bytes: &mut impl Bytes,
        effects: &mut Effects,
    ) {
        let tile = self.tile;
        if self.streaming().is_none() {
            return;
        }
        let (heads, lane) = (&mut self.heads, &mut self.lanes[OWN]);
        let head = heads.iter_mut().find(|h| Some(h.key()) == self.streaming);
        let Some(head) = head else { return };
        let first = head.task.cfgs.first().map(|(to, _)| *to);
        let (beat, beats) = (head.reader.passed(), head.task.beats);
        if let Some(to) = first
            && settings.mode == TorrentMode::Published
            && !head.is_open
        {
            head.is_open = true;
            super::open_all(lane, now, settings, to, beats, tile);
        }
        if beat == beats || !head.reader.has_beat() {
            return;
        }
        let own = head.own_writer.as_ref();
        if own.is_some_and(|w| !w.has_room(settings.fifo_words)) {
            return;
        }
        if let Some(to) = first
            && !super::admit(lane, now, settings, to, (beat, beats), tile)
        {
            return;
        }
        effects.has_moved = true;
        let payload = bytes.load(&head.reader.pass());
        if let Some(writer) = &mut head.own_writer {
            bytes.store(&writer.pass(), payload);
        }
        if first.is_some() {
            lane.push(now, settings.lane_cycles(), payload);
        } else {
            bytes.release(payload);
        }
    }
}
