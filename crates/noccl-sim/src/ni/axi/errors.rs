// SPDX-License-Identifier: Apache-2.0
//! Error responses (`docs/errors.md`): memories that answer SLVERR, transactions that the NI answers
//! itself with DECERR, contributions that differ from their siblings, barriers whose name is in use.

use crate::fabric::axi_response::{OKAY, SLVERR};
use crate::fabric::payload::BEAT_BYTES;
use crate::fabric::transaction::TxnKind;
use crate::machine::{Done, Event, Machine};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What goes wrong in this run; empty in most.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Errors {
    /// Ranges of memories that answer SLVERR: (tile, bytes).
    pub memory: Vec<(u32, Range<u64>)>,
    /// Contributions that differ from their siblings: transaction, tile, and the number of what they say.
    pub disagreeing: Vec<(u32, u32, u8)>,
    /// Contributions with fewer beats: (transaction, tile, beats).
    pub short: Vec<(u32, u32, u16)>,
    /// Answers that NIs owe, by event number.
    refused: Vec<Done>,
}

impl Errors {
    /// The transaction is over and its number will be used again.
    pub(crate) fn forget(&mut self, txn: u32) {
        self.disagreeing.retain(|(t, _, _)| *t != txn);
        self.short.retain(|(t, _, _)| *t != txn);
    }

    /// Beats that a member contributes less than the transaction has.
    pub(crate) fn beats_of(&self, txn: u32, tile: u32) -> Option<u16> {
        let short = self.short.iter();
        let found = short.copied().find(|(t, at, _)| (*t, *at) == (txn, tile));
        found.map(|(_, _, beats)| beats)
    }

    /// Is no byte of any memory broken?
    pub(crate) fn has_sound_memory(&self) -> bool {
        self.memory.is_empty()
    }

    /// Number of what a member's contribution says: 0 if it does not differ from the transaction.
    pub(crate) fn variant(&self, txn: u32, tile: u32) -> u8 {
        let mut found = self.disagreeing.iter();
        let found = found.find(|(t, at, _)| (*t, *at) == (txn, tile));
        found.map_or(0, |(_, _, number)| *number)
    }
}

impl Machine<'_> {
    /// What the memory of a tile answers to a burst: a burst that touches a broken byte fails as a whole.
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

    /// The NI answers by itself: it takes the beats, one per cycle and burst after burst, and then
    /// gives `done`. Nothing enters the network.
    pub(crate) fn refuse(&mut self, tile: u32, beats: u16, done: Done) {
        let ni = &mut self.nis[tile as usize];
        ni.refusing_until = ni.refusing_until.max(self.cycle) + u64::from(beats);
        let answer = ni.refusing_until + 1;
        self.errors.refused.push(done);
        let index = (self.errors.refused.len() - 1) as u32;
        self.wheel.push(answer, Event::Refused { index });
    }

    pub(crate) fn answer_refused(&mut self, index: u32) {
        self.counters.error_responses += 1;
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

    /// A folded beat whose contributions did not agree: the transaction fails, nothing is written.
    pub(crate) fn drop_disagreed(&mut self, txn: u32, slot: u32) {
        self.txns.get_mut(txn).resp = SLVERR;
        if self.is_value() {
            self.pool.release(slot);
        }
    }

    /// Payload of an error beat: zeros, never the memory's content.
    pub(crate) fn error_beat(&mut self) -> u32 {
        if self.is_value() {
            self.pool.put([0; BEAT_BYTES])
        } else {
            0
        }
    }
}
