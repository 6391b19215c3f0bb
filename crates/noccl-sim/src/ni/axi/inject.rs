// SPDX-License-Identifier: Apache-2.0
//! Injection: from the NI's queues into the Local inputs, one flit per plane, tile and cycle.
//!
//! A beat gets its payload when it leaves. The copy of a multicast for its initiator's own memory does not enter the network.

use crate::kernel::bit_set::bits;
use crate::machine::Machine;
use crate::ni::axi::ready::LaneBeats;
use crate::ni::axi::response::NARROW_WRITES;
use crate::ni::axi::state::{BurstStream, Interfaces, Source};
use crate::transport::axi_response::OKAY;
use crate::transport::flit::{
    Flit, FlitKind, LAST, MULTICAST, OWN_COPY, TO_ITSELF, VARIANT_SHIFT, pack,
};
use crate::transport::payload::pattern;
use noccl_run::LocalSide;
use noccl_spec::Plane;
use std::ops::Range;

/// What of a narrow multicast has gone to the own memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Copied {
    /// The own copy; the router gets the flit for the others.
    Own,
    /// All of it.
    All,
}

/// Timing mode: what a beat carries in place of its bytes. A contribution counts itself, a write carries a checksum of its position.
#[inline]
fn timing_payload(stream: &BurstStream, beat: u16) -> u32 {
    if stream.is_reduction && stream.source != Source::Result {
        return 1;
    }
    stream.txn.wrapping_mul(31) ^ u32::from(beat)
}

impl Interfaces<'_> {
    /// Word of the sets of injecting tiles, at or after `from`, in which some set has members.
    fn next_injecting(&self, from: usize) -> Option<usize> {
        let sets = self.injecting.iter().filter(|set| !set.is_empty());
        sets.filter_map(|set| set.next_word(from)).min()
    }

    /// A unicast write flit of a tile to itself (default flow).
    fn is_to_itself(&self, tile: usize, flit: Flit) -> bool {
        let is_write = matches!(flit.kind, FlitKind::Write | FlitKind::NarrowWrite);
        if !self.behaviour.has_own_copies || !is_write || flit.flags & MULTICAST != 0 {
            return false;
        }
        let txn = self.txns.get(flit.txn);
        txn.home as usize == tile && txn.target as usize == tile
    }
}

impl Machine<'_> {
    /// Every NI with something to send tries once per plane.
    pub(crate) fn inject(&mut self) {
        let mut next = 0;
        while let Some(word) = self.interfaces.next_injecting(next) {
            next = word + 1;
            let sets = self
                .interfaces
                .injecting
                .each_ref()
                .map(|set| set.word(word));
            let tiles = sets.iter().fold(0, |all, set| all | set);
            self.interfaces.nis.touch(word, tiles);
            let others = tiles & !self.stream_bursts(word, sets);
            for lane in bits(others) {
                self.inject_tile(word * 64 + lane, sets.map(|set| set >> lane & 1 != 0));
            }
        }
    }

    /// Sends the next beats of the tiles of a word that are inside a burst and have nothing to send into other planes. Returns these
    /// tiles; those of them whose Local input is full wait.
    fn stream_bursts(&mut self, word: usize, [req, rsp, wide]: [u64; 3]) -> u64 {
        let inside = wide & self.interfaces.streaming.word(word) & !(req | rsp);
        if inside == 0 || self.config.stalls.is_some() {
            return 0;
        }
        let sending = inside & !self.mesh.planes[Plane::Wide.idx()].local_full(word);
        if sending == 0 {
            return inside;
        }
        if self.is_value() {
            for lane in bits(sending) {
                self.continue_burst(word * 64 + lane);
            }
            return inside;
        }
        self.clock.note_progress();
        let (mut ended, mut loads) = (0, 0);
        let interfaces = &mut self.interfaces;
        let nis = interfaces.nis.block_mut(word);
        let next_flit = |lane: usize| {
            let ni = &mut nis[lane];
            ni.read_was_granted = false;
            let Some(stream) = ni.writes.get_mut(0) else {
                return ni.beat_in_common;
            };
            let beat = stream.next_beat;
            ended |= u64::from(!stream.send_inside()) << lane;
            loads += u64::from(matches!(stream.source, Source::Memory(_)));
            Flit::with_beat(ni.beat_in_common, beat, timing_payload(stream, beat))
        };
        let wide = &mut self.mesh.planes[Plane::Wide.idx()];
        wide.push_local_lanes(word, sending, &interfaces.txns.trees, next_flit);
        let counters = &mut self.checks.counters;
        counters.dma_load_bytes += self.beat.bytes_of(loads);
        counters.dma_store_bytes += self.beat.bytes_of(u64::from(sending.count_ones()));
        for lane in bits(ended) {
            interfaces.streaming.remove(word * 64 + lane);
        }
        inside
    }

    /// `wishes`: per plane, may the tile have something to send?
    fn inject_tile(&mut self, tile: usize, wishes: [bool; 3]) {
        let [wishes_req, wishes_rsp, wishes_wide] = wishes;
        let copied = wishes_req.then(|| self.copy_narrow(tile)).flatten();
        // The port of narrow writes has no other one in this cycle; reads may leave.
        let was_copy = copied == Some(Copied::All);
        let mut has_sent = was_copy;
        if wishes_req
            && self.may_send(Plane::Req, tile)
            && let Some(source) = self.interfaces.next_request_beside(tile, was_copy)
        {
            let flit = self.interfaces.take_request(tile, source, was_copy);
            let opens = flit.is_some_and(|f| self.interfaces.opens_narrow(f));
            self.interfaces.nis[tile].narrow_outstanding += u32::from(opens);
            let is_wide_read = flit.is_some_and(|f| self.interfaces.opens_wide_read(f));
            self.interfaces.nis[tile].reads_outstanding += u32::from(is_wide_read);
            if let Some(flit) = flit {
                self.note_first_beat(flit.txn);
            }
            self.push(Plane::Req, tile, flit);
            has_sent = true;
        } else if copied.is_some() {
            self.interfaces.keep_offers(tile, None, was_copy);
        }
        // The hardware counts in registers: its place is taken from the next cycle on.
        if copied.is_some() {
            self.interfaces.nis[tile].narrow_outstanding += 1;
        }
        if wishes_rsp && self.may_send(Plane::Rsp, tile) {
            let credit = self.next_credit(tile);
            let flit = credit.or_else(|| self.take_response(tile));
            self.push(Plane::Rsp, tile, flit);
            has_sent = true;
        }
        let mut goes_on = false;
        if wishes_wide {
            goes_on = self.continue_burst(tile) || self.inject_wide(tile);
            has_sent |= !goes_on;
        }
        if has_sent {
            for plane in Plane::ALL {
                if wishes[plane.idx()] && !(goes_on && plane == Plane::Wide) {
                    self.refresh_plane(plane, tile);
                }
            }
        }
    }

    fn take_response(&mut self, tile: usize) -> Option<Flit> {
        let responses = &mut self.interfaces.nis[tile].rsp;
        let source = responses.next(|_, _| true)?;
        responses.take(source)
    }

    /// Credits go before responses: senders of operands wait for them.
    fn next_credit(&mut self, tile: usize) -> Option<Flit> {
        if self.interfaces.nis[tile].pending_credits == 0 {
            return None;
        }
        let wide = &mut self.mesh.planes[Plane::Wide.idx()];
        let credit = wide.pending_credit(tile, &self.interfaces.txns.trees)?;
        self.interfaces.nis[tile].pending_credits -= 1;
        wide.joins.return_credit(tile);
        wide.wake(tile);
        Some(credit.flit())
    }

    /// The next beat of a burst between its first and its last one, if nothing else wants the port: what
    /// [`Machine::inject_wide`] does in most cycles, without the questions that only ends of bursts and own copies
    /// raise. Returns whether that is so; the tile may then have more to send.
    #[inline]
    fn continue_burst(&mut self, tile: usize) -> bool {
        let ni = &self.interfaces.nis[tile];
        let Some(stream) = ni.writes.front().copied() else {
            return false;
        };
        let is_alone = ni.copied.is_none() && ni.reads.is_empty();
        if !is_alone || !stream.is_inside_burst() {
            return false;
        }
        let Some(in_common) = self.beat_in_common(tile, stream) else {
            return false;
        };
        let txn = self.interfaces.txns.get(stream.txn);
        let (address, bytes) = (txn.address, txn.bytes);
        let is_sent = self.may_send(Plane::Wide, tile);
        let ni = &mut self.interfaces.nis[tile];
        ni.beat_in_common = in_common.packed();
        let first = ni.writes.get_mut(0).filter(|_| is_sent);
        if first.is_none_or(BurstStream::send_inside) {
            self.interfaces.streaming.insert(tile);
        } else {
            self.interfaces.streaming.remove(tile);
        }
        if !is_sent {
            return true;
        }
        self.interfaces.nis[tile].read_was_granted = false;
        let flit = Flit {
            payload: self.load_beat(tile, stream, address, bytes),
            beat: stream.next_beat,
            ..in_common
        };
        self.clock.note_progress();
        let trees = &self.interfaces.txns.trees;
        self.mesh.planes[Plane::Wide.idx()].push_local(tile, flit, trees);
        true
    }

    /// What the beats inside a burst have in common. None if the tile keeps a copy, or the burst is longer than its transaction.
    fn beat_in_common(&self, tile: usize, stream: BurstStream) -> Option<Flit> {
        let txn = self.interfaces.txns.get(stream.txn);
        if stream.is_reduction {
            let is_usual = stream.beats <= txn.beats && !txn.is_multicast;
            return is_usual.then(|| Flit {
                txn: stream.txn,
                dst: pack(self.coord(tile as u32)),
                kind: FlitKind::Reduce,
                flags: self.errors.variant(stream.txn, tile as u32) << VARIANT_SHIFT,
                ..Flit::default()
            });
        }
        let set = self.interfaces.txns.trees.set(stream.txn);
        let has_copy = || txn.is_multicast && set.contains(self.coord(tile as u32));
        if txn.target as usize == tile || has_copy() {
            return None;
        }
        Some(Flit {
            txn: stream.txn,
            dst: pack(set.set.base),
            kind: FlitKind::Write,
            flags: u8::from(txn.is_multicast) * MULTICAST,
            ..Flit::default()
        })
    }

    /// A write beat or read data, alternately. Returns whether the tile surely has more to send.
    fn inject_wide(&mut self, tile: usize) -> bool {
        let may_send = self.may_send(Plane::Wide, tile);
        if !may_send && !self.interfaces.may_copy(tile) {
            return true;
        }
        let write = self.interfaces.ready_write(tile, self.lanes());
        let own = write.filter(|at| {
            let txn = self.interfaces.nis[tile].writes[*at].txn;
            self.interfaces.has_own_copy(tile, txn)
        });
        let copy = own.map(|at| self.copy_beat(tile, at));
        let goes_on = may_send && self.send_wide(tile, write.filter(|_| own.is_none()));
        if let Some(copy) = copy {
            // What is read in this cycle is read before the copy is written.
            self.deliver_write(tile, copy);
        }
        goes_on
    }

    /// A write beat, a copy that waits, or read data. Returns whether the tile surely has more to send.
    fn send_wide(&mut self, tile: usize, write: Option<usize>) -> bool {
        let ni = &mut self.interfaces.nis[tile];
        let (has_read, has_write) = (!ni.reads.is_empty(), write.is_some() || ni.copied.is_some());
        if !has_read && !has_write {
            return false;
        }
        let yields = has_read && !ni.read_was_granted;
        ni.read_was_granted = !has_write || yields;
        let copied = if yields { None } else { ni.copied.take() };
        let write = write.filter(|_| !yields);
        let flit = match (copied, write) {
            (Some(flit), _) => flit,
            (None, Some(at)) => self.next_write_beat(tile, at),
            (None, None) => self.next_read_beat(tile),
        };
        self.push(Plane::Wide, tile, Some(flit));
        let waits = |s: &BurstStream| matches!(s.source, Source::Buffer | Source::Switch(_));
        let goes_on = |s: &BurstStream| s.txn == flit.txn && !waits(s) && s.in_flight < s.window;
        let is_beat = matches!(flit.kind, FlitKind::Write | FlitKind::Reduce);
        let next = write.and_then(|at| self.interfaces.nis[tile].writes.get(at));
        is_beat && next.is_some_and(goes_on)
    }

    fn may_send(&self, plane: Plane, tile: usize) -> bool {
        self.mesh.planes[plane.idx()].can_inject(tile)
            && !self.config.is_held(
                self.clock.now(),
                plane,
                tile,
                LocalSide::Input {
                    tiles: self.interfaces.nis.len(),
                },
            )
    }

    #[inline]
    fn push(&mut self, plane: Plane, tile: usize, flit: Option<Flit>) {
        let Some(mut flit) = flit else { return };
        self.clock.note_progress();
        if self.interfaces.is_to_itself(tile, flit) {
            flit.flags |= TO_ITSELF;
            self.interfaces.nis[tile].own_in_flight[usize::from(flit.kind == FlitKind::Write)] += 1;
        }
        let trees = &self.interfaces.txns.trees;
        self.mesh.planes[plane.idx()].push_local(tile, flit, trees);
    }

    /// Which lanes of Torrent endpoints have a beat for their interface.
    fn lanes(&self) -> LaneBeats<'_> {
        LaneBeats {
            torrents: self.torrents.as_deref(),
            now: self.clock.now(),
        }
    }

    /// Keeps the sets of injecting tiles true after a queue of `tile` has changed.
    pub(crate) fn refresh_injecting(&mut self, tile: usize) {
        for plane in Plane::ALL {
            self.refresh_plane(plane, tile);
        }
    }

    /// The same for one plane, where the change matters for no other.
    pub(crate) fn refresh_plane(&mut self, plane: Plane, tile: usize) {
        let lanes = LaneBeats {
            torrents: self.torrents.as_deref(),
            now: self.clock.now(),
        };
        self.interfaces.refresh_plane(plane, tile, lanes);
    }

    pub(crate) fn next_write_beat(&mut self, tile: usize, at: usize) -> Flit {
        let ni = &mut self.interfaces.nis[tile];
        let stream = ni.writes[at];
        if stream.source == Source::Result {
            return self.next_result_beat(tile, at);
        }
        let is_reduction = stream.is_reduction;
        let txn = self.interfaces.txns.get(stream.txn);
        let (address, bytes, is_multicast) = (txn.address, txn.bytes, txn.is_multicast);
        let beat = stream.next_beat;
        let is_burst_end = beat + 1 == txn.beats;
        if beat == 0 && (stream.head_pending || !self.behaviour.is_wormhole) {
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
            self.note_first_beat(stream.txn);
            self.open_operands(tile);
        }
        let payload = self.load_beat(tile, stream, address, bytes);
        let (kind, dst) = if is_reduction {
            (FlitKind::Reduce, pack(self.coord(tile as u32)))
        } else {
            let set = self.interfaces.txns.trees.set(stream.txn);
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

    /// AW flit of a packet.
    fn write_head(&self, txn: u32, is_reduction: bool, is_multicast: bool) -> Flit {
        let tree = self.interfaces.txns.trees.tree(txn);
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
        let txn = *self.interfaces.txns.get(stream.txn);
        let beat = stream.next_beat;
        if beat == 0 {
            self.note_first_beat(stream.txn);
        }
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
        let resp = self
            .errors
            .memory_response(tile as u32, txn.address, txn.bytes);
        let payload = if resp != OKAY {
            self.error_beat()
        } else if self.is_value() {
            let line = self.beat.line(txn.address) + u64::from(beat);
            self.memory.load(tile as u32, self.beat.bytes_of(line))
        } else {
            0
        };
        let dst = pack(self.interfaces.txns.trees.tree(stream.txn).root);
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

    /// Payload of an outgoing beat, placed in its destination line.
    pub(crate) fn load_beat(
        &mut self,
        tile: usize,
        stream: BurstStream,
        address: u64,
        bytes: u32,
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
            return timing_payload(&stream, stream.next_beat);
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

    /// The own copy of a wide multicast's beat; the beat for the others, if there are any, goes with it or later.
    fn copy_beat(&mut self, tile: usize, at: usize) -> Flit {
        let flit = self.next_write_beat(tile, at);
        self.clock.note_progress();
        let has_others = self.interfaces.txns.trees.set(flit.txn).set.len() > 1;
        if has_others {
            if self.is_value() {
                self.memory.pool.share(flit.payload, 1);
            }
            let flags = flit.flags | OWN_COPY;
            self.interfaces.nis[tile].copied = Some(Flit { flags, ..flit });
        }
        flit
    }

    /// The same for the next narrow write. Whoever calls counts it as open.
    pub(crate) fn copy_narrow(&mut self, tile: usize) -> Option<Copied> {
        let front = self.interfaces.ready_narrow_write(tile)?;
        if front.flags & OWN_COPY != 0 || !self.interfaces.has_own_copy(tile, front.txn) {
            return None;
        }
        self.clock.note_progress();
        let has_others = self.interfaces.txns.trees.set(front.txn).set.len() > 1;
        let req = &mut self.interfaces.nis[tile].req;
        if has_others {
            req.mark(NARROW_WRITES, OWN_COPY);
        } else {
            req.drop_front(NARROW_WRITES);
        }
        self.take_write(tile, front);
        Some(if has_others { Copied::Own } else { Copied::All })
    }
}
