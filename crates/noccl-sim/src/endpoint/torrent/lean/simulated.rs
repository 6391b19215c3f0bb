// SPDX-License-Identifier: Apache-2.0
//! The endpoint in the simulator, between paths that always take messages, and beats while their registers have space.

use super::{Lean, LeanInput, LeanOutcome, Taken};
use crate::endpoint::torrent::lane::Lane;
use crate::endpoint::torrent::narrow::NarrowMessage;
use crate::endpoint::torrent::pattern::Banks;
use crate::endpoint::torrent::unit::{Arrived, Bytes, Effects, Settings};

impl Lean {
    /// In the simulator messages, beats and responses of a cycle come before the endpoint is looked at.
    pub(crate) fn note_message(&mut self, message: NarrowMessage) {
        self.inputs.push(LeanInput::Message(message));
    }

    pub(crate) fn note_beat(&mut self, beat: Arrived) {
        self.inputs.push(LeanInput::Beat(beat));
    }

    pub(crate) fn note_response(&mut self, lane: usize) {
        self.inputs.push(LeanInput::Response(lane));
    }

    /// A whole cycle.
    pub(crate) fn tick(
        &mut self,
        now: u64,
        settings: &Settings,
        lanes: &mut [Lane; 2],
        bytes: &mut impl Bytes,
    ) -> Effects {
        let latency_cycles = settings.lane_cycles();
        let mut taken = Taken {
            narrow: [true; 2],
            ..Taken::default()
        };
        let initiators = [Some(self.tile), self.follow.map(|f| f.initiator)];
        for (i, lane) in lanes.iter_mut().enumerate() {
            let Some(offer) = self.beat_offer(i, now, settings) else {
                continue;
            };
            if !lane.has_space(latency_cycles) {
                continue;
            }
            taken.lanes[i] = offer.valid;
            if let (true, Some(initiator)) = (offer.valid[0], initiators[i]) {
                lane.open(now, latency_cycles, offer.to, offer.beats, initiator);
            }
        }
        let mut banks = Banks::new(settings.num_banks);
        let LeanOutcome { mut effects, sent } = self.step(now, settings, &taken, &mut banks, bytes);
        for (lane, payload) in lanes.iter_mut().zip(sent) {
            if let Some(payload) = payload {
                lane.push(now, latency_cycles, payload);
            }
        }
        for input in std::mem::take(&mut self.inputs) {
            effects.has_moved = true;
            match input {
                LeanInput::Message(message) => self.receive(now, message),
                LeanInput::Beat(beat) => self.arrive(beat),
                LeanInput::Response(lane) => self.responded(lane),
            }
        }
        effects
    }
}
