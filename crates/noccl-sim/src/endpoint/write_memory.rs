// SPDX-License-Identifier: Apache-2.0
//! Beats that arrive at a memory.

use crate::machine::Machine;
use crate::transport::axi_response::OKAY;
use crate::transport::flit::Flit;

impl Machine<'_> {
    /// Writes the bytes of a beat into the tile's memory. Returns whether the memory took them.
    #[inline]
    pub(crate) fn write_beat(&mut self, tile: usize, flit: Flit, address: u64, bytes: u32) -> bool {
        let is_taken = self.memory_response(tile as u32, address, bytes) == OKAY;
        if !self.is_value() {
            let sum = u64::from(flit.payload) * u64::from(is_taken);
            self.checks.checksum = self.checks.checksum.wrapping_add(sum);
            return is_taken;
        }
        if is_taken {
            let (from, len) = self.beat.part(address, bytes, flit.beat);
            let place = address + u64::from(from);
            let line = self.beat.lane(place);
            let data = &self.memory.pool.bytes(flit.payload)[line..line + len as usize];
            self.memory.memories.write(tile as u32, place, data);
            let sum: u64 = data.iter().map(|b| u64::from(*b)).sum();
            self.checks.checksum = self.checks.checksum.wrapping_add(sum);
        }
        self.memory.pool.release(flit.payload);
        is_taken
    }

    /// Timing mode: a sum stands for as many contributions as there are members.
    pub(crate) fn count_contributions(&mut self, sum: Flit) {
        if !self.is_value() && sum.payload != self.txns.trees.set(sum.txn).set.len() {
            self.checks.wrong_beats += 1;
        }
    }
}
