// SPDX-License-Identifier: Apache-2.0
//! The next beat of a NI's write or read stream.

use crate::machine::Machine;
use crate::ni::axi::state::Source;
use crate::transport::axi_response::OKAY;
use crate::transport::flit::{Flit, FlitKind, LAST, MULTICAST, VARIANT_SHIFT, pack};

impl Machine<'_> {
    pub(crate) fn next_write_beat(&mut self, tile: usize, at: usize) -> Flit {
        let ni = &mut self.interfaces.nis[tile];
        let stream = ni.writes[at];
        if stream.source == Source::Result {
            return self.next_result_beat(tile, at);
        }
        let is_reduction = stream.is_reduction;
        let txn = self.txns.get(stream.txn);
        let (address, bytes, is_multicast) = (txn.address, txn.bytes, txn.is_multicast);
        let beat = stream.next_beat;
        let is_burst_end = beat + 1 == txn.beats;
        if beat == 0 && (stream.head_pending || !self.behaviour.has_worms) {
            ni.wide_outstanding += 1;
            ni.reductions_outstanding += u32::from(is_reduction);
        }
        if stream.head_pending {
            ni.writes[at].head_pending = false;
            return self.write_head(stream.txn, is_reduction, is_multicast);
        }
        if beat + 1 == stream.beats {
            ni.writes.remove(at);
        } else {
            let stream = &mut ni.writes[at];
            stream.next_beat += 1;
            stream.in_flight += u16::from(is_reduction);
        }
        if beat == 0 {
            self.open_operands(tile);
        }
        let payload = self.load_beat(tile, stream, address, bytes, is_reduction);
        let (kind, dst) = if is_reduction {
            (FlitKind::Reduce, pack(self.coord(tile as u32)))
        } else {
            let set = self.txns.trees.set(stream.txn);
            (FlitKind::Write, pack(set.set.base))
        };
        let mut flags = (u8::from(is_burst_end) * LAST) | (u8::from(is_multicast) * MULTICAST);
        if is_reduction {
            flags |= self.errors.variant(stream.txn, tile as u32) << VARIANT_SHIFT;
        }
        Flit {
            txn: stream.txn,
            dst,
            payload,
            beat,
            kind,
            flags,
        }
    }

    /// AW flit of a worm.
    fn write_head(&self, txn: u32, is_reduction: bool, is_multicast: bool) -> Flit {
        let tree = self.txns.trees.tree(txn);
        let (kind, dst) = if is_reduction {
            (FlitKind::ReduceHead, pack(tree.root))
        } else {
            (FlitKind::WriteHead, pack(tree.set.set.base))
        };
        Flit {
            txn,
            dst,
            payload: 0,
            beat: 0,
            kind,
            flags: u8::from(is_multicast) * MULTICAST,
        }
    }

    pub(crate) fn next_read_beat(&mut self, tile: usize) -> Flit {
        let stream = *self.interfaces.nis[tile]
            .reads
            .front()
            .expect("a ready read has a stream");
        let txn = *self.txns.get(stream.txn);
        let beat = stream.next_beat;
        let is_last = beat + 1 == stream.beats;
        let ni = &mut self.interfaces.nis[tile];
        if is_last {
            ni.reads.pop_front();
            ni.reads_in_service -= 1;
        } else if let Some(front) = ni.reads.front_mut() {
            front.next_beat += 1;
        }
        self.checks.counters.dma_load_bytes +=
            u64::from(self.beat.part(txn.address, txn.bytes, beat).1);
        let resp = self.memory_response(tile as u32, txn.address, txn.bytes);
        let payload = if resp != OKAY {
            self.error_beat()
        } else if self.is_value() {
            let line = self.beat.line(txn.address) + u64::from(beat);
            self.memory.load(tile as u32, self.beat.bytes_of(line))
        } else {
            0
        };
        let dst = pack(self.txns.trees.tree(stream.txn).root);
        Flit {
            txn: stream.txn,
            dst,
            payload,
            beat,
            kind: FlitKind::ReadData,
            flags: u8::from(is_last) * LAST,
        }
        .with_resp(resp)
    }
}
