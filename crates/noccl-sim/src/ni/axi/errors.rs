// SPDX-License-Identifier: Apache-2.0
//! Error responses (`docs/errors.md`): memories that respond SLVERR, transactions that the NI ends
//! itself with DECERR, contributions that differ from the others, barriers whose name is in use.

use crate::machine::Machine;
use crate::machine::event::{Done, Event};
use crate::transport::axi_response::{OKAY, SLVERR};
use crate::transport::transaction::TxnKind;
use std::ops::Range;

impl Machine<'_> {
    /// What the memory of a tile responds to a burst: a burst that touches a broken byte fails as a whole.
    pub(crate) fn memory_response(&self, tile: u32, address: u64, bytes: u32) -> u8 {
        let end = address + u64::from(bytes.max(1));
        let touches = |r: &Range<u64>| address < r.end && r.start < end;
        let mut broken = self.errors.memory.iter();
        if broken.any(|(at, range)| *at == tile && touches(range)) {
            SLVERR
        } else {
            OKAY
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

    /// Does the root count a barrier of the same name and another group?
    pub(crate) fn name_is_in_use(&self, txn: u32) -> bool {
        let trees = &self.txns.trees;
        if !trees.has_shared_names() {
            return false;
        }
        let home = self.txns.get(txn).home;
        let (name, mut live) = (trees.name_of(txn), self.txns.iter_live());
        live.any(|(other, t)| {
            let is_counted = t.arrived > 0 && t.arrived < trees.set(other).set.len();
            other != txn
                && t.kind == TxnKind::Barrier
                && (t.home, trees.name_of(other)) == (home, name)
                && is_counted
        })
    }

    /// A combined beat whose contributions did not agree: the transaction fails, nothing is written.
    pub(crate) fn drop_disagreed(&mut self, txn: u32, slot: u32) {
        self.txns.get_mut(txn).resp = SLVERR;
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
