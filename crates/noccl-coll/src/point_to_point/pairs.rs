// SPDX-License-Identifier: Apache-2.0
//! Exchanges in pairs along a line: half as much in each step of a reduce-scatter, twice as much in each of an all-gather.

use super::dataflow::Dataflow;
use super::line::{Line, LinePart, Target};
use super::pairing::Pairing;

/// Parts that lie one behind the other in a memory.
struct Run {
    place: u64,
    bytes: u64,
    parts: Vec<usize>,
}

impl Line<'_> {
    /// Halving: a partner gets the sums of all parts that it and those behind it keep.
    pub(super) fn pair_sums(
        &self,
        flow: &mut Dataflow<'_>,
        pairing: Pairing,
        source: &impl Fn(usize, LinePart) -> u64,
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
    pub(super) fn pair_copies(
        &self,
        flow: &mut Dataflow<'_>,
        pairing: Pairing,
        place: &impl Fn(LinePart) -> u64,
    ) {
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
