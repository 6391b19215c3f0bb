// SPDX-License-Identifier: Apache-2.0
//! Payload bytes of flits in flight (value mode): a pool of slots of one beat each, with reference counts.
//!
//! A fork shares a slot, a sum is made in that of its first operand; a slot is free when its last flit is delivered. The bytes
//! of all slots lie one after the other, so that a slot is free again without an allocation, whatever a beat has.

use crate::transport::beat::WideBeat;
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

/// Bytes of a generator: byte i of stream `seed`.
pub(crate) fn pattern(seed: u64, from: u32, into: &mut [u8]) {
    for (i, byte) in into.iter_mut().enumerate() {
        let index = u64::from(from) + i as u64;
        let word =
            crate::kernel::random::mix(seed ^ (index / 8).wrapping_mul(0xd134_2543_de82_ef95));
        *byte = (word >> (8 * (index % 8))) as u8;
    }
}
