// SPDX-License-Identifier: Apache-2.0
//! Memories answer: responses, read data and atomics at the cycle in which they are due.

use crate::fabric::axi_response::OKAY;
use crate::fabric::flit::{Flit, FlitKind, LAST, MULTICAST, OWN_COPY, pack};
use crate::fabric::transaction::{Txn, TxnKind};
use crate::machine::{Done, Event, Machine};
use crate::ni::axi::round_robin_queues::{
    DATA, NARROW_ANSWERS, NARROW_READS, NARROW_WRITES, WIDE_ANSWERS, WIDE_READS,
};
use crate::ni::axi::state::{Source, Stream};
use noccl_net::{TileId, TileKind};
use noccl_spec::Plane;

impl Machine<'_> {
    /// Events of memories and merge tables.
    pub(crate) fn handle(&mut self, event: Event) {
        match event {
            Event::Respond { tile, txn } => self.respond(tile, txn),
            Event::RespondToGroup { txn } => {
                let facts = *self.txns.get(txn);
                let kind = FlitKind::ReduceResponse;
                let flit = Flit {
                    txn,
                    dst: 0,
                    payload: 0,
                    beat: 0,
                    kind,
                    flags: LAST | MULTICAST,
                }
                .with_resp(facts.resp.max(self.memory_response(
                    facts.home,
                    facts.address,
                    facts.bytes,
                )));
                self.send(facts.home, Plane::Rsp, flit);
            }
            Event::StartRead { tile, txn } => self.start_read(tile, txn),
            Event::AtomicDone { tile, txn } => {
                let Txn {
                    owner,
                    address,
                    beats,
                    ..
                } = *self.txns.get(txn);
                self.done.push(Done::Delivered { owner, tile, beats });
                let resp = self.memory_response(tile, address, 4);
                let old = if resp == OKAY {
                    self.atomic_add(tile, address)
                } else {
                    0
                };
                let dst = pack(self.txns.trees.tree(txn).root);
                let flit = Flit {
                    txn,
                    dst,
                    payload: old,
                    beat: 0,
                    kind: FlitKind::Response,
                    flags: LAST,
                };
                self.send(tile, Plane::Rsp, flit.with_resp(resp));
            }
            Event::MergeTimeout { plane, entry } => {
                let state = &mut self.planes[plane as usize];
                if state.joins.time_out(entry) {
                    state.wake(entry.router as usize);
                }
            }
            Event::Owe(owed) => self.owe(owed),
            Event::OwnCredit { tile, txn, beats } => {
                self.take_own_credit(tile as usize, txn, beats)
            }
            Event::Freed { tile, place } => self.free(tile as usize, place),
            Event::Operands { txn, offset } => self.give_operands(txn, offset),
            Event::ResultBeat { txn } => self.note_result_beat(txn),
            Event::MemberDone { tile, txn } => {
                let Txn { address, bytes, .. } = *self.txns.get(txn);
                let resp = self.memory_response(tile, address, bytes);
                self.close_member(tile as usize, txn, resp);
            }
            Event::Buffered { tile, bytes } => {
                self.nis[tile as usize].buffer_bytes += bytes;
                self.done.push(Done::ReadBeat { tile, bytes });
                self.refresh_injecting(tile as usize);
            }
            Event::Refused { index } => self.answer_refused(index),
            Event::Torrent { tile } => self.wake_torrent(tile),
            Event::ChainDone { instance } => self.chain_done(instance),
            Event::Driver { .. } => {}
        }
    }

    /// A memory answers a write. The initiator's own answer to its multicast is home already.
    fn respond(&mut self, tile: u32, txn: u32) {
        let facts = *self.txns.get(txn);
        let root = self.txns.trees.tree(txn).root;
        let has_own = self.behaviour.has_own_copies
            && facts.is_multicast
            && self.txns.trees.set(txn).contains(root);
        let kind = if facts.is_multicast {
            FlitKind::CollectB
        } else {
            FlitKind::Response
        };
        let flags = LAST | (u8::from(has_own) * OWN_COPY);
        let flit = Flit {
            txn,
            dst: pack(root),
            payload: u32::from(facts.is_multicast),
            beat: 0,
            kind,
            flags,
        };
        let flit = flit.with_resp(self.memory_response(tile, facts.address, facts.bytes));
        if has_own && tile == facts.home {
            self.own_answers.push((tile, flit));
        } else {
            self.send(tile, Plane::Rsp, flit);
        }
    }

    /// Own memories' answers: one per cycle and port, after the network's.
    pub(crate) fn take_own_answers(&mut self) {
        if self.own_answers.is_empty() {
            return;
        }
        for (tile, flit) in std::mem::take(&mut self.own_answers) {
            if self.is_answered(tile as usize, flit.txn) {
                self.own_answers.push((tile, flit));
            } else {
                self.note_answer(tile as usize, flit.txn);
                self.collect_responses(tile as usize, flit);
            }
        }
    }

    /// Has the port of this transaction had an answer in this cycle?
    fn is_answered(&self, tile: usize, txn: u32) -> bool {
        let port = usize::from(self.txns.get(txn).is_wide);
        self.nis[tile].answered[port] > self.cycle
    }

    pub(crate) fn note_answer(&mut self, tile: usize, txn: u32) {
        let port = usize::from(self.txns.get(txn).is_wide);
        self.nis[tile].answered[port] = self.cycle + 1;
    }

    fn start_read(&mut self, tile: u32, txn: u32) {
        let facts = *self.txns.get(txn);
        if facts.is_wide {
            let source = Source::Memory(facts.address);
            let stream = Stream::plain(txn, facts.beats, false, source);
            self.nis[tile as usize].reads.push_back(stream);
            self.injecting[Plane::Wide.idx()].insert(tile as usize);
        } else {
            let dst = pack(self.txns.trees.tree(txn).root);
            let flit = Flit {
                txn,
                dst,
                payload: 0,
                beat: 0,
                kind: FlitKind::ReadData,
                flags: LAST,
            };
            let resp = self.memory_response(tile, facts.address, facts.bytes);
            self.send(tile, Plane::Rsp, flit.with_resp(resp));
        }
    }

    pub(crate) fn atomic_cycles(&self, tile: usize) -> u64 {
        let spec = self.network.spec();
        u64::from(match self.network.kind(TileId(tile as u32)) {
            TileKind::Cluster => spec.cluster.atomic_cycles,
            TileKind::Memory => spec.memory.atomic_cycles,
        })
    }

    /// Fetch-and-add of one on a 32-bit word kept per place; works in both modes, since control depends on it.
    fn atomic_add(&mut self, tile: u32, address: u64) -> u32 {
        let word = self.atomics.entry((tile, address)).or_insert(0);
        *word += 1;
        *word - 1
    }

    /// Which of a plane's sources a flit comes from. A published NI has one queue.
    fn source_of(&self, plane: Plane, flit: Flit) -> usize {
        let txn = self.txns.get(flit.txn);
        match (plane, flit.kind) {
            _ if !self.behaviour.has_source_queues => 0,
            (Plane::Req, FlitKind::ReadRequest) if txn.is_wide => WIDE_READS,
            (Plane::Req, FlitKind::ReadRequest) => NARROW_READS,
            (Plane::Rsp, FlitKind::ReadData) => DATA,
            (Plane::Rsp, _) if txn.kind == TxnKind::Atomic => DATA,
            (Plane::Rsp, _) if txn.is_wide => WIDE_ANSWERS,
            (Plane::Rsp, _) => NARROW_ANSWERS,
            (Plane::Req | Plane::Wide, _) => NARROW_WRITES,
        }
    }

    /// Queues a flit at a tile's NI.
    pub(crate) fn send(&mut self, tile: u32, plane: Plane, flit: Flit) {
        let source = self.source_of(plane, flit);
        let ni = &mut self.nis[tile as usize];
        match plane {
            Plane::Req => ni.req.push_back(source, flit),
            Plane::Rsp => ni.rsp.push_back(source, flit),
            Plane::Wide => {}
        }
        self.injecting[plane.idx()].insert(tile as usize);
    }
}
