// SPDX-License-Identifier: Apache-2.0
//! Payload bytes of flits in flight (value mode): a pool of slots of one beat each, with reference counts.
//!
//! A fork shares a slot, a sum is made in that of its first operand; a slot is free when its last flit is delivered. The bytes
//! of all slots lie one after the other, so that a slot is free again without an allocation, whatever a beat has.

use crate::kernel::random::mix;
use noccl_spec::AxiTiles;
use noccl_workload::number::fold_into;
use noccl_workload::{ElementType, Operator};
use serde::{Deserialize, Serialize};
use std::ops::Range;

#[derive(Serialize, Deserialize)]
pub(crate) struct PayloadPool {
    beat: WideBeat,
    bytes: Vec<u8>,
    references: Vec<u32>,
    free: Vec<u32>,
}

impl PayloadPool {
    pub(crate) const fn new(beat: WideBeat) -> Self {
        Self {
            beat,
            bytes: Vec::new(),
            references: Vec::new(),
            free: Vec::new(),
        }
    }

    /// What a slot holds.
    #[inline]
    pub(crate) const fn beat(&self) -> WideBeat {
        self.beat
    }

    /// A slot of zeros with one reference.
    pub(crate) fn zeros(&mut self) -> u32 {
        let slot = self.take();
        self.bytes_mut(slot).fill(0);
        slot
    }

    /// A slot with these bytes, a beat of them, and one reference.
    pub(crate) fn put(&mut self, bytes: &[u8]) -> u32 {
        let slot = self.take();
        self.bytes_mut(slot).copy_from_slice(bytes);
        slot
    }

    /// A slot with one reference and whatever it held.
    fn take(&mut self) -> u32 {
        if let Some(slot) = self.free.pop() {
            self.references[slot as usize] = 1;
            return slot;
        }
        self.bytes.resize(self.bytes.len() + self.beat.bytes(), 0);
        self.references.push(1);
        (self.references.len() - 1) as u32
    }

    #[inline]
    fn range(&self, slot: u32) -> Range<usize> {
        let start = self.beat.bytes_of(u64::from(slot)) as usize;
        start..start + self.beat.bytes()
    }

    #[inline]
    pub(crate) fn bytes(&self, slot: u32) -> &[u8] {
        &self.bytes[self.range(slot)]
    }

    #[inline]
    pub(crate) fn bytes_mut(&mut self, slot: u32) -> &mut [u8] {
        let range = self.range(slot);
        &mut self.bytes[range]
    }

    /// In place of a flit's slot one with the same bytes that no other flit carries.
    pub(crate) fn own(&mut self, slot: u32) -> u32 {
        if self.references[slot as usize] == 1 {
            return slot;
        }
        let own = self.take();
        let (from, to) = (self.range(slot), self.range(own).start);
        self.bytes.copy_within(from, to);
        self.release(slot);
        own
    }

    /// Combines an operand into a slot that no other flit carries; the operand's flit is gone.
    pub(crate) fn fold(
        &mut self,
        sum: u32,
        operand: u32,
        (operator, element): (Operator, ElementType),
    ) {
        let ranges = [self.range(sum), self.range(operand)];
        let [into, from] = (self.bytes.get_disjoint_mut(ranges)).expect("two slots are apart");
        fold_into(into, from, operator, element);
        self.release(operand);
    }

    /// One more flit carries this slot.
    pub(crate) fn share(&mut self, slot: u32, more: u32) {
        self.references[slot as usize] += more;
    }

    /// A flit that carried this slot is gone.
    pub(crate) fn release(&mut self, slot: u32) {
        let count = &mut self.references[slot as usize];
        *count -= 1;
        if *count == 0 {
            self.free.push(slot);
        }
    }

    /// Slots in use; zero when nothing is in flight.
    #[cfg(test)]
    pub(crate) fn in_use(&self) -> usize {
        self.references.len() - self.free.len()
    }
}

/// Bytes of a generator: byte i of stream `seed`, made eight at a time.
pub(crate) fn pattern(seed: u64, from: u32, into: &mut [u8]) {
    let word = |index: u64| mix(seed ^ index.wrapping_mul(0xd134_2543_de82_ef95)).to_le_bytes();
    let (from, before) = (u64::from(from), from as usize % 8);
    let in_first = if before == 0 {
        0
    } else {
        into.len().min(8 - before)
    };
    let (first, rest) = into.split_at_mut(in_first);
    first.copy_from_slice(&word(from / 8)[before..][..in_first]);
    let (words, last) = rest.as_chunks_mut::<8>();
    let next = from.div_ceil(8);
    for (index, bytes) in (next..).zip(words.iter_mut()) {
        *bytes = word(index);
    }
    last.copy_from_slice(&word(next + words.len() as u64)[..last.len()]);
}

// Wide beats: which bytes of a burst each of them has.

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
    use super::{WideBeat, pattern};

    #[test]
    fn a_generator_gives_the_same_bytes_from_any_place_on() {
        let mut all = [0; 100];
        pattern(7, 0, &mut all);
        for from in 0..20 {
            for len in 0..60 {
                let mut part = vec![0; len];
                pattern(7, from as u32, &mut part);
                assert_eq!(part, all[from..from + len], "{from}, {len}");
            }
        }
    }

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
