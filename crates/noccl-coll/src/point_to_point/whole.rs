// SPDX-License-Identifier: Apache-2.0
//! Sums along a line that every member gets as a whole: short parts, which are not cut.

use super::dataflow::Dataflow;
use super::line::{Form, Line, LinePart, Target};
use super::piece::{Held, place_held};
use noccl_net::counts::max_or_zero;

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
        held: &mut Held,
    ) {
        let part = self.parts[0];
        let mut places: Vec<u64> = self
            .members
            .iter()
            .map(|m| place_held(held, *m, part))
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
    pub(super) fn all_direct_sums(
        &self,
        flow: &mut Dataflow<'_>,
        part: LinePart,
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
}
