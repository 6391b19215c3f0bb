// SPDX-License-Identifier: Apache-2.0
//! Rings along a line: every member hands to the next one, or to both neighbours.

use super::dataflow::Dataflow;
use super::line::{Line, LinePart, Target};

impl Line<'_> {
    /// Positions in the order of a ring; where it is not closed every second one there and the others back, so that no hop
    /// is longer than two.
    pub(super) fn cycle(&self) -> Vec<usize> {
        let num = self.len();
        if self.is_closed {
            return (0..num).collect();
        }
        let mut cycle: Vec<usize> = (0..num).step_by(2).collect();
        cycle.extend((0..num).filter(|p| p % 2 == 1).rev());
        cycle
    }

    /// The part of a position begins at the next one and comes home last; own operand left.
    pub(super) fn ring_sums(
        &self,
        flow: &mut Dataflow<'_>,
        source: &impl Fn(usize, LinePart) -> u64,
        slots: u64,
        target: Target<'_>,
    ) -> Vec<u64> {
        let (cycle, num) = (self.cycle(), self.len());
        let slot = |part: LinePart| slots + self.bytes_before(part);
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
        let result = |part: &LinePart| target.map_or(slot(*part), |t| t(*part));
        self.parts.iter().map(result).collect()
    }

    /// Every step each member hands on the part it got last, to the next one or (`is_back`) to the one before.
    pub(super) fn ring_copies(
        &self,
        flow: &mut Dataflow<'_>,
        own: &impl Fn(usize) -> u64,
        place: &impl Fn(LinePart) -> u64,
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
    pub(super) fn both_sums(
        &self,
        flow: &mut Dataflow<'_>,
        source: &impl Fn(usize, LinePart) -> u64,
        slots: u64,
        target: Target<'_>,
    ) -> Vec<u64> {
        let (cycle, num) = (self.cycle(), self.len());
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
}
