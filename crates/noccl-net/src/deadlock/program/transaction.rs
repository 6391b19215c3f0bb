// SPDX-License-Identifier: Apache-2.0
//! One transaction as a partial order of the places that it takes.

use crate::TileId;
use crate::deadlock::Place;

/// Until when a place is kept once taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeptUntil {
    /// Until what lies behind it on the path has been taken.
    PassedOn,
    /// As [`KeptUntil::PassedOn`], and until the rest of the packet has come: see [`Why::ForTheRest`].
    RestPassed,
    /// Until everything else of the same part has been taken too: a packet that holds an output while
    /// its other branches wait, a contribution at a FIFO head or in a store.
    OthersTaken,
    /// Until the whole transaction is over: AXI order.
    Responded,
}

/// Request or response of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// From the initiators to the targets.
    Request,
    /// Back.
    Response,
}

/// Why a place is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// A packet, the first flit of a packet, or a resource.
    Taken,
    /// As [`Why::Taken`], by read data, which come between the flits of a packet in the queue of their interface. The packet's
    /// later flits wait behind them.
    CutsIn,
    /// As [`Why::Taken`], by sums that a router makes, which go before a packet that holds the same output.
    SumCutsIn,
    /// As [`Why::CutsIn`], and a packet of the same transaction is made of what comes by it: data that an engine reads.
    Feeds,
    /// Nothing is taken: the later flits of a packet come by a place that its first flit has passed, and wait for those that
    /// cut in.
    ForTheRest,
    /// The same for the operands of a reduction, which only wait for read data: sums of two reductions pass in one order.
    RestOfOperands,
    /// The same for read data, which wait for writes of their interface and for sums.
    RestOfData,
}

/// Use of a place by a transaction.
#[derive(Debug, Clone)]
pub(crate) struct Use {
    pub(crate) place: Place,
    /// Uses that come immediately before: all of them must have been taken.
    pub(crate) after: Vec<usize>,
    pub(crate) keeps: KeptUntil,
    pub(crate) part: Part,
    pub(crate) why: Why,
    /// Packets of one transaction that do not wait for each other on their paths have numbers of their own.
    pub(crate) packet: u32,
}

impl Use {
    /// Is the place kept from others?
    pub(crate) const fn is_held(&self) -> bool {
        match self.why {
            Why::Taken | Why::CutsIn | Why::SumCutsIn | Why::Feeds => true,
            Why::ForTheRest | Why::RestOfOperands | Why::RestOfData => false,
        }
    }

    /// Do its flits come between those of a packet?
    pub(crate) const fn cuts_in(&self) -> bool {
        match self.why {
            Why::CutsIn | Why::SumCutsIn | Why::Feeds => true,
            Why::Taken | Why::ForTheRest | Why::RestOfOperands | Why::RestOfData => false,
        }
    }

    /// Can the later flits of a packet, which want the place for this reason, wait there behind flits of the other use?
    pub(crate) const fn waits_behind(&self, other: &Self) -> Behind {
        match (self.why, other.why) {
            (Why::ForTheRest | Why::RestOfData, Why::SumCutsIn) => Behind::Sums,
            (Why::ForTheRest | Why::RestOfOperands, Why::CutsIn | Why::Feeds)
            | (Why::RestOfData, Why::Taken) => Behind::SameQueue,
            (
                Why::Taken
                | Why::CutsIn
                | Why::SumCutsIn
                | Why::Feeds
                | Why::ForTheRest
                | Why::RestOfOperands
                | Why::RestOfData,
                _,
            ) => Behind::Nobody,
        }
    }

    /// Does a packet of the same transaction that holds outputs wait for it, wherever on its path?
    const fn is_for_the_rest(&self) -> bool {
        match self.why {
            Why::Feeds | Why::ForTheRest | Why::RestOfOperands | Why::RestOfData => true,
            Why::Taken | Why::CutsIn | Why::SumCutsIn => false,
        }
    }
}

/// Behind whom later flits of a packet wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behind {
    /// Nobody: what holds an output lets no other input through.
    Nobody,
    /// Those that left the same interface.
    SameQueue,
    /// Sums, which go first.
    Sums,
}

/// A transaction: uses in an order in which each comes after those that it needs.
#[derive(Debug, Clone)]
pub(crate) struct Transaction {
    pub(crate) name: String,
    pub(crate) uses: Vec<Use>,
    /// Uses by which participants begin, with their tiles.
    pub(crate) entries: Vec<(usize, TileId)>,
    /// Per use: bit set of the uses that come before it, itself included.
    before: Vec<Vec<u64>>,
}

impl Transaction {
    pub(crate) const fn new(name: String) -> Self {
        Self {
            name,
            uses: Vec::new(),
            entries: Vec::new(),
            before: Vec::new(),
        }
    }

    /// Adds a use and returns its index.
    pub(crate) fn push(
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
        if let Place::Issue { tile, .. } = place {
            self.entries.push((index, tile));
        }
        self.uses.push(Use {
            place,
            after,
            keeps,
            part,
            why: Why::Taken,
            packet: 0,
        });
        index
    }

    /// The later flits of packets come by all places that have been used from `first` on, each behind the first flit.
    pub(crate) fn push_rest(&mut self, first: usize, why: Why) {
        let rest = self.uses.len();
        for before in first..rest {
            let Use { place, part, .. } = self.uses[before];
            self.push(place, vec![before], KeptUntil::PassedOn, part);
        }
        self.explain(rest, why);
    }

    /// Says why uses from `first` on are there.
    pub(crate) fn explain(&mut self, first: usize, why: Why) {
        for one in &mut self.uses[first..] {
            one.why = why;
        }
    }

    /// Must `first` have been taken before `then` (or are they the same)?
    pub(crate) fn comes_before(&self, first: usize, then: usize) -> bool {
        self.before[then]
            .get(first / 64)
            .is_some_and(|word| word >> (first % 64) & 1 == 1)
    }

    /// While a flit is at this use, on its path and not at the end of its packet: can it wait there because it still has to take
    /// the other one?
    pub(crate) fn stands_while_wanting(&self, at: usize, wanted: usize) -> bool {
        let (have, want) = (&self.uses[at], &self.uses[wanted]);
        match have.keeps {
            KeptUntil::PassedOn | KeptUntil::RestPassed => {
                have.part == want.part
                    && have.packet == want.packet
                    && want.is_held()
                    && at != wanted
                    && self.comes_before(at, wanted)
            }
            KeptUntil::OthersTaken | KeptUntil::Responded => {
                want.is_held() && self.keeps_while_wanting(at, wanted)
            }
        }
    }

    /// Do copies of this part of the transaction proceed independently?
    pub(crate) fn is_independent(&self, at: usize) -> bool {
        match self.uses[at].keeps {
            KeptUntil::PassedOn => true,
            KeptUntil::RestPassed | KeptUntil::OthersTaken | KeptUntil::Responded => false,
        }
    }

    /// Can the transaction keep use `held` because it still has to take use `wanted`?
    pub(crate) fn keeps_while_wanting(&self, held: usize, wanted: usize) -> bool {
        if self.comes_before(wanted, held) {
            return false;
        }
        let (have, want) = (&self.uses[held], &self.uses[wanted]);
        let is_apart = have.packet != want.packet;
        match have.keeps {
            KeptUntil::Responded => true,
            KeptUntil::PassedOn | KeptUntil::RestPassed | KeptUntil::OthersTaken if is_apart => {
                false
            }
            KeptUntil::PassedOn => have.part == want.part && self.comes_before(held, wanted),
            KeptUntil::RestPassed => {
                have.part == want.part
                    && (self.comes_before(held, wanted) || want.is_for_the_rest())
            }
            // A merged response also waits for members that have not been reached yet.
            KeptUntil::OthersTaken => have.part == want.part || have.part == Part::Response,
        }
    }
}
