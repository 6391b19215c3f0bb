// SPDX-License-Identifier: Apache-2.0
//! Address generation and the banks behind it: eight channels of a word each, one word per bank and cycle.
//!
//! A reader or writer has a FIFO per channel, so a channel whose bank is taken waits alone; the beat is whole
//! when all eight words are there. That is what makes a layout without conflicts run at one beat per cycle and
//! one with two words per bank at half of it (S3 §III-C; docs/papers/S3.md, "Banks").

use noccl_workload::{AccessPattern, MAX_LOOPS, WORD_BYTES};
use serde::{Deserialize, Serialize};

/// Words of a beat, one per channel.
pub const CHANNELS: usize = 8;

/// Addresses of a stream in words, as a configuration holds them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Addresses {
    /// First byte.
    pub offset: u64,
    pub word_stride: u32,
    pub bounds: [u32; MAX_LOOPS],
    pub strides: [u32; MAX_LOOPS],
}

impl Addresses {
    /// The pattern of a schedule; loops that are not there run once.
    pub(crate) fn of(pattern: &AccessPattern) -> Self {
        let mut addresses = Self {
            offset: pattern.offset,
            word_stride: (pattern.word_stride / WORD_BYTES) as u32,
            bounds: [1; MAX_LOOPS],
            strides: [0; MAX_LOOPS],
        };
        for (i, l) in pattern.loops.iter().enumerate().take(MAX_LOOPS) {
            addresses.bounds[i] = l.count as u32;
            addresses.strides[i] = (l.stride / WORD_BYTES) as u32;
        }
        addresses
    }

    /// First byte of a word of a beat.
    pub fn at(&self, beat: u64, channel: usize) -> u64 {
        let mut rest = beat;
        let mut words = channel as u64 * u64::from(self.word_stride);
        for (bound, stride) in self.bounds.iter().zip(self.strides) {
            let bound = u64::from((*bound).max(1));
            words += rest % bound * u64::from(stride);
            rest /= bound;
        }
        self.offset + words * WORD_BYTES
    }
}

/// Banks that have served a word in this cycle.
#[derive(Debug, Clone, Copy)]
pub struct Banks {
    taken: u64,
    num_banks: u32,
}

impl Banks {
    pub(crate) const fn new(num_banks: u32) -> Self {
        Self {
            taken: 0,
            num_banks,
        }
    }

    /// Those of the mask stand still.
    pub const fn held(num_banks: u32, mask: u64) -> Self {
        Self {
            taken: mask,
            num_banks,
        }
    }

    /// May this address be served now? Takes its bank if so.
    pub(crate) fn serve(&mut self, address: u64) -> bool {
        let bit = 1 << (address / WORD_BYTES % u64::from(self.num_banks));
        let is_free = self.taken & bit == 0;
        self.taken |= bit;
        is_free
    }
}

/// A reader or a writer: addresses, and how far each channel has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Streamer {
    addresses: Addresses,
    beats: u64,
    /// Words that each channel has read or written.
    served: [u64; CHANNELS],
    /// Beats that have left a reader or entered a writer.
    passed: u64,
}

impl Streamer {
    pub(crate) const fn new(addresses: Addresses, beats: u64) -> Self {
        Self {
            addresses,
            beats,
            served: [0; CHANNELS],
            passed: 0,
        }
    }

    pub(crate) const fn beats(&self) -> u64 {
        self.beats
    }

    pub(crate) const fn passed(&self) -> u64 {
        self.passed
    }

    /// A reader's cycle: every channel with space asks its bank. Returns whether a word came.
    pub(crate) fn read(&mut self, banks: &mut Banks, fifo_words: u32) -> bool {
        let limit = self.beats.min(self.passed + u64::from(fifo_words));
        self.advance(banks, limit)
    }

    /// A writer's cycle: every channel with a word asks its bank. Returns whether a word went.
    pub(crate) fn write(&mut self, banks: &mut Banks) -> bool {
        self.advance(banks, self.passed)
    }

    fn advance(&mut self, banks: &mut Banks, limit: u64) -> bool {
        let mut has_moved = false;
        for (channel, served) in self.served.iter_mut().enumerate() {
            if *served < limit && banks.serve(self.addresses.at(*served, channel)) {
                *served += 1;
                has_moved = true;
            }
        }
        has_moved
    }

    /// Has a reader a whole beat?
    pub(crate) fn has_beat(&self) -> bool {
        self.served.iter().all(|s| *s > self.passed)
    }

    /// Has a writer space for a beat?
    pub(crate) fn has_space(&self, fifo_words: u32) -> bool {
        let limit = u64::from(fifo_words);
        self.served.iter().all(|s| self.passed - s < limit)
    }

    /// The next beat passes; the first byte of each of its words.
    pub(crate) fn pass(&mut self) -> [u64; CHANNELS] {
        let beat = self.passed;
        self.passed += 1;
        std::array::from_fn(|channel| self.addresses.at(beat, channel))
    }

    /// Has a writer nothing left in its FIFOs?
    pub(crate) fn is_drained(&self) -> bool {
        self.served.iter().all(|s| *s == self.passed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noccl_workload::PatternLoop;

    /// Cycles that a writer takes for a stream that comes as fast as it is taken.
    fn cycles(pattern: &AccessPattern) -> u64 {
        let mut writer = Streamer::new(Addresses::of(pattern), pattern.beats());
        let mut cycles = 0;
        while writer.passed() < writer.beats() || !writer.is_drained() {
            writer.write(&mut Banks::new(32));
            if writer.passed() < writer.beats() && writer.has_space(8) {
                writer.pass();
            }
            cycles += 1;
        }
        cycles
    }

    #[test]
    fn a_layout_whose_words_lie_in_different_banks_takes_one_cycle_per_beat() {
        for block in [(8, 8), (16, 8), (64, 16)] {
            let pattern = AccessPattern::blocked(0, (64, 192), block);
            assert_eq!(cycles(&pattern), pattern.beats() + 1, "{block:?}");
        }
    }

    /// The same banks in every beat: nothing hides that each serves one word per cycle.
    #[test]
    fn words_of_one_bank_take_a_cycle_each() {
        for (word_stride, per_bank) in [(8, 1), (128, 4), (256, 8)] {
            let each = |count, stride| PatternLoop { count, stride };
            let pattern = AccessPattern {
                offset: 0,
                word_stride,
                loops: vec![each(100, 2048)],
            };
            let found = cycles(&pattern);
            assert!(
                (per_bank * 100..=per_bank * 100 + 8).contains(&found),
                "{found} cycles for {per_bank} words per bank"
            );
        }
    }

    /// Rows of 192 or 256 bytes put two or eight words of a beat into one bank, but of the next beat into the next
    /// bank: channels fall behind each other once, within their FIFOs, and then keep a beat per cycle.
    #[test]
    fn conflicts_that_move_on_are_hidden_by_the_fifos() {
        for columns in [192, 256] {
            let plain = AccessPattern::blocked(0, (64, columns), (8, columns));
            let found = cycles(&plain);
            let strips = 64 / 8;
            assert!(
                found > plain.beats() + 1 && found <= plain.beats() + 8 * strips + 8,
                "{found} for {} beats",
                plain.beats()
            );
        }
    }

    #[test]
    fn addresses_are_those_of_the_schedules_pattern() {
        let pattern = AccessPattern::blocked(4096, (32, 48), (16, 24));
        let addresses = Addresses::of(&pattern);
        for beat in 0..pattern.beats() {
            for channel in 0..CHANNELS {
                let expected = pattern.word_offset(beat, channel as u64);
                assert_eq!(addresses.at(beat, channel), expected);
            }
        }
    }
}
