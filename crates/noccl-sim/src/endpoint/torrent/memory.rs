// SPDX-License-Identifier: Apache-2.0
//! Words of a beat in a tile's memory.

use crate::endpoint::memory::Memories;
use crate::endpoint::torrent::unit::Bytes;
use crate::transport::payload::PayloadPool;
use noccl_run::Counters;
use noccl_workload::CHAIN_BEAT_BYTES;

/// Memory and payloads of one tile.
pub(crate) struct Memory<'a> {
    pub tile: u32,
    pub is_value: bool,
    pub memories: &'a mut Memories,
    pub pool: &'a mut PayloadPool,
    pub counters: &'a mut Counters,
    pub checksum: &'a mut u64,
}

impl Bytes for Memory<'_> {
    fn load(&mut self, words: &[u64; 8]) -> u32 {
        self.counters.dma_load_bytes += CHAIN_BEAT_BYTES;
        if !self.is_value {
            return words[0] as u32;
        }
        let slot = self.pool.zeros();
        for (word, at) in self.pool.bytes_mut(slot).chunks_exact_mut(8).zip(words) {
            self.memories.read(self.tile, *at, word);
        }
        slot
    }

    fn store(&mut self, words: &[u64; 8], payload: u32) {
        self.counters.spm_write_bytes += CHAIN_BEAT_BYTES;
        if !self.is_value {
            *self.checksum = self.checksum.wrapping_add(u64::from(payload));
            return;
        }
        let beat = self.pool.bytes(payload);
        for (word, at) in beat.chunks_exact(8).zip(words) {
            self.memories.write(self.tile, *at, word);
        }
        let sum: u64 = beat.iter().map(|b| u64::from(*b)).sum();
        *self.checksum = self.checksum.wrapping_add(sum);
    }

    fn share(&mut self, payload: u32) {
        if self.is_value {
            self.pool.share(payload, 1);
        }
    }

    fn release(&mut self, payload: u32) {
        if self.is_value {
            self.pool.release(payload);
        }
    }
}
