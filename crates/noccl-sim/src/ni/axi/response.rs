// SPDX-License-Identifier: Apache-2.0
//! What memories send: responses, read data and atomics at the cycle in which they are due; error responses (`docs/errors.md`) of memories
//! and of NIs, which end a transaction themselves.

use crate::kernel::inline_queue::InlineQueue;
use crate::machine::Machine;
use crate::machine::event::{Done, Event};
use crate::ni::axi::state::{BurstStream, Interfaces, Source};
use crate::transport::axi_response::SLVERR;
use crate::transport::flit::{Flit, FlitKind, LAST, OWN_COPY, pack};
use crate::transport::transaction::TxnKind;
use noccl_spec::Plane;
use serde::{Deserialize, Serialize};

impl Interfaces<'_> {
    /// Has the port of this transaction had a response in this cycle?
    fn has_responded(&self, tile: usize, txn: u32, now: u64) -> bool {
        let port = usize::from(self.txns.get(txn).is_wide);
        self.nis[tile].responded[port] > now
    }

    /// The port of this transaction has a response in this cycle.
    pub(crate) fn note_response(&mut self, tile: usize, txn: u32, now: u64) {
        let port = usize::from(self.txns.get(txn).is_wide);
        self.nis[tile].responded[port] = now + 1;
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
            (Plane::Rsp, _) if txn.is_wide => WIDE_RESPONSES,
            (Plane::Rsp, _) => NARROW_RESPONSES,
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
        self.wake(plane, tile as usize);
    }
}

impl Machine<'_> {
    /// A memory responds to a write. The initiator's own response to its multicast is there already.
    pub(crate) fn respond(&mut self, tile: u32, txn: u32) {
        let facts = *self.interfaces.txns.get(txn);
        let root = self.interfaces.txns.trees.tree(txn).root;
        let has_own = self.behaviour.has_own_copies
            && facts.is_multicast
            && self.interfaces.txns.trees.set(txn).contains(root);
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
        let flit = flit.with_resp(
            self.errors
                .memory_response(tile, facts.address, facts.bytes),
        );
        if has_own && tile == facts.home {
            self.interfaces.own_responses.push((tile, flit));
        } else {
            self.interfaces.send(tile, Plane::Rsp, flit);
        }
    }

    /// Own memories' responses: one per cycle and port, after the network's.
    pub(crate) fn take_own_responses(&mut self) {
        if self.interfaces.own_responses.is_empty() {
            return;
        }
        let now = self.clock.now();
        for (tile, flit) in std::mem::take(&mut self.interfaces.own_responses) {
            if self.interfaces.has_responded(tile as usize, flit.txn, now) {
                self.interfaces.own_responses.push((tile, flit));
            } else {
                self.interfaces.note_response(tile as usize, flit.txn, now);
                self.collect_responses(tile as usize, flit);
            }
        }
    }

    pub(crate) fn start_read(&mut self, tile: u32, txn: u32) {
        let facts = *self.interfaces.txns.get(txn);
        if facts.is_wide {
            let source = Source::Memory(facts.address);
            let stream = BurstStream::plain(txn, facts.beats, false, source);
            self.interfaces.nis[tile as usize].reads.push_back(stream);
            self.interfaces.streaming.remove(tile as usize);
            self.interfaces.wake(Plane::Wide, tile as usize);
        } else {
            let dst = pack(self.interfaces.txns.trees.tree(txn).root);
            let flit = Flit {
                txn,
                dst,
                payload: 0,
                beat: 0,
                kind: FlitKind::ReadData,
                flags: LAST,
            };
            let resp = self
                .errors
                .memory_response(tile, facts.address, facts.bytes);
            self.interfaces.send(tile, Plane::Rsp, flit.with_resp(resp));
        }
    }

    /// The NI responds by itself: it takes the beats, one per cycle and burst after burst, and then
    /// gives `done`. Nothing enters the network.
    pub(crate) fn refuse(&mut self, tile: u32, beats: u16, done: Done) {
        let ni = &mut self.interfaces.nis[tile as usize];
        ni.refusing_until = ni.refusing_until.max(self.clock.now()) + u64::from(beats);
        let due_cycle = ni.refusing_until + 1;
        self.errors.refused.push(done);
        let index = (self.errors.refused.len() - 1) as u32;
        self.clock.schedule(due_cycle, Event::Refused { index });
    }

    pub(crate) fn respond_to_refused(&mut self, index: u32) {
        self.checks.counters.error_responses += 1;
        self.done.push(self.errors.refused[index as usize]);
    }

    /// A combined beat whose contributions did not agree: the transaction fails, nothing is written.
    pub(crate) fn drop_disagreed(&mut self, txn: u32, slot: u32) {
        self.interfaces.txns.get_mut(txn).resp = SLVERR;
        if self.is_value() {
            self.memory.pool.release(slot);
        }
    }

    /// Payload of an error beat: zeros, never the memory's content.
    pub(crate) fn error_beat(&mut self) -> u32 {
        if self.is_value() {
            self.memory.pool.zeros()
        } else {
            0
        }
    }
}

// What a NI has for one plane, from sources in round-robin order: the next one behind the one served last, as
// `noccl_rr_arbiter` grants. Flits of one source leave in the order in which they came.

/// Sources of a plane.
const SOURCES: usize = 3;

/// Sources of requests; with narrow writes goes what begins like them.
pub(crate) const NARROW_WRITES: usize = 0;
pub(crate) const NARROW_READS: usize = 1;
pub(crate) const WIDE_READS: usize = 2;

/// Sources of responses: the memory's ports for wide and for narrow writes, and narrow data.
pub(crate) const WIDE_RESPONSES: usize = 0;
pub(crate) const NARROW_RESPONSES: usize = 1;
pub(crate) const DATA: usize = 2;

/// Queues of a plane.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct RoundRobinQueues {
    queues: [InlineQueue<Flit, 1>; SOURCES],
    /// Source that was served last; after reset the first one counts as that.
    last: u8,
}

impl RoundRobinQueues {
    pub(crate) fn is_empty(&self) -> bool {
        self.queues.iter().all(InlineQueue::is_empty)
    }

    pub(crate) fn push_back(&mut self, source: usize, flit: Flit) {
        self.queues[source].push_back(flit);
    }

    /// The next flit of a source.
    #[inline]
    pub(crate) fn front(&self, source: usize) -> Option<&Flit> {
        self.queues[source].front()
    }

    /// The source that is granted among those that may send.
    #[inline]
    pub(crate) fn next(&self, may_send: impl Fn(usize, &Flit) -> bool) -> Option<usize> {
        let asks = |s: &usize| self.front(*s).is_some_and(|flit| may_send(*s, flit));
        let above = usize::from(self.last) + 1;
        (above..SOURCES).chain(0..above).find(asks)
    }

    /// Serves a source.
    #[inline]
    pub(crate) fn take(&mut self, source: usize) -> Option<Flit> {
        self.last = source as u8;
        self.queues[source].pop_front()
    }

    /// Sets flags of the next flit of a source.
    pub(crate) fn mark(&mut self, source: usize, flags: u8) {
        if let Some(flit) = self.queues[source].get_mut(0) {
            flit.flags |= flags;
        }
    }

    /// Takes the next flit of a source without serving it: it does not go to the router.
    pub(crate) fn drop_front(&mut self, source: usize) {
        self.queues[source].pop_front();
    }

    /// All flits, source by source.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Flit> {
        self.queues.iter().flat_map(InlineQueue::iter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_granted_in_order_from_the_second_one_on() {
        let mut queues = RoundRobinQueues::default();
        for source in [0, 0, 0, 1, 2, 2] {
            queues.push_back(source, Flit::default());
        }
        let served = std::iter::from_fn(|| {
            let source = queues.next(|_, _| true)?;
            queues.take(source);
            Some(source)
        });
        assert_eq!(served.collect::<Vec<_>>(), [1, 2, 0, 2, 0, 0]);
    }
}
