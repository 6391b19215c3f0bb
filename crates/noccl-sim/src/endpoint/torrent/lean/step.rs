// SPDX-License-Identifier: Apache-2.0
//! The clock's edge: every register takes its next value.

use super::{BeatOffer, Follow, Lean, LeanOutcome, Taken};
use crate::endpoint::torrent::narrow::{Leaving, NarrowMessage};
use crate::endpoint::torrent::pattern::{Addresses, Banks, CHANNELS};
use crate::endpoint::torrent::published::head::ChainTask;
use crate::endpoint::torrent::unit::{Bytes, FORWARD, OWN, Settings};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

impl Lean {
    /// The clock's edge.
    pub fn step(
        &mut self,
        now: u64,
        settings: &Settings,
        taken: &Taken,
        banks: &mut Banks,
        bytes: &mut impl Bytes,
    ) -> LeanOutcome {
        let plan = self.plan(now, settings, taken);
        let mut outcome = LeanOutcome::default();
        outcome.effects.has_moved = self.is_busy(settings) || plan.is_done;
        self.writers.iter_mut().for_each(|w| w.write(banks));
        self.reader.ask(now, settings.fifo_words, banks);
        for lane in [OWN, FORWARD] {
            self.move_beat(
                lane,
                now,
                settings,
                (plan.passes[lane], taken),
                bytes,
                &mut outcome,
            );
        }
        outcome.effects.has_moved |= self.buffer.step(plan.passes[FORWARD]);
        if let Some((to, message)) = plan.message {
            let cycle = now + message.beats();
            outcome.effects.leaving = Some(Leaving { cycle, to, message });
        }
        self.port.step(taken.narrow, plan.message);
        self.step_follow(&plan);
        if plan.takes_frame {
            self.take_frame();
        }
        if plan.is_done {
            outcome.effects.done = self.lead.take().map(|l| l.task.instance);
        } else if self.lead.is_none() && !self.tasks.is_empty() {
            self.begin();
            outcome.effects.has_moved = true;
        }
        outcome
    }

    /// May the next cycle differ from this one, whatever comes from outside?
    fn is_busy(&self, settings: &Settings) -> bool {
        let is_following = match self.follow {
            Some(follow) => follow.is_loading || !follow.granted || self.finish_offer().is_some(),
            None => self.inbox.first_ready().is_some(),
        };
        let is_writing = self.writers.iter().any(WordWriter::offers);
        let is_reading = !self.reader.is_idle()
            && (self.reader.asks(settings.fifo_words)
                || self
                    .lead
                    .as_ref()
                    .is_some_and(|l| !l.reads_data() || l.granted || l.is_alone()));
        is_following || is_writing || is_reading || !self.port.is_idle() || self.is_done()
    }

    /// The beat at the head of a stream, of which some or all is taken.
    fn move_beat(
        &mut self,
        lane: usize,
        now: u64,
        settings: &Settings,
        (passes, taken): (bool, &Taken),
        bytes: &mut impl Bytes,
        outcome: &mut LeanOutcome,
    ) {
        let taken = taken.lanes[lane];
        if !passes && taken == [false; 2] {
            return;
        }
        let (_, sends, keeps) = self.stream(lane, now);
        let Some((payload, closes)) = self.head_of(lane, bytes) else {
            return;
        };
        if sends {
            self.outgoing[lane].take(settings, taken);
        }
        if taken[1] {
            bytes.share(payload);
            outcome.sent[lane] = Some(payload);
        }
        if !passes {
            return;
        }
        if keeps {
            bytes.store(&self.writers[lane].accept(), payload);
        }
        bytes.release(payload);
        outcome.effects.has_moved = true;
        if lane == OWN {
            self.reader.take();
            self.read = None;
        } else {
            outcome.effects.consumed = closes;
        }
    }

    /// Payload of a stream's beat, and the burst that it ends.
    fn head_of(&mut self, lane: usize, bytes: &mut impl Bytes) -> Option<(u32, Option<u32>)> {
        if lane == FORWARD {
            return self.buffer.head().map(|b| (b.payload, b.closes));
        }
        let reader = &self.reader;
        let payload = *self.read.get_or_insert_with(|| bytes.load(&reader.words()));
        Some((payload, None))
    }

    fn take_frame(&mut self) {
        self.reader.take();
        let Some(lead) = &mut self.lead else { return };
        let at = lead.frame;
        lead.frame += 1;
        let ChainTask {
            cfgs,
            own_copy,
            source,
            beats,
            ..
        } = &lead.task;
        if lead.reads_data() {
            self.reader.start(*source, *beats);
            if let Some((first, _)) = cfgs.first() {
                self.outgoing[OWN].start(*first, *beats);
            }
        } else if let Some(own) = own_copy.filter(|_| at == cfgs.len()) {
            self.writers[OWN].start(own, *beats);
        }
    }

    fn step_follow(&mut self, plan: &Plan) {
        let Some(follow) = &mut self.follow else {
            self.follow = self.inbox.first_ready().map(|initiator| Follow {
                initiator,
                is_loading: true,
                granted: false,
            });
            self.inbox.take_ready();
            return;
        };
        follow.granted |= plan.gets_grant;
        let was_loading = std::mem::take(&mut follow.is_loading);
        let initiator = follow.initiator;
        if was_loading && let Some(slot) = self.inbox.slot(initiator) {
            let beats = u64::from(slot.cfg.beats);
            self.writers[FORWARD].start(slot.cfg.addresses, beats);
            if let Some(next) = slot.cfg.next {
                self.outgoing[FORWARD].start(next, beats);
            }
        }
        if plan.is_released {
            self.inbox.release(initiator);
            self.follow = None;
        }
    }
}

// What registers offer in a cycle, and what will become of it once it is known what was taken.

/// What the endpoint is about to do in this cycle, seen before anything moves.
pub(crate) struct Plan {
    pub(super) passes: [bool; 2],
    pub message: Option<(u32, NarrowMessage)>,
    pub(super) takes_frame: bool,
    pub(super) gets_grant: bool,
    pub(super) is_released: bool,
    pub is_done: bool,
}

impl Lean {
    /// What a lane offers.
    pub fn beat_offer(&self, lane: usize, now: u64, settings: &Settings) -> Option<BeatOffer> {
        let (may_pass, sends, keeps) = self.stream(lane, now);
        let has_space = !keeps || self.writers[lane].has_space(settings.fifo_words);
        if !may_pass || !sends || !has_space {
            return None;
        }
        self.outgoing[lane].offers(settings)
    }

    /// May a beat of the stream pass, does it go on, is it kept?
    pub(crate) fn stream(&self, lane: usize, now: u64) -> (bool, bool, bool) {
        if lane == OWN {
            let Some(lead) = self.lead.as_ref().filter(|l| l.reads_data()) else {
                return (false, false, false);
            };
            let may_pass = (lead.granted || lead.is_alone()) && self.reader.has_beat(now);
            return (may_pass, !lead.is_alone(), lead.task.own_copy.is_some());
        }
        let Some(slot) = self.served() else {
            return (false, false, false);
        };
        let is_serving = self.follow.is_some_and(|f| !f.is_loading);
        let may_pass = is_serving && self.buffer.head().is_some();
        (may_pass, slot.cfg.next.is_some(), true)
    }

    fn passes(&self, lane: usize, now: u64, settings: &Settings, taken: [bool; 2]) -> bool {
        let (may_pass, sends, keeps) = self.stream(lane, now);
        let has_space = !keeps || self.writers[lane].has_space(settings.fifo_words);
        let is_gone = !sends
            || self.beat_offer(lane, now, settings).is_some()
                && self.outgoing[lane].ends(settings, taken);
        may_pass && has_space && is_gone
    }

    fn cfg_offer(&self, now: u64) -> Option<(u32, NarrowMessage)> {
        let lead = self.lead.as_ref().filter(|_| self.reader.has_beat(now))?;
        let (to, cfg) = lead.task.cfgs.get(lead.frame)?;
        Some((*to, NarrowMessage::Cfg(*cfg)))
    }

    fn grant_offer(&self) -> Option<(u32, NarrowMessage)> {
        let cfg = self.served()?.cfg;
        let follow = self.follow.filter(|f| f.is_loading || !f.granted)?;
        debug_assert_eq!(follow.initiator, cfg.key.initiator);
        Some((cfg.grant_to, NarrowMessage::Grant(cfg.key)))
    }

    pub(crate) fn finish_offer(&self) -> Option<(u32, NarrowMessage)> {
        let slot = self.served()?;
        self.follow.filter(|f| !f.is_loading && f.granted)?;
        let is_over = self.writers[FORWARD].is_idle()
            && self.outgoing[FORWARD].has_sent()
            && (slot.cfg.next.is_none() || slot.has_finish);
        is_over.then_some((slot.cfg.previous, NarrowMessage::Finish(slot.cfg.key)))
    }

    pub(crate) fn is_done(&self) -> bool {
        let Some(lead) = self.lead.as_ref().filter(|l| l.reads_data()) else {
            return false;
        };
        let has_passed = self.reader.is_idle() && self.outgoing[OWN].has_sent();
        has_passed && self.writers[OWN].is_idle() && (lead.finished || lead.is_alone())
    }

    pub(crate) fn plan(&self, now: u64, settings: &Settings, taken: &Taken) -> Plan {
        let offers = [self.cfg_offer(now), self.grant_offer(), self.finish_offer()];
        let first = offers.iter().position(Option::is_some);
        let first = first.filter(|_| self.port.is_free(taken.narrow));
        let is_frame = self.lead.as_ref().is_some_and(|l| !l.reads_data());
        let takes_frame = is_frame && self.reader.has_beat(now);
        Plan {
            passes: [OWN, FORWARD].map(|i| self.passes(i, now, settings, taken.lanes[i])),
            message: first.and_then(|at| offers[at]),
            takes_frame: takes_frame && (offers[0].is_none() || first == Some(0)),
            gets_grant: first == Some(1),
            is_released: first == Some(2),
            is_done: self.is_done(),
        }
    }
}

// Words of the own memory as the hardware's reader and writer ask for them: the eight of a beat together, the next
// beat's when all have been served (`noccl_torrent_reader`, `noccl_torrent_writer`).

/// Cycles from a beat's last word at its bank to the beat at the reader's output.
const READ_CYCLES: u64 = 2;
const ALL_CHANNELS: u8 = u8::MAX;

/// The words of a beat that wait are offered to their banks. Returns whether all have been served now.
fn serve(addresses: &Addresses, beat: u64, served: &mut u8, banks: &mut Banks) -> bool {
    for channel in 0..CHANNELS {
        let is_open = *served >> channel & 1 == 0;
        if is_open && banks.serve(addresses.at(beat, channel)) {
            *served |= 1 << channel;
        }
    }
    let is_whole = *served == ALL_CHANNELS;
    if is_whole {
        *served = 0;
    }
    is_whole
}

/// Reads a few beats ahead.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WordReader {
    addresses: Addresses,
    beats: u64,
    /// Beats whose words have all been asked for.
    asked: u64,
    /// Channels that have been served for the next one.
    served: u8,
    /// Beats that have left.
    left: u64,
    /// From which cycle each beat that was asked for is offered.
    offered: VecDeque<u64>,
}

impl WordReader {
    pub(crate) fn start(&mut self, addresses: Addresses, beats: u64) {
        *self = Self {
            addresses,
            beats,
            ..Self::default()
        };
    }

    pub(crate) fn has_beat(&self, now: u64) -> bool {
        self.offered.front().is_some_and(|cycle| *cycle <= now)
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.asked == self.beats && self.offered.is_empty()
    }

    /// First byte of each word of the beat that is offered.
    pub(crate) fn words(&self) -> [u64; CHANNELS] {
        std::array::from_fn(|channel| self.addresses.at(self.left, channel))
    }

    /// Has it a word to ask for?
    pub(crate) fn asks(&self, fifo_words: u32) -> bool {
        self.asked < self.beats && self.offered.len() < fifo_words as usize
    }

    pub(crate) fn ask(&mut self, now: u64, fifo_words: u32, banks: &mut Banks) {
        if self.asks(fifo_words) && serve(&self.addresses, self.asked, &mut self.served, banks) {
            self.asked += 1;
            self.offered.push_back(now + READ_CYCLES);
        }
    }

    pub(crate) fn take(&mut self) {
        self.left += 1;
        self.offered.pop_front();
    }
}

/// Writes beats in their order, each in the cycle after it came at the earliest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WordWriter {
    addresses: Addresses,
    beats: u64,
    /// Beats that have come, and those that are in memory.
    accepted: u64,
    written: u64,
    /// Channels that have been served for the next one.
    served: u8,
}

impl WordWriter {
    pub(crate) fn start(&mut self, addresses: Addresses, beats: u64) {
        *self = Self {
            addresses,
            beats,
            ..Self::default()
        };
    }

    pub(crate) const fn is_idle(&self) -> bool {
        self.written == self.beats
    }

    pub(crate) const fn has_space(&self, fifo_words: u32) -> bool {
        self.accepted < self.beats && self.accepted - self.written < fifo_words as u64
    }

    /// Has it a word to write?
    pub(crate) const fn offers(&self) -> bool {
        self.written < self.accepted
    }

    pub(crate) fn write(&mut self, banks: &mut Banks) {
        if self.offers() && serve(&self.addresses, self.written, &mut self.served, banks) {
            self.written += 1;
        }
    }

    /// A beat comes; the first byte of each of its words.
    pub(crate) fn accept(&mut self) -> [u64; CHANNELS] {
        let beat = self.accepted;
        self.accepted += 1;
        std::array::from_fn(|channel| self.addresses.at(beat, channel))
    }
}
