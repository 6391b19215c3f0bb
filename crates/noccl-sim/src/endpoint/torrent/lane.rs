// SPDX-License-Identifier: Apache-2.0
//! From the data switch to the NI: registers that hold beats in order, and the bursts they form.
//!
//! A beat passes in a fixed number of cycles if nothing blocks it; the AW of its burst is one cycle ahead of
//! the first. In mode `safe` a burst is opened by its first beat and only while the next destination is sure to have space
//! for all of it; in mode `published` all bursts of a task are opened by the grant.

use crate::endpoint::torrent::unit::Settings;
use noccl_spec::TorrentMode;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Slots beyond one per cycle of latency, so that a beat per cycle passes.
const SPARE_SLOTS: usize = 2;

/// A burst that the NI has yet to be told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Opening {
    pub cycle: u64,
    pub to: u32,
    pub beats: u16,
    /// Whose chain it is.
    pub initiator: u32,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lane {
    /// Beats: the cycle from which the NI may take them, and their payload.
    beats: VecDeque<(u64, u32)>,
    openings: VecDeque<Opening>,
    /// Bursts without a response, by the destination that has to send it.
    pending: Vec<(u32, u32)>,
}

impl Lane {
    pub(crate) fn has_space(&self, latency_cycles: u64) -> bool {
        self.beats.len() < latency_cycles as usize + SPARE_SLOTS
    }

    pub(crate) fn push(&mut self, now: u64, latency_cycles: u64, payload: u32) {
        self.beats.push_back((now + latency_cycles, payload));
    }

    /// Its AW is at the NI one cycle before a beat of now would be.
    pub(crate) fn open(
        &mut self,
        now: u64,
        latency_cycles: u64,
        to: u32,
        beats: u16,
        initiator: u32,
    ) {
        match self
            .pending
            .iter_mut()
            .find(|(destination, _)| *destination == to)
        {
            Some((_, bursts)) => *bursts += 1,
            None => self.pending.push((to, 1)),
        }
        self.openings.push_back(Opening {
            cycle: (now + latency_cycles).saturating_sub(1),
            to,
            beats,
            initiator,
        });
    }

    /// Bursts to this destination without a response.
    pub(crate) fn outstanding(&self, to: u32) -> u32 {
        let pending = self
            .pending
            .iter()
            .find(|(destination, _)| *destination == to);
        // 0: destinations are listed from their first burst on.
        pending.map_or(0, |(_, bursts)| *bursts)
    }

    /// A burst to this destination has its response.
    pub(crate) fn credit(&mut self, to: u32) {
        if let Some((_, bursts)) = self
            .pending
            .iter_mut()
            .find(|(destination, _)| *destination == to)
        {
            *bursts -= 1;
        }
        self.pending.retain(|(_, bursts)| *bursts > 0);
    }

    pub(crate) fn take_opening(&mut self, now: u64) -> Option<Opening> {
        let first = self.openings.front().filter(|o| o.cycle <= now)?;
        let opening = *first;
        self.openings.pop_front();
        Some(opening)
    }

    /// May the NI take a beat?
    pub(crate) fn has_beat(&self, now: u64) -> bool {
        self.beats.front().is_some_and(|(cycle, _)| *cycle <= now)
    }

    pub(crate) fn take(&mut self) -> Option<u32> {
        self.beats.pop_front().map(|(_, payload)| payload)
    }

    /// May a beat of a task enter the lane now? Opens its burst if it is the first of one.
    pub(crate) fn admit(
        &mut self,
        now: u64,
        settings: &Settings,
        to: u32,
        (beat, beats): (u64, u64),
        initiator: u32,
    ) -> bool {
        let latency_cycles = settings.lane_cycles();
        if !self.has_space(latency_cycles) {
            return false;
        }
        if settings.mode == TorrentMode::Safe && settings.begins_burst(beat) {
            if self.outstanding(to) >= settings.buffer_bursts {
                return false;
            }
            let burst = settings.burst_of(beat, beats);
            self.open(now, latency_cycles, to, burst, initiator);
        }
        true
    }

    /// Mode `published`: the grant opens all bursts, before there is data. A burst of one beat never leaves, as there.
    pub(crate) fn open_all(
        &mut self,
        now: u64,
        settings: &Settings,
        to: u32,
        beats: u64,
        initiator: u32,
    ) {
        let mut beat = 0;
        while beats > 1 && beat < beats {
            let burst = settings.burst_of(beat, beats);
            self.open(now, settings.lane_cycles(), to, burst, initiator);
            beat += u64::from(burst);
        }
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.beats.is_empty() && self.openings.is_empty()
    }

    /// Next cycle after this one in which something is at the NI that was not there.
    pub(crate) fn next_cycle(&self, now: u64) -> Option<u64> {
        let beat = self.beats.iter().map(|(cycle, _)| *cycle);
        let opening = self.openings.iter().map(|o| o.cycle);
        beat.chain(opening).filter(|c| *c > now).min()
    }
}
