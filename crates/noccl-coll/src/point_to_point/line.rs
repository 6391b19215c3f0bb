// SPDX-License-Identifier: Apache-2.0
//! Collectives over one line of members: each form hands parts of a payload around.
//!
//! A line is any list of members; part p belongs to the member at position p. A reduce-scatter leaves at each member the sum of its
//! part, an all-gather brings every part to every member.

use super::dataflow::Dataflow;
use super::pairing::Pairing;
use super::piece::Held;
use noccl_net::Coord;

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
pub(crate) struct Part {
    pub(crate) start: u64,
    pub(crate) bytes: u64,
}

/// Members with the parts that belong to them.
#[derive(Debug)]
pub(crate) struct Line<'a> {
    pub(crate) members: &'a [Coord],
    pub(crate) parts: &'a [Part],
    /// Does the last member stand beside the first one?
    pub(crate) is_closed: bool,
}

/// Where the result of a part belongs; `None`: anywhere.
pub(crate) type Target<'a> = Option<&'a dyn Fn(Part) -> u64>;

impl Line<'_> {
    fn len(&self) -> usize {
        self.members.len()
    }

    /// Bytes of the slots of one member in a reduce-scatter.
    pub(crate) fn slot_bytes(&self, form: Form) -> u64 {
        let total: u64 = self.parts.iter().map(|p| p.bytes).sum();
        let longest = self.parts.iter().map(|p| p.bytes).max().unwrap_or(0);
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
        source: impl Fn(usize, Part) -> u64,
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
        place: impl Fn(Part) -> u64,
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
    fn bytes_before(&self, part: Part) -> u64 {
        let before = self.parts.iter().filter(|p| p.start < part.start);
        before.map(|p| p.bytes).sum()
    }

    /// Positions in the order of a ring; where it is not closed every second one there and the others back, so that no hop
    /// is longer than two.
    fn cycle(&self) -> Vec<usize> {
        let num = self.len();
        if self.is_closed {
            return (0..num).collect();
        }
        let mut cycle: Vec<usize> = (0..num).step_by(2).collect();
        cycle.extend((0..num).filter(|p| p % 2 == 1).rev());
        cycle
    }

    /// The part of a position begins at the next one and comes home last; own operand left.
    fn ring_sums(
        &self,
        flow: &mut Dataflow<'_>,
        source: &impl Fn(usize, Part) -> u64,
        slots: u64,
        target: Target<'_>,
    ) -> Vec<u64> {
        let (cycle, num) = (self.cycle(), self.len());
        let slot = |part: Part| slots + self.bytes_before(part);
        for step in 0..num - 1 {
            for (home, position) in cycle.iter().enumerate() {
                let part = self.parts[*position];
                let at = |steps: usize| cycle[(home + steps) % num];
                let (from, to) = (at(step + 1), at(step + 2));
                let held = match step {
                    0 => source(from, part),
                    _ => slot(part),
                };
                flow.send(
                    self.members[from],
                    held,
                    self.members[to],
                    slot(part),
                    part.bytes,
                );
                let is_home = step + 2 == num;
                let result = target.filter(|_| is_home).map_or(slot(part), |t| t(part));
                let operands = vec![source(to, part), slot(part)];
                flow.fold(self.members[to], operands, result, part.bytes);
            }
        }
        let result = |part: &Part| target.map_or(slot(*part), |t| t(*part));
        self.parts.iter().map(result).collect()
    }

    /// Every step each member hands on the part it got last, to the next one or (`is_back`) to the one before.
    fn ring_copies(
        &self,
        flow: &mut Dataflow<'_>,
        own: &impl Fn(usize) -> u64,
        place: &impl Fn(Part) -> u64,
        steps: usize,
        is_back: bool,
    ) {
        let mut cycle = self.cycle();
        if is_back {
            cycle.reverse();
        }
        let num = self.len();
        for step in 0..steps {
            for (home, position) in cycle.iter().enumerate() {
                let part = self.parts[*position];
                let at = |steps: usize| self.members[cycle[(home + steps) % num]];
                let held = if step == 0 {
                    own(*position)
                } else {
                    place(part)
                };
                flow.send(at(step), held, at(step + 1), place(part), part.bytes);
            }
        }
    }

    /// Partial sums come to a part's owner from both sides, who adds both to its own operand.
    fn both_sums(
        &self,
        flow: &mut Dataflow<'_>,
        source: &impl Fn(usize, Part) -> u64,
        slots: u64,
        target: Target<'_>,
    ) -> Vec<u64> {
        let (cycle, num) = (self.cycle(), self.len());
        let total: u64 = self.parts.iter().map(|p| p.bytes).sum();
        // An owner receives from both sides, others from one.
        let slot = |part: Part, side: usize, is_owner: bool| match (side, is_owner) {
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
                    let held = match step {
                        0 => source(from, part),
                        _ => slot(part, side, false),
                    };
                    let (sender, receiver) = (self.members[from], self.members[to]);
                    let is_owner = step + 1 == away;
                    let place = slot(part, side, is_owner);
                    flow.send(sender, held, receiver, place, part.bytes);
                    if !is_owner {
                        flow.fold(receiver, vec![source(to, part), place], place, part.bytes);
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

    /// Everybody's operand of a part comes to its owner, who adds them by position.
    fn direct_sums(
        &self,
        flow: &mut Dataflow<'_>,
        source: &impl Fn(usize, Part) -> u64,
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

    /// Halving: a partner gets the sums of all parts that it and those behind it keep.
    fn pair_sums(
        &self,
        flow: &mut Dataflow<'_>,
        pairing: Pairing,
        source: &impl Fn(usize, Part) -> u64,
        slots: u64,
        target: Target<'_>,
    ) -> Vec<u64> {
        let num = self.len();
        let steps = pairing.steps(num);
        let mut next_slot = vec![slots; num];
        // Where each member has its sum of each part so far.
        let mut held: Vec<Vec<u64>> = (0..num)
            .map(|at| self.parts.iter().map(|p| source(at, *p)).collect())
            .collect();
        for step in 0..steps.len() {
            let before = held.clone();
            for position in 0..num {
                let partner = steps[step][position];
                for run in self.runs(&Pairing::kept(&steps, partner, step + 1), &before[position]) {
                    let slot = next_slot[partner];
                    next_slot[partner] += run.bytes;
                    flow.send(
                        self.members[position],
                        run.place,
                        self.members[partner],
                        slot,
                        run.bytes,
                    );
                    self.add_run(
                        flow,
                        partner,
                        &run,
                        slot,
                        (step + 1 == steps.len()).then_some(target).flatten(),
                        &mut held,
                    );
                }
            }
        }
        (0..num).map(|p| held[p][p]).collect()
    }

    /// A partner's sums of a run of parts are added to the own ones, which stand left.
    fn add_run(
        &self,
        flow: &mut Dataflow<'_>,
        position: usize,
        run: &Run,
        slot: u64,
        target: Target<'_>,
        held: &mut [Vec<u64>],
    ) {
        let own = held[position].clone();
        let mut at = slot;
        for same in self.runs(&run.parts, &own) {
            let result = match (target, same.parts.as_slice()) {
                (Some(target), [only]) => target(self.parts[*only]),
                (Some(_) | None, _) => at,
            };
            flow.fold(
                self.members[position],
                vec![same.place, at],
                result,
                same.bytes,
            );
            let mut place = result;
            for part in &same.parts {
                held[position][*part] = place;
                place += self.parts[*part].bytes;
            }
            at += same.bytes;
        }
    }

    /// Doubling: a partner gets all parts that a member has.
    fn pair_copies(&self, flow: &mut Dataflow<'_>, pairing: Pairing, place: &impl Fn(Part) -> u64) {
        let steps = pairing.steps(self.len());
        let places: Vec<u64> = self.parts.iter().map(|p| place(*p)).collect();
        for step in (0..steps.len()).rev() {
            for position in 0..self.len() {
                let partner = steps[step][position];
                for run in self.runs(&Pairing::kept(&steps, position, step + 1), &places) {
                    flow.send(
                        self.members[position],
                        run.place,
                        self.members[partner],
                        run.place,
                        run.bytes,
                    );
                }
            }
        }
    }

    /// Bytes of the slots of one member, if every member gets the sum of the whole part.
    pub(crate) fn whole_slot_bytes(&self, form: Form) -> u64 {
        let longest = self.parts.iter().map(|p| p.bytes).max().unwrap_or(0);
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
        held: &mut Held,
    ) {
        let part = self.parts[0];
        let mut places: Vec<u64> = self
            .members
            .iter()
            .map(|m| held[m].1 + part.start - held[m].0.start)
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
                        flow.send(*member, places[position], to, slot, part.bytes);
                    }
                    for (position, member) in self.members.iter().enumerate() {
                        let mut operands = vec![places[position], slot];
                        if partners[position] < position {
                            operands.reverse();
                        }
                        flow.fold(*member, operands, result, part.bytes);
                        places[position] = result;
                    }
                }
            }
            Form::Ring | Form::Both | Form::Direct => {
                self.all_direct_sums(flow, part, slots, target, &mut places)
            }
        }
        for (member, place) in self.members.iter().zip(places) {
            held.insert(*member, (part, place));
        }
    }

    /// Everybody's operand to everybody; all add by position.
    fn all_direct_sums(
        &self,
        flow: &mut Dataflow<'_>,
        part: Part,
        slots: u64,
        target: Target<'_>,
        places: &mut [u64],
    ) {
        let num = self.len();
        let slot = |from: usize| slots + from as u64 * part.bytes;
        for step in 1..num {
            for (position, member) in self.members.iter().enumerate() {
                let to = self.members[(position + step) % num];
                flow.send(*member, places[position], to, slot(position), part.bytes);
            }
        }
        for (position, member) in self.members.iter().enumerate() {
            let operand = |from| match from {
                _ if from == position => places[position],
                _ => slot(from),
            };
            let result = target.map_or(slot(position), |t| t(part));
            flow.fold(*member, (0..num).map(operand).collect(), result, part.bytes);
            places[position] = result;
        }
    }

    /// Parts that lie one behind the other, together.
    fn runs(&self, parts: &[usize], places: &[u64]) -> Vec<Run> {
        let mut sorted: Vec<usize> = parts.to_vec();
        sorted.sort_unstable_by_key(|p| (places[*p], *p));
        let mut runs: Vec<Run> = Vec::new();
        for part in sorted.into_iter().filter(|p| self.parts[*p].bytes > 0) {
            let bytes = self.parts[part].bytes;
            match runs.last_mut() {
                Some(run) if run.place + run.bytes == places[part] => {
                    run.bytes += bytes;
                    run.parts.push(part);
                }
                Some(_) | None => runs.push(Run {
                    place: places[part],
                    bytes,
                    parts: vec![part],
                }),
            }
        }
        runs
    }
}

/// Parts that lie one behind the other in a memory.
struct Run {
    place: u64,
    bytes: u64,
    parts: Vec<usize>,
}
