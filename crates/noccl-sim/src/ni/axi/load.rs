// SPDX-License-Identifier: Apache-2.0
//! Payloads of outgoing beats.

use crate::fabric::payload::{BEAT_BYTES, pattern};
use crate::machine::Machine;
use crate::ni::axi::state::{Source, Stream, beat_bytes};

impl Machine<'_> {
    /// Payload of an outgoing beat, placed in its destination line.
    pub(crate) fn load_beat(
        &mut self,
        tile: usize,
        stream: Stream,
        address: u64,
        bytes: u32,
        is_reduction: bool,
    ) -> u32 {
        if let Source::Switch(lane) = stream.source {
            return self.take_switched(tile, lane);
        }
        let (from, len) = beat_bytes(address, bytes, stream.next_beat);
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
        let mut line = [0; BEAT_BYTES];
        let start = ((address + u64::from(from)) % BEAT_BYTES as u64) as usize;
        let into = &mut line[start..start + len as usize];
        match stream.source {
            Source::Memory(offset) => {
                self.memory
                    .memories
                    .read(tile as u32, offset + u64::from(from), into)
            }
            Source::Buffer => {
                for byte in into.iter_mut() {
                    *byte = self.interfaces.nis[tile]
                        .buffer
                        .pop_front()
                        .expect("readiness counted these bytes");
                }
            }
            Source::Pattern(seed) => pattern(seed, from, into),
            Source::Result => {
                self.memory
                    .memories
                    .read(tile as u32, address + u64::from(from), into)
            }
            Source::Operand(_) | Source::Switch(_) => {}
        }
        self.memory.pool.put(line)
    }
}
