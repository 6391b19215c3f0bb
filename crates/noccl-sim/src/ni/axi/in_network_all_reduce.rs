// SPDX-License-Identifier: Apache-2.0
//! All-reduce in one transaction (`docs/design/0003`): the root's merge point reads the root's own operands in
//! its memory, and the root's NI multicasts each result beat as soon as it lies there. No response crosses the
//! network: a member knows from the last result beat in its own memory.

use crate::machine::Machine;
use crate::machine::event::Event;
use crate::ni::axi::state::{BurstStream, Source};
use crate::transport::flit::{Flit, FlitKind, LAST, MULTICAST, OWN_COPY, pack};
use noccl_spec::Plane;

impl Machine<'_> {
    /// The root takes part in an all-reduce: it sends no contribution, but the results.
    pub(crate) fn fold_and_share(&mut self, tile: u32, txn: u32, operands: Source) {
        let source = match operands {
            Source::Memory(offset) => Source::Operand(offset),
            Source::Pattern(_)
            | Source::Buffer
            | Source::Operand(_)
            | Source::Switch(_)
            | Source::Result => operands,
        };
        let channel = self.interfaces.txns.get(txn).owner.channel();
        let ni = &mut self.interfaces.nis[tile as usize];
        ni.has_operands = true;
        let stream = BurstStream {
            txn,
            next_beat: 0,
            beats: self.interfaces.txns.trees.tree(txn).beats,
            in_flight: 0,
            window: 0,
            head_pending: false,
            is_reduction: true,
            source,
        };
        ni.queue(stream, channel);
        self.open_operands(tile as usize);
    }

    /// Opens the tile's part in all-reduces of which it is the root: in the order of its reductions, and as
    /// far as the limits reach.
    pub(crate) fn open_operands(&mut self, tile: usize) {
        while self.interfaces.nis[tile].has_operands {
            let ni = &self.interfaces.nis[tile];
            let is_operand = |s: &BurstStream| matches!(s.source, Source::Operand(_));
            if !ni.writes.iter().any(is_operand) {
                self.interfaces.nis[tile].has_operands = false;
                return;
            }
            let is_new =
                |s: &BurstStream| s.is_reduction && s.next_beat == 0 && s.source != Source::Result;
            let limits = &self.network.axi().ni;
            let Some(at) = ni.writes.iter().position(is_new) else {
                return;
            };
            let (txn, Source::Operand(offset)) = (ni.writes[at].txn, ni.writes[at].source) else {
                return;
            };
            if ni.wide_outstanding >= limits.max_wide_outstanding
                || ni.reductions_outstanding >= limits.max_open_reductions
            {
                return;
            }
            let ni = &mut self.interfaces.nis[tile];
            ni.wide_outstanding += 1;
            ni.reductions_outstanding += 1;
            ni.writes[at].source = Source::Result;
            let readable = self.clock.now() + self.memory_latency(tile as u32);
            self.clock
                .schedule(readable, Event::Operands { txn, offset });
        }
    }

    /// The root's merge point may read its operands.
    pub(crate) fn give_operands(&mut self, txn: u32, offset: u64) {
        let facts = *self.interfaces.txns.get(txn);
        self.checks.counters.dma_load_bytes += u64::from(facts.bytes);
        let mut payloads = Vec::new();
        if self.is_value() {
            for beat in 0..facts.beats {
                let (from, len) = self.beat.part(facts.address, facts.bytes, beat);
                let lane = self.beat.lane(facts.address + u64::from(from));
                let own = offset + u64::from(from);
                payloads.push(self.memory.load_part(facts.home, own, lane, len));
            }
        }
        let r = facts.home as usize;
        let wide = &mut self.mesh.planes[Plane::Wide.idx()];
        wide.joins.give_operands(r, txn, payloads);
        wide.wake(r);
    }

    /// One more beat of the result lies in the root's memory.
    pub(crate) fn note_result_beat(&mut self, txn: u32) {
        let tile = self.interfaces.txns.get(txn).home as usize;
        if let Some(stream) = self.interfaces.nis[tile].write_of(txn) {
            stream.window += 1;
        }
        self.refresh_plane(Plane::Wide, tile);
    }

    /// The next beat of the result stream at position `at` of the root's queue.
    pub(crate) fn next_result_beat(&mut self, tile: usize, at: usize) -> Flit {
        let stream = self.interfaces.nis[tile].writes[at];
        let txn = *self.interfaces.txns.get(stream.txn);
        let beat = stream.next_beat;
        let is_last = beat + 1 == stream.beats;
        let ni = &mut self.interfaces.nis[tile];
        if is_last {
            ni.writes.remove(at);
            let done = self.clock.now() + self.memory_latency(tile as u32);
            let (tile, txn) = (tile as u32, stream.txn);
            self.clock.schedule(done, Event::MemberDone { tile, txn });
        } else {
            ni.writes[at].next_beat += 1;
            ni.writes[at].in_flight += 1;
        }
        let payload = self.load_beat(tile, stream, txn.address, txn.bytes);
        let set = self.interfaces.txns.trees.set(stream.txn);
        Flit {
            txn: stream.txn,
            dst: pack(set.set.base),
            payload: if self.is_value() {
                payload
            } else {
                set.set.len()
            },
            beat,
            kind: FlitKind::Result,
            flags: (u8::from(is_last) * LAST) | MULTICAST | OWN_COPY,
        }
    }

    /// A beat of the result arrives at a member other than the root.
    pub(crate) fn deliver_result(&mut self, tile: usize, flit: Flit) {
        let txn = *self.interfaces.txns.get(flit.txn);
        self.count_contributions(flit);
        if self.write_beat(tile, flit, txn.address, txn.bytes) {
            let (_, len) = self.beat.part(txn.address, txn.bytes, flit.beat);
            self.checks.counters.spm_write_bytes += u64::from(len);
        }
        if flit.is_last() {
            let done = self.clock.now() + self.memory_latency(tile as u32);
            let (tile, txn) = (tile as u32, flit.txn);
            self.clock.schedule(done, Event::MemberDone { tile, txn });
        }
    }
}
