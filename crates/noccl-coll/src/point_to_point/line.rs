// SPDX-License-Identifier: Apache-2.0
//! Collectives over one line of members: each form sends parts of a payload around.
//!
//! A line is any list of members; part p belongs to the member at position p. A reduce-scatter leaves at each member the sum of its
//! part, an all-gather brings every part to every member.

use super::chunks::{PartialSums, sum_at};
use super::dataflow::Dataflow;
use crate::plan::line::{
    BlockSend, Pairing, direct, doubling, halving, ring_all_gather, ring_reduce_scatter,
    there_and_back,
};
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
    /// Is the last member a neighbour of the first one?
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
            Form::Ring => {
                // Slots lie as the parts do.
                let slot = |_, run: &Run| slots + self.bytes_before(self.parts[run.parts[0]]);
                let ring = self.ring();
                self.add(flow, ring_reduce_scatter(&ring), &source, slot, target)
            }
            Form::Both => self.both_sums(flow, &source, slots, target),
            Form::Pairs(pairing) => {
                let mut free = vec![slots; self.len()];
                let slot = |position: usize, run: &Run| {
                    let slot = free[position];
                    free[position] += run.bytes;
                    slot
                };
                self.add(flow, halving(self.len(), pairing), &source, slot, target)
            }
            Form::Direct => self.direct_sums(flow, &source, slots, target),
        }
    }

    /// Every part at every member, at `place` of the part; `own` is where a member has its own one.
    pub(crate) fn all_gather(
        &self,
        flow: &mut Dataflow<'_>,
        form: Form,
        local: impl Fn(usize) -> u64,
        offset: impl Fn(LinePart) -> u64,
    ) {
        let num = self.len();
        for (position, member) in self.members.iter().enumerate() {
            let part = self.parts[position];
            flow.send(*member, local(position), *member, offset(part), part.bytes);
        }
        match form {
            Form::Ring => self.copy(
                flow,
                ring_all_gather(&self.ring(), num - 1),
                &local,
                &offset,
            ),
            Form::Both => {
                let mut ring = self.ring();
                self.copy(flow, ring_all_gather(&ring, num / 2), &local, &offset);
                ring.reverse();
                self.copy(flow, ring_all_gather(&ring, (num - 1) / 2), &local, &offset);
            }
            Form::Pairs(pairing) => {
                // Partners send their parts together with others, from where those are.
                let local = |position: usize| offset(self.parts[position]);
                self.copy(flow, doubling(num, pairing), &local, &offset);
            }
            Form::Direct => self.copy(flow, direct(num, false), &local, &offset),
        }
    }

    /// The messages of an all-gather. A part that its owner sends is where that has it, others are at their places.
    fn copy(
        &self,
        flow: &mut Dataflow<'_>,
        plan: impl IntoIterator<Item = Vec<BlockSend>>,
        local: &impl Fn(usize) -> u64,
        offset: &impl Fn(LinePart) -> u64,
    ) {
        let offsets: Vec<u64> = self.parts.iter().map(|p| offset(*p)).collect();
        for send in plan.into_iter().flatten() {
            let (from, to) = (self.members[send.from], self.members[send.to]);
            for run in self.runs(&send.blocks, &offsets) {
                let source = match run.parts.as_slice() {
                    [only] if *only == send.from => local(send.from),
                    _ => run.offset,
                };
                flow.send(from, source, to, run.offset, run.bytes);
            }
        }
    }

    /// The messages and additions of a reduce-scatter in which the receiver adds at once, own operand left; `slot` is where it receives.
    fn add(
        &self,
        flow: &mut Dataflow<'_>,
        plan: impl IntoIterator<Item = Vec<BlockSend>>,
        source: &impl Fn(usize, LinePart) -> u64,
        mut slot: impl FnMut(usize, &Run) -> u64,
        target: Target<'_>,
    ) -> Vec<u64> {
        // Where each member has its sum of each part so far.
        let sums = |at| self.parts.iter().map(|p| source(at, *p)).collect();
        let mut sums: Vec<Vec<u64>> = (0..self.len()).map(sums).collect();
        let mut plan = plan.into_iter().peekable();
        while let Some(step) = plan.next() {
            let target = target.filter(|_| plan.peek().is_none());
            let runs = step.into_iter().map(|send| {
                let runs = self.runs(&send.blocks, &sums[send.from]);
                (send, runs)
            });
            for (send, runs) in runs.collect::<Vec<_>>() {
                let (from, to) = (self.members[send.from], self.members[send.to]);
                for run in runs {
                    let slot = slot(send.to, &run);
                    flow.send(from, run.offset, to, slot, run.bytes);
                    self.add_run(flow, send.to, &run, slot, target, &mut sums[send.to]);
                }
            }
        }
        (0..self.len()).map(|p| sums[p][p]).collect()
    }

    /// A partner's sums of a run of parts are added to the own ones, which stand left.
    fn add_run(
        &self,
        flow: &mut Dataflow<'_>,
        position: usize,
        run: &Run,
        slot: u64,
        target: Target<'_>,
        sums: &mut [u64],
    ) {
        let mut at = slot;
        for same in self.runs(&run.parts, sums) {
            let result = match (target, same.parts.as_slice()) {
                (Some(target), [only]) => target(self.parts[*only]),
                (Some(_) | None, _) => at,
            };
            let operands = vec![same.offset, at];
            flow.fold(self.members[position], operands, result, same.bytes);
            let mut offset = result;
            for part in &same.parts {
                sums[*part] = offset;
                offset += self.parts[*part].bytes;
            }
            at += same.bytes;
        }
    }

    /// Positions in the order of a ring; where it is not closed every second one there and the others back, so that no hop is longer than two.
    fn ring(&self) -> Vec<usize> {
        match self.is_closed {
            true => (0..self.len()).collect(),
            false => there_and_back(self.len()),
        }
    }

    /// Bytes of the parts in front of this one.
    fn bytes_before(&self, part: LinePart) -> u64 {
        let before = self.parts.iter().filter(|p| p.start < part.start);
        before.map(|p| p.bytes).sum()
    }

    /// Everybody's operand of a part comes to its owner, who adds them by position.
    fn direct_sums(
        &self,
        flow: &mut Dataflow<'_>,
        source: &impl Fn(usize, LinePart) -> u64,
        slots: u64,
        target: Target<'_>,
    ) -> Vec<u64> {
        let num = self.len();
        let slot = |owner: usize, from: usize| slots + from as u64 * self.parts[owner].bytes;
        for send in direct(num, true).flatten() {
            let part = self.parts[send.to];
            let (from, to) = (self.members[send.from], self.members[send.to]);
            let received = slot(send.to, send.from);
            flow.send(from, source(send.from, part), to, received, part.bytes);
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

impl Line<'_> {
    /// Partial sums come to a part's owner from both sides, who adds both to its own operand.
    fn both_sums(
        &self,
        flow: &mut Dataflow<'_>,
        source: &impl Fn(usize, LinePart) -> u64,
        slots: u64,
        target: Target<'_>,
    ) -> Vec<u64> {
        let (cycle, num) = (self.ring(), self.len());
        let total: u64 = self.parts.iter().map(|p| p.bytes).sum();
        // An owner receives from both sides, others from one.
        let slot = |part: LinePart, side: usize, is_owner: bool| match (side, is_owner) {
            (1, true) => slots + total,
            _ => slots + self.bytes_before(part),
        };
        // Members on either side of an owner.
        let sides = [num / 2, (num - 1) / 2];
        for step in 0..sides[0] {
            for (home, position) in cycle.iter().enumerate() {
                let part = self.parts[*position];
                for (side, away) in sides.into_iter().enumerate().filter(|(_, a)| step < *a) {
                    let at = |left: usize| match side {
                        0 => cycle[(home + left) % num],
                        _ => cycle[(home + num - left) % num],
                    };
                    let (from, to) = (at(away - step), at(away - step - 1));
                    let partial = match step {
                        0 => source(from, part),
                        _ => slot(part, side, false),
                    };
                    let (sender, receiver) = (self.members[from], self.members[to]);
                    let is_owner = step + 1 == away;
                    let offset = slot(part, side, is_owner);
                    flow.send(sender, partial, receiver, offset, part.bytes);
                    if !is_owner {
                        flow.fold(receiver, vec![source(to, part), offset], offset, part.bytes);
                    }
                }
            }
        }
        let sums = self.parts.iter().enumerate().map(|(position, part)| {
            let mut operands = vec![source(position, *part)];
            operands.extend(
                (0..2)
                    .filter(|s| sides[*s] > 0)
                    .map(|side| slot(*part, side, true)),
            );
            let result = target.map_or(slot(*part, 0, true), |t| t(*part));
            flow.fold(self.members[position], operands, result, part.bytes);
            result
        });
        sums.collect()
    }
}

/// Parts that lie one behind the other in a memory.
struct Run {
    offset: u64,
    bytes: u64,
    parts: Vec<usize>,
}

impl Line<'_> {
    /// Parts that lie one behind the other, together.
    fn runs(&self, parts: &[usize], offsets: &[u64]) -> Vec<Run> {
        let mut sorted: Vec<usize> = parts.to_vec();
        sorted.sort_unstable_by_key(|p| (offsets[*p], *p));
        let mut runs: Vec<Run> = Vec::new();
        for part in sorted.into_iter().filter(|p| self.parts[*p].bytes > 0) {
            let bytes = self.parts[part].bytes;
            match runs.last_mut() {
                Some(run) if run.offset + run.bytes == offsets[part] => {
                    run.bytes += bytes;
                    run.parts.push(part);
                }
                Some(_) | None => runs.push(Run {
                    offset: offsets[part],
                    bytes,
                    parts: vec![part],
                }),
            }
        }
        runs
    }
}

// Sums along a line that every member gets as a whole: short parts, which are not cut.

impl Line<'_> {
    /// Bytes of the slots of one member, if every member gets the sum of the whole part.
    pub(crate) fn whole_slot_bytes(&self, form: Form) -> u64 {
        let longest = max_or_zero(self.parts.iter().map(|p| p.bytes));
        let slots = match form {
            Form::Pairs(_) => self.len().ilog2() as usize,
            Form::Ring | Form::Both | Form::Direct => self.len(),
        };
        longest * slots as u64
    }

    /// Every member's part is the same one; all get its sum.
    pub(crate) fn all_sums(
        &self,
        flow: &mut Dataflow<'_>,
        form: Form,
        slots: u64,
        target: Target<'_>,
        partial: &mut PartialSums,
    ) {
        let part = self.parts[0];
        let mut offsets: Vec<u64> = self
            .members
            .iter()
            .map(|m| sum_at(partial, *m, part))
            .collect();
        match form {
            Form::Pairs(pairing) => {
                let steps = pairing.steps(self.len());
                for (step, partners) in steps.iter().enumerate() {
                    let slot = slots + step as u64 * part.bytes;
                    let is_last = step + 1 == steps.len();
                    let result = target.filter(|_| is_last).map_or(slot, |t| t(part));
                    for (position, member) in self.members.iter().enumerate() {
                        let to = self.members[partners[position]];
                        flow.send(*member, offsets[position], to, slot, part.bytes);
                    }
                    for (position, member) in self.members.iter().enumerate() {
                        let mut operands = vec![offsets[position], slot];
                        if partners[position] < position {
                            operands.reverse();
                        }
                        flow.fold(*member, operands, result, part.bytes);
                        offsets[position] = result;
                    }
                }
            }
            Form::Ring | Form::Both | Form::Direct => {
                let source = |position: usize, _: LinePart| offsets[position];
                offsets = self.direct_sums(flow, &source, slots, target);
            }
        }
        for (member, offset) in self.members.iter().zip(offsets) {
            partial.insert(*member, (part, offset));
        }
    }
}
