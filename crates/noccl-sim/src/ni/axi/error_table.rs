// SPDX-License-Identifier: Apache-2.0
//! What goes wrong in a run, by its description; most have nothing here.

use crate::machine::event::Done;
use crate::transport::axi_response::{OKAY, SLVERR};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What goes wrong in this run; empty in most.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Errors {
    /// Ranges of memories that respond SLVERR: (tile, bytes).
    pub memory: Vec<(u32, Range<u64>)>,
    /// Contributions that differ from the others: transaction, tile, and the number of what they say.
    pub disagreeing: Vec<(u32, u32, u8)>,
    /// Contributions with fewer beats: (transaction, tile, beats).
    pub short: Vec<(u32, u32, u16)>,
    /// Responses that NIs still have to send, by event number.
    pub refused: Vec<Done>,
}

impl Errors {
    /// What the memory of a tile responds to a burst: a burst that touches a broken byte fails as a whole.
    pub(crate) fn memory_response(&self, tile: u32, address: u64, bytes: u32) -> u8 {
        let end = address + u64::from(bytes.max(1));
        let touches = |r: &Range<u64>| address < r.end && r.start < end;
        let mut broken = self.memory.iter();
        if broken.any(|(at, range)| *at == tile && touches(range)) {
            SLVERR
        } else {
            OKAY
        }
    }

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
        // 0: no difference, as said above.
        found.map_or(0, |(_, _, number)| *number)
    }
}
