// SPDX-License-Identifier: Apache-2.0
//! One transaction as a partial order of the places that it takes.

use super::Place;

/// Until when a place is kept once taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeptUntil {
    /// Until what lies behind it on the way has been taken.
    PassedOn,
    /// Until everything else of the same part has been taken too: a worm that holds an output while
    /// its sibling branches wait, a contribution at a FIFO head or in a store.
    SiblingsTaken,
    /// Until the whole transaction is over: AXI order.
    Answered,
}

/// Request or response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// From the initiators to the targets.
    Request,
    /// Back.
    Response,
}

/// Use of a place by a transaction.
#[derive(Debug, Clone)]
pub(super) struct Use {
    pub(super) place: Place,
    /// Uses that come immediately before: all of them must have been taken.
    pub(super) after: Vec<usize>,
    pub(super) keeps: KeptUntil,
    pub(super) part: Part,
}

/// A transaction: uses in an order in which each comes after those that it needs.
#[derive(Debug, Clone)]
pub(super) struct Transaction {
    pub(super) name: String,
    pub(super) uses: Vec<Use>,
    /// Per use: bit set of the uses that come before it, itself included.
    before: Vec<Vec<u64>>,
}

impl Transaction {
    pub(super) const fn new(name: String) -> Self {
        Self {
            name,
            uses: Vec::new(),
            before: Vec::new(),
        }
    }

    /// Adds a use and returns its index.
    pub(super) fn push(
        &mut self,
        place: Place,
        after: Vec<usize>,
        keeps: KeptUntil,
        part: Part,
    ) -> usize {
        let index = self.uses.len();
        let mut before = vec![0; index / 64 + 1];
        before[index / 64] |= 1 << (index % 64);
        for earlier in &after {
            for (word, bits) in self.before[*earlier].iter().enumerate() {
                before[word] |= bits;
            }
        }
        self.before.push(before);
        self.uses.push(Use {
            place,
            after,
            keeps,
            part,
        });
        index
    }

    /// Must `first` have been taken before `then` (or are they the same)?
    pub(super) fn comes_before(&self, first: usize, then: usize) -> bool {
        self.before[then]
            .get(first / 64)
            .is_some_and(|word| word >> (first % 64) & 1 == 1)
    }

    /// Do copies of this part of the transaction go their ways independently?
    pub(super) fn is_independent(&self, at: usize) -> bool {
        matches!(self.uses[at].keeps, KeptUntil::PassedOn)
    }

    /// Can the transaction keep use `held` because it still has to take use `wanted`?
    pub(super) fn keeps_while_wanting(&self, held: usize, wanted: usize) -> bool {
        if self.comes_before(wanted, held) {
            return false;
        }
        let (have, want) = (&self.uses[held], &self.uses[wanted]);
        match have.keeps {
            KeptUntil::Answered => true,
            KeptUntil::PassedOn => have.part == want.part && self.comes_before(held, wanted),
            // A merged response also waits for members that have not been reached yet.
            KeptUntil::SiblingsTaken => have.part == want.part || have.part == Part::Response,
        }
    }
}
