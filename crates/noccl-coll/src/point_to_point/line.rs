// SPDX-License-Identifier: Apache-2.0
//! Collectives over one line of members: each form hands parts of a payload around.
//!
//! A line is any list of members; part p belongs to the member at position p. A reduce-scatter leaves at each member the sum of its
//! part, an all-gather brings every part to every member.

use super::dataflow::Dataflow;
use super::pairing::Pairing;
use noccl_net::Coord;
use noccl_net::counts::max_or_zero;

/// How members of a line exchange parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// To the next one, part by part.
    Ring,
    /// The same to both sides, half of the members each.
    Both,
    /// With a partner per step, half as much (twice as much) as in the step before.
    Pairs(Pairing),
    /// Everybody to everybody.
    Direct,
}

/// Bytes of a payload: first one and number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LinePart {
    pub(crate) start: u64,
    pub(crate) bytes: u64,
}

/// Members with the parts that belong to them.
#[derive(Debug)]
pub(crate) struct Line<'a> {
    pub(crate) members: &'a [Coord],
    pub(crate) parts: &'a [LinePart],
    /// Does the last member stand beside the first one?
    pub(crate) is_closed: bool,
}

/// Where the result of a part belongs; `None`: anywhere.
pub(crate) type Target<'a> = Option<&'a dyn Fn(LinePart) -> u64>;

impl Line<'_> {
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// Bytes of the slots of one member in a reduce-scatter.
    pub(crate) fn slot_bytes(&self, form: Form) -> u64 {
        let total: u64 = self.parts.iter().map(|p| p.bytes).sum();
        let longest = max_or_zero(self.parts.iter().map(|p| p.bytes));
        match form {
            Form::Ring => total,
            Form::Both => total + longest,
            Form::Pairs(_) | Form::Direct => total.max(longest * self.len() as u64),
        }
    }

    /// Every member's part of the sum; where it lies: `target` of the part, or in a slot.
    ///
    /// `source` is where a position has its own operand of a part; slots begin at `slots`.
    pub(crate) fn reduce_scatter(
        &self,
        flow: &mut Dataflow<'_>,
        form: Form,
        source: impl Fn(usize, LinePart) -> u64,
        slots: u64,
        target: Target<'_>,
    ) -> Vec<u64> {
        match form {
            Form::Ring => self.ring_sums(flow, &source, slots, target),
            Form::Both => self.both_sums(flow, &source, slots, target),
            Form::Pairs(pairing) => self.pair_sums(flow, pairing, &source, slots, target),
            Form::Direct => self.direct_sums(flow, &source, slots, target),
        }
    }

    /// Every part at every member, at `place` of the part; `own` is where a member has its own one.
    pub(crate) fn all_gather(
        &self,
        flow: &mut Dataflow<'_>,
        form: Form,
        own: impl Fn(usize) -> u64,
        place: impl Fn(LinePart) -> u64,
    ) {
        for (position, member) in self.members.iter().enumerate() {
            let part = self.parts[position];
            flow.send(*member, own(position), *member, place(part), part.bytes);
        }
        match form {
            Form::Ring => self.ring_copies(flow, &own, &place, self.len() - 1, false),
            Form::Both => {
                let num = self.len();
                self.ring_copies(flow, &own, &place, num / 2, false);
                self.ring_copies(flow, &own, &place, (num - 1) / 2, true);
            }
            Form::Pairs(pairing) => self.pair_copies(flow, pairing, &place),
            Form::Direct => {
                for step in 1..self.len() {
                    for (position, member) in self.members.iter().enumerate() {
                        let to = self.members[(position + step) % self.len()];
                        let part = self.parts[position];
                        flow.send(*member, own(position), to, place(part), part.bytes);
                    }
                }
            }
        }
    }

    /// Bytes of the parts in front of this one.
    pub(super) fn bytes_before(&self, part: LinePart) -> u64 {
        let before = self.parts.iter().filter(|p| p.start < part.start);
        before.map(|p| p.bytes).sum()
    }

    /// Everybody's operand of a part comes to its owner, who adds them by position.
    pub(super) fn direct_sums(
        &self,
        flow: &mut Dataflow<'_>,
        source: &impl Fn(usize, LinePart) -> u64,
        slots: u64,
        target: Target<'_>,
    ) -> Vec<u64> {
        let num = self.len();
        let slot = |owner: usize, from: usize| slots + from as u64 * self.parts[owner].bytes;
        for step in 1..num {
            for (position, member) in self.members.iter().enumerate() {
                let owner = (position + step) % num;
                let part = self.parts[owner];
                let to = self.members[owner];
                flow.send(
                    *member,
                    source(position, part),
                    to,
                    slot(owner, position),
                    part.bytes,
                );
            }
        }
        let sums = self.members.iter().enumerate().map(|(owner, member)| {
            let part = self.parts[owner];
            let operand = |from| match from {
                _ if from == owner => source(owner, part),
                _ => slot(owner, from),
            };
            let result = target.map_or(slot(owner, owner), |t| t(part));
            flow.fold(*member, (0..num).map(operand).collect(), result, part.bytes);
            result
        });
        sums.collect()
    }
}
