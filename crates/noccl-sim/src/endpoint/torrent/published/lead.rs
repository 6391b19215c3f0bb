// SPDX-License-Identifier: Apache-2.0
//! The initiator's part of a cycle: configurations out, data out once they are granted.

use crate::endpoint::torrent::narrow::{Leaving, NarrowMessage};
use crate::endpoint::torrent::pattern::Streamer;
use crate::endpoint::torrent::published::endpoint::Endpoint;
use crate::endpoint::torrent::published::head::{ChainTask, Head};
use crate::endpoint::torrent::unit::{Bytes, CFG_CYCLES, Effects, OWN, Settings};
use noccl_spec::TorrentMode;
use serde::{Deserialize, Serialize};

impl Endpoint {
    /// Ends a task that is over, or starts the next one once the one before has sent its configurations.
    pub(crate) fn lead(&mut self, now: u64, settings: &Settings, effects: &mut Effects) {
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
        let is_named = |task: &ChainTask| self.heads.iter().any(|h| h.key() == task.key);
        if self.tasks.front().is_none_or(is_named) {
            return;
        }
        let Some(task) = self.tasks.pop_front() else {
            return;
        };
        effects.has_moved = true;
        if let Some((to, cfg)) = task.to_dispatch(0, settings.dispatch) {
            self.narrow
                .ask(now + CFG_CYCLES, to, NarrowMessage::Cfg(cfg));
        }
        let num_destinations = task.cfgs.len();
        self.heads.push(Head {
            asked: 1,
            dispatched_cycle: if num_destinations == 0 { 0 } else { u64::MAX },
            reader: Streamer::new(task.source, task.beats),
            own_writer: task.own_copy.map(|own| Streamer::new(own, task.beats)),
            granted: task.cfgs.is_empty(),
            responses: Responses::default(),
            finishes_due: if settings.is_parallel() {
                num_destinations
            } else {
                1
            },
            finished_cycle: None,
            is_open: false,
            task,
        });
    }

    /// A configuration leaves: the next one asks for the port.
    pub(crate) fn next_cfg(&mut self, leaving: &Leaving, settings: &Settings) {
        let NarrowMessage::Cfg(cfg) = leaving.message else {
            return;
        };
        let Some(head) = self.heads.iter_mut().find(|h| h.key() == cfg.key) else {
            return;
        };
        if let Some((to, cfg)) = head.task.to_dispatch(head.asked, settings.dispatch) {
            head.asked += 1;
            let ready_cycle = leaving.cycle + CFG_CYCLES;
            self.narrow.ask(ready_cycle, to, NarrowMessage::Cfg(cfg));
        } else {
            head.dispatched_cycle = leaving.cycle;
        }
    }

    /// The first task in progress that has not been granted, or the first of all.
    pub(crate) fn leading(&self) -> Option<&Head> {
        let waits = self.heads.iter().find(|h| !h.granted);
        waits.or(self.heads.first())
    }

    /// Next cycle in which a task can start because the configurations of the one before have left.
    pub(crate) fn next_start(&self, now: u64) -> Option<u64> {
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
    pub(crate) fn send_own(
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
            lane.open_all(now, settings, to, beats, tile);
        }
        if beat == beats || !head.reader.has_beat() {
            return;
        }
        let own = head.own_writer.as_ref();
        if own.is_some_and(|w| !w.has_space(settings.fifo_words)) {
            return;
        }
        if let Some(to) = first
            && !lane.admit(now, settings, to, (beat, beats), tile)
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

// What is known of acknowledgements in parallel, at the initiator and at a follower.

/// What an initiator knows of its destinations, by place in the chain.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Responses {
    pub free: Vec<u16>,
    pub(super) busy: Vec<u16>,
}

/// What a destination has responded, and what came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum OwnResponse {
    /// Nothing yet.
    Due,
    /// It serves the task unless it is told to let go.
    Free,
    /// The task's grant has come before the initiator's release, which is in flight and of no effect.
    Overtaken,
    /// The task waits, or has waited, for its grant.
    Waits,
}

impl OwnResponse {
    /// The grant has come.
    pub(crate) fn overtake(&mut self) {
        if *self == OwnResponse::Free {
            *self = OwnResponse::Overtaken;
        }
    }
}
