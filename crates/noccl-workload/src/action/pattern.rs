// SPDX-License-Identifier: Apache-2.0
//! In which order a stream of beats reads or writes one memory.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bytes of one beat.
pub const CHAIN_BEAT_BYTES: u64 = 64;

/// Bytes of one word: a beat is eight of them, each read or written by a channel of its own.
pub const WORD_BYTES: u64 = 8;

/// Loops of a pattern.
pub const MAX_LOOPS: usize = 5;

/// Counts, strides (in words) and lengths (in beats) have 19 bits in a configuration (S3 Fig. 4c).
pub const MAX_FIELD: u64 = (1 << 19) - 1;

/// Addresses of a stream in one memory: beat after beat, the innermost loop first, eight words per beat.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AccessPattern {
    /// First byte; a multiple of 8.
    pub offset: u64,
    /// Bytes between the starts of the eight words of a beat; a multiple of 8.
    pub word_stride: u64,
    /// Up to five loops, innermost first; the product of their counts is the number of beats.
    pub loops: Vec<PatternLoop>,
}

/// One loop of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PatternLoop {
    /// Iterations.
    pub count: u64,
    /// Bytes from one iteration to the next; a multiple of 8.
    pub stride: u64,
}

impl AccessPattern {
    /// Consecutive bytes.
    #[must_use]
    pub fn linear(offset: u64, bytes: u64) -> Self {
        Self {
            offset,
            word_stride: WORD_BYTES,
            loops: vec![PatternLoop {
                count: bytes / CHAIN_BEAT_BYTES,
                stride: CHAIN_BEAT_BYTES,
            }],
        }
    }

    /// An int8 matrix of `rows` x `columns` in submatrices of `block_rows` x `block_columns`, read in beats of 8x8.
    ///
    /// Submatrices follow each other along a row of them, and rows within one too. All four are multiples of 8 and
    /// the blocks divide the matrix; a plain matrix is one whose block is as wide as itself and one row of beats high.
    #[must_use]
    pub fn blocked(
        offset: u64,
        (rows, columns): (u64, u64),
        (block_rows, block_columns): (u64, u64),
    ) -> Self {
        let each = |count, stride| PatternLoop { count, stride };
        Self {
            offset,
            word_stride: block_columns,
            loops: vec![
                each(block_columns / 8, 8),
                each(columns / block_columns, block_rows * block_columns),
                each(block_rows / 8, 8 * block_columns),
                each(rows / block_rows, columns * block_rows),
            ],
        }
    }

    /// Number of beats; at most `u64::MAX`.
    #[must_use]
    pub fn beats(&self) -> u64 {
        self.loops
            .iter()
            .fold(1, |beats: u64, l| beats.saturating_mul(l.count))
    }

    /// First byte of a beat's first word.
    #[must_use]
    pub fn beat_offset(&self, beat: u64) -> u64 {
        let mut rest = beat;
        let mut at = self.offset;
        for l in &self.loops {
            at += rest % l.count * l.stride;
            rest /= l.count;
        }
        at
    }

    /// First byte of a word of a beat.
    #[must_use]
    pub fn word_offset(&self, beat: u64, word: u64) -> u64 {
        self.beat_offset(beat) + word * self.word_stride
    }

    /// End of the highest byte, from the start of the memory; 0 without beats.
    #[must_use]
    pub fn end(&self) -> u128 {
        if self.beats() == 0 {
            return 0;
        }
        let loops = self.loops.iter();
        let last: u128 = loops
            .map(|l| u128::from(l.count - 1) * u128::from(l.stride))
            .sum();
        let words = 7 * u128::from(self.word_stride) + u128::from(WORD_BYTES);
        u128::from(self.offset) + last + words
    }

    /// Ranges (start, bytes) in the order of the stream, neighbours joined.
    #[must_use]
    pub fn extents(&self) -> Vec<(u64, u64)> {
        let mut extents: Vec<(u64, u64)> = Vec::new();
        for beat in 0..self.beats() {
            let first = self.beat_offset(beat);
            for word in 0..CHAIN_BEAT_BYTES / WORD_BYTES {
                let start = first + word * self.word_stride;
                match extents.last_mut() {
                    Some((from, bytes)) if *from + *bytes == start => *bytes += WORD_BYTES,
                    Some(_) | None => extents.push((start, WORD_BYTES)),
                }
            }
        }
        extents
    }

    /// The same ranges by address; neighbours joined. None if some byte is in two of them.
    #[must_use]
    pub fn ranges(&self) -> Option<Vec<(u64, u64)>> {
        let mut extents = self.extents();
        extents.sort_unstable();
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for (start, bytes) in extents {
            match ranges.last_mut() {
                Some((from, known)) if *from + *known > start => return None,
                Some((from, known)) if *from + *known == start => *known += bytes,
                Some(_) | None => ranges.push((start, bytes)),
            }
        }
        Some(ranges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_pattern_is_one_range() {
        let pattern = AccessPattern::linear(128, 640);
        assert_eq!(pattern.extents(), [(128, 640)]);
        assert_eq!(pattern.end(), 768);
    }

    /// The address formula of a blocked matrix: beat i is the i-th 8x8 block of the matrix, whatever its submatrices.
    #[test]
    fn a_blocked_pattern_reads_the_same_bytes_in_the_same_order_whatever_its_blocks() {
        let (rows, columns) = (32, 48);
        for (a, b) in [(8, 8), (16, 8), (16, 16), (8, 48), (32, 16)] {
            let address = |r: u64, c: u64| r / a * columns * a + c / b * a * b + r % a * b + c % b;
            let pattern = AccessPattern::blocked(0, (rows, columns), (a, b));
            assert_eq!(pattern.beats(), rows * columns / 64);
            for beat in 0..pattern.beats() {
                let (row, column) = (beat / (columns / 8) * 8, beat % (columns / 8) * 8);
                for word in 0..8 {
                    let start = pattern.word_offset(beat, word);
                    assert_eq!(start, address(row + word, column), "{a}x{b}, beat {beat}");
                }
            }
            assert_eq!(pattern.ranges().unwrap(), [(0, rows * columns)]);
        }
    }

    #[test]
    fn ranges_are_refused_where_two_words_meet() {
        let mut pattern = AccessPattern::linear(0, 256);
        pattern.loops[0].stride = 32;
        assert_eq!(pattern.ranges(), None);
        pattern.loops[0].stride = 96;
        assert_eq!(pattern.ranges().unwrap().len(), 4);
    }
}
