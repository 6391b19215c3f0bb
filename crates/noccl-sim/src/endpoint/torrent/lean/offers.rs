// SPDX-License-Identifier: Apache-2.0
//! What registers offer in a cycle, and what will become of it once it is known what was taken.

use super::{BeatOffer, Lean, Taken};
use crate::endpoint::torrent::contract::{FORWARD, OWN, Settings};
use crate::endpoint::torrent::narrow::NarrowMessage;

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
