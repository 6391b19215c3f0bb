// SPDX-License-Identifier: Apache-2.0
//! Words of the own memory as the hardware's reader and writer ask for them: the eight of a beat together, the next
//! beat's when all have been served (`noccl_torrent_reader`, `noccl_torrent_writer`).

use crate::endpoint::torrent::pattern::{Addresses, Banks, CHANNELS};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

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
