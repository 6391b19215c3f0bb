// SPDX-License-Identifier: Apache-2.0
//! The clock's edge: every register takes its next value.

use super::offers::Plan;
use super::words::WordWriter;
use super::{Follow, Lean, LeanOutcome, Taken};
use crate::endpoint::torrent::contract::{Bytes, FORWARD, OWN, Settings};
use crate::endpoint::torrent::narrow::Leaving;
use crate::endpoint::torrent::pattern::Banks;
use crate::endpoint::torrent::published::head::ChainTask;

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
