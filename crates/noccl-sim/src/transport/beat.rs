// SPDX-License-Identifier: Apache-2.0
//! Wide beats: which bytes of a burst each of them has.

use noccl_spec::AxiTiles;
use serde::{Deserialize, Serialize};

/// Bytes of a wide beat as a power of two, so that positions follow by shifts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WideBeat {
    shift: u8,
}

impl WideBeat {
    pub(crate) const fn of(axi: &AxiTiles) -> Self {
        Self {
            shift: axi.ni.wide_beat().trailing_zeros() as u8,
        }
    }

    /// Bytes of a beat.
    #[inline]
    pub(crate) const fn bytes(self) -> usize {
        1 << self.shift
    }

    /// Bytes of so many beats.
    #[inline]
    pub(crate) const fn bytes_of(self, beats: u64) -> u64 {
        beats << self.shift
    }

    /// Beats of a range that begins with one.
    #[inline]
    pub(crate) const fn beats(self, bytes: u64) -> u64 {
        self.line(bytes + self.last_lane())
    }

    /// The line of a memory that a byte lies in; a beat is a line at most.
    #[inline]
    pub(crate) const fn line(self, address: u64) -> u64 {
        address >> self.shift
    }

    /// Place of a byte in its line.
    #[inline]
    pub(crate) const fn lane(self, address: u64) -> usize {
        (address & self.last_lane()) as usize
    }

    const fn last_lane(self) -> u64 {
        (1 << self.shift) - 1
    }

    /// Byte range of one beat inside a burst: offset from the burst's first byte, and length.
    #[inline]
    pub(crate) fn part(self, address: u64, bytes: u32, beat: u16) -> (u32, u32) {
        let line = self.line(address) + u64::from(beat);
        let low = address.max(line << self.shift);
        let high = (address + u64::from(bytes)).min((line + 1) << self.shift);
        ((low - address) as u32, (high - low) as u32)
    }

    /// Beats that a burst of `bytes` at `address` takes.
    #[inline]
    pub(crate) const fn of_burst(self, address: u64, bytes: u32) -> u16 {
        self.beats((address & self.last_lane()) + bytes as u64) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::WideBeat;

    #[test]
    fn the_beats_of_a_burst_follow_each_other_and_end_with_lines() {
        for shift in 3..=8 {
            let beat = WideBeat { shift };
            let width = 1_u64 << shift;
            for address in [0, 1, width - 1, width, 3 * width + 5] {
                for bytes in [1, 7, width as u32, 5 * width as u32 - 3] {
                    let mut next = 0;
                    for at in 0..beat.of_burst(address, bytes) {
                        let (from, len) = beat.part(address, bytes, at);
                        assert_eq!(from, next);
                        let (first, last) = (
                            address + u64::from(from),
                            address + u64::from(from + len) - 1,
                        );
                        assert_eq!(first / width, last / width);
                        assert_eq!(beat.lane(first) as u64, first % width);
                        assert_eq!(beat.line(first), first / width);
                        next += len;
                    }
                    assert_eq!(next, bytes);
                    assert_eq!(beat.beats(bytes.into()), u64::from(bytes).div_ceil(width));
                }
            }
        }
    }
}
