// SPDX-License-Identifier: Apache-2.0
//! Payloads of outgoing beats.

use crate::machine::Machine;
use crate::ni::axi::state::{BurstStream, Source};
use crate::transport::payload::pattern;
use std::ops::Range;

impl Machine<'_> {
    /// Payload of an outgoing beat, placed in its destination line.
    pub(crate) fn load_beat(
        &mut self,
        tile: usize,
        stream: BurstStream,
        address: u64,
        bytes: u32,
        is_reduction: bool,
    ) -> u32 {
        if let Source::Switch(lane) = stream.source {
            return self.take_switched(tile, lane);
        }
        let (from, len) = self.beat.part(address, bytes, stream.next_beat);
        if stream.source == Source::Buffer {
            self.interfaces.nis[tile].buffer_bytes -= len;
            self.done
                .push(crate::machine::event::Done::Drained { tile: tile as u32 });
        } else if matches!(stream.source, Source::Memory(_) | Source::Result) {
            self.checks.counters.dma_load_bytes += u64::from(len);
        }
        self.checks.counters.dma_store_bytes += u64::from(len);
        if !self.is_value() {
            // Timing mode: contributions count themselves, writes carry a checksum of their position.
            return if is_reduction {
                1
            } else {
                stream.txn.wrapping_mul(31) ^ u32::from(stream.next_beat)
            };
        }
        let lane = self.beat.lane(address + u64::from(from));
        let offset = match stream.source {
            Source::Memory(offset) => offset + u64::from(from),
            Source::Result => address + u64::from(from),
            Source::Buffer | Source::Pattern(_) | Source::Operand(_) | Source::Switch(_) => {
                return self.generate_beat(tile, stream.source, from, lane..lane + len as usize);
            }
        };
        self.memory.load_part(tile as u32, offset, lane, len)
    }

    /// A payload slot whose bytes in these lanes do not come from a memory.
    fn generate_beat(
        &mut self,
        tile: usize,
        source: Source,
        from: u32,
        lanes: Range<usize>,
    ) -> u32 {
        let slot = self.memory.pool.zeros();
        let into = &mut self.memory.pool.bytes_mut(slot)[lanes];
        match source {
            Source::Buffer => {
                for byte in into {
                    *byte = self.interfaces.nis[tile]
                        .buffer
                        .pop_front()
                        .expect("readiness counted these bytes");
                }
            }
            Source::Pattern(seed) => pattern(seed, from, into),
            Source::Memory(_) | Source::Result | Source::Operand(_) | Source::Switch(_) => {}
        }
        slot
    }
}
