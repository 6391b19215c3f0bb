// SPDX-License-Identifier: Apache-2.0
//! Own copies: what a multicast that includes its initiator does there.

use crate::machine::Machine;
use crate::ni::axi::round_robin_queues::NARROW_WRITES;
use crate::ni::axi::state::BurstStream;
use crate::transport::flit::{Flit, OWN_COPY};

/// What of a narrow multicast has gone to the own memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Copied {
    /// The own copy; the router gets the flit for the others.
    Own,
    /// All of it.
    All,
}

impl Machine<'_> {
    /// Does a multicast include its initiator?
    ///
    /// The NI hands the own copy to its memory port as soon as it is the beat's grant, whether or not the router has space. Through
    /// the router it would leave by the Local output, which in a memory-to-clusters multicast carries the read data at the same
    /// time: the own copy would halve the rate of all others. The published router does loop it back.
    pub(crate) fn has_own_copy(&self, tile: usize, txn: u32) -> bool {
        self.behaviour.has_own_copies
            && self.txns.get(txn).is_multicast
            && self.txns.get(txn).home as usize == tile
            && self.txns.trees.set(txn).contains(self.coord(tile as u32))
    }

    /// Could a beat go to the own memory though the router has no space?
    pub(crate) fn may_copy(&self, tile: usize) -> bool {
        let ni = &self.interfaces.nis[tile];
        let is_multicast = |s: &BurstStream| self.txns.get(s.txn).is_multicast;
        let first = ni.writes.front();
        ni.copied.is_none() && (first.is_some_and(is_multicast) || !ni.is_one_channel())
    }

    /// The own copy of a wide multicast's beat goes; the beat for the others, if there are any, goes with it or later.
    pub(crate) fn copy_beat(&mut self, tile: usize, at: usize) {
        let flit = self.next_write_beat(tile, at);
        self.clock.note_progress();
        let has_others = self.txns.trees.set(flit.txn).set.len() > 1;
        if has_others {
            if self.is_value() {
                self.memory.pool.share(flit.payload, 1);
            }
            let flags = flit.flags | OWN_COPY;
            self.interfaces.nis[tile].copied = Some(Flit { flags, ..flit });
        }
        self.deliver_write(tile, flit);
    }

    /// The same for the next narrow write. Whoever calls counts it as open.
    pub(crate) fn copy_narrow(&mut self, tile: usize) -> Option<Copied> {
        let front = self.ready_narrow_write(tile)?;
        if front.flags & OWN_COPY != 0 || !self.has_own_copy(tile, front.txn) {
            return None;
        }
        self.clock.note_progress();
        let has_others = self.txns.trees.set(front.txn).set.len() > 1;
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
