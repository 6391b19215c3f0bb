// SPDX-License-Identifier: Apache-2.0
//! Payload bytes of flits in flight (value mode): a pool of 64-byte slots with reference counts.
//!
//! A fork shares a slot, a reduction takes a new one; a slot is free when its last flit is delivered.

use crate::kernel::saved_form::Bytes;
use serde::{Deserialize, Serialize};

/// Bytes of a wide beat.
pub(crate) const BEAT_BYTES: usize = 64;

#[derive(Default, Serialize, Deserialize)]
pub(crate) struct PayloadPool {
    bytes: Vec<Bytes<BEAT_BYTES>>,
    references: Vec<u32>,
    free: Vec<u32>,
}

impl PayloadPool {
    /// A slot with these bytes and one reference.
    pub(crate) fn put(&mut self, bytes: [u8; BEAT_BYTES]) -> u32 {
        if let Some(slot) = self.free.pop() {
            self.bytes[slot as usize] = Bytes(bytes);
            self.references[slot as usize] = 1;
            return slot;
        }
        self.bytes.push(Bytes(bytes));
        self.references.push(1);
        (self.bytes.len() - 1) as u32
    }

    pub(crate) fn bytes(&self, slot: u32) -> &[u8; BEAT_BYTES] {
        &self.bytes[slot as usize].0
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
        self.bytes.len() - self.free.len()
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
