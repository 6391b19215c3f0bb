// SPDX-License-Identifier: Apache-2.0
//! A cycle of all ports as a row of numbers (`noccl_run::PortCycle`).

use super::address_map::{Map, bits};
use super::crossbar::CrossbarMove;
use super::{Bench, Crossing};
use noccl_run::{CHANNELS, CONTENTS, beat_signature};
use noccl_sim::lean_endpoint::{FRAME_BYTES, NarrowMessage, WordOffer, beat_of};

/// First byte of a window; the windows are pages at the top of a tile's addresses.
const WINDOWS: u64 = 0x3f_c000;
const PAGE_BITS: u32 = 12;
const SLOTS: u64 = 64;

impl Bench {
    pub(super) fn seen(&self, crossing: &Crossing, start: Option<[u64; 4]>) -> Vec<u64> {
        let mut row = Vec::with_capacity(CHANNELS.len() + CONTENTS.len() * self.tiles.len());
        let offered = |lanes: &mut dyn Iterator<Item = Option<[bool; 2]>>, at: usize| {
            bits(lanes.map(|valid| valid.is_some_and(|v| v[at])))
        };
        for at in [0, 1] {
            row.push(offered(
                &mut crossing.words.iter().map(|o| o.map(|o| o.valid)),
                at,
            ));
            row.push(by_manager(&crossing.narrow, |m| {
                m.owner.filter(|_| m.taken[at])
            }));
        }
        row.push(by_manager(&crossing.narrow, |m| m.responded));
        subordinate(&mut row, &crossing.narrow, crossing.narrow_responses);
        for at in [0, 1] {
            row.push(offered(
                &mut crossing.beats.iter().map(|o| o.map(|o| o.valid)),
                at,
            ));
            row.push(by_manager(&crossing.wide, |m| {
                m.owner.filter(|_| m.taken[at])
            }));
        }
        row.push(by_manager(&crossing.wide, |m| m.responded));
        subordinate(&mut row, &crossing.wide, crossing.wide_responses);
        row.push(crossing.ready);
        // 0: no core starts, so no bit is set.
        row.push(start.map_or(0, |start| 1 << start[0]));
        row.push(crossing.over);
        for t in 0..self.tiles.len() {
            row.extend(self.contents(crossing, t));
        }
        row
    }

    fn contents(&self, crossing: &Crossing, t: usize) -> [u64; 4] {
        let (narrow, wide) = (&crossing.narrow[t], &crossing.wide[t]);
        let message = narrow.owner.and_then(|m| Some((m, crossing.words[m]?)));
        let beat = wide.owner.and_then(|m| Some((m, crossing.beats[m]?)));
        let address = message.filter(|_| narrow.taken[0]);
        let word = message.filter(|_| narrow.taken[1]);
        let length = beat.filter(|_| wide.taken[0]);
        let data = beat
            .filter(|_| wide.taken[1])
            .and_then(|(m, _)| crossing.sent[m]);
        [
            // 0: nothing is taken, as the hardware shows it.
            address.map_or(0, |(m, offer)| self.map.window(m, &offer)),
            // 0: nothing is taken, as the hardware shows it.
            word.map_or(0, |(_, offer)| self.map.word(&offer)),
            // 0: nothing is taken, as the hardware shows it.
            length.map_or(0, |(_, offer)| u64::from(offer.beats) - 1),
            // 0: nothing is taken, as the hardware shows it.
            data.map_or(0, |payload| beat_signature(self.memory.beat(payload))),
        ]
    }
}

/// Address, beat and response at the subordinates: offered, taken.
fn subordinate(row: &mut Vec<u64>, moves: &[CrossbarMove], responses: u64) {
    for at in [0, 1] {
        row.push(bits(moves.iter().map(|m| m.valid[at])));
        row.push(bits(moves.iter().map(|m| m.taken[at])));
    }
    row.push(responses);
    row.push(bits(moves.iter().map(|m| m.responded.is_some())));
}

fn by_manager(moves: &[CrossbarMove], of: impl Fn(&CrossbarMove) -> Option<usize>) -> u64 {
    moves
        .iter()
        .filter_map(of)
        .map(|manager| 1 << manager)
        .sum()
}

impl Map {
    /// Where a manager's message goes, as an offset in the tile's addresses.
    fn window(&self, manager: usize, offer: &WordOffer) -> u64 {
        let slot = (manager as u64 + u64::from(self.endpoints)) % SLOTS;
        match offer.message {
            NarrowMessage::Cfg(_) => WINDOWS + (1 << PAGE_BITS) + slot * FRAME_BYTES as u64,
            NarrowMessage::Grant(_) => WINDOWS + (2 << PAGE_BITS),
            NarrowMessage::Finish(_) => WINDOWS + (3 << PAGE_BITS),
            NarrowMessage::Response(_) | NarrowMessage::Release(_) => 0,
        }
    }

    fn word(&self, offer: &WordOffer) -> u64 {
        let frame = match offer.message {
            NarrowMessage::Cfg(cfg) => cfg.frame(offer.to, self),
            NarrowMessage::Grant(key) | NarrowMessage::Finish(key) => beat_of(key, 0, self),
            NarrowMessage::Response(_) | NarrowMessage::Release(_) => return 0,
        };
        let at = 8 * offer.word as usize;
        frame[at..at + 8]
            .iter()
            .rev()
            .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
    }
}
