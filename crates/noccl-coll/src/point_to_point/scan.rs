// SPDX-License-Identifier: Apache-2.0
//! Scan: every rank adds what the ranks before it have come to.
//!
//! Along a list of members either from one to the next one, chunk after chunk (`ring`), or at doubling distances (`halving`), or from each to all
//! later ones, which add everything at once (`combine`). Ranks go up the columns,
//! so of columns × rows each column scans first; then the last members of the columns, which have their column's sum, scan along their row; and each
//! column gets the sum of all columns before it, which its members add to what they have. Sums replace what came for them.

use super::dataflow::Dataflow;
use super::reuse::Slots;
use crate::task::Task;
use crate::{CollError, LineForm, PointForm};
use noccl_net::Coord;

/// Members that one writes to when a sum is broadcast: one outside of its column, two in it.
const BROADCAST_PARTNERS: u64 = 3;

/// How a list of members scans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// From one to the next one.
    Chain,
    /// At doubling distances.
    Doubling,
    /// From each to all later ones.
    AtOnce,
}

/// Scratch for a list, one range behind the other.
#[derive(Debug, Clone, Copy)]
struct Received {
    first: u64,
    bytes: u64,
}

/// One chunk of the payload.
struct Scan<'a> {
    task: &'a Task<'a>,
    start: u64,
    bytes: u64,
}

/// A scan.
pub(super) fn by_scan(
    task: &Task<'_>,
    flow: &mut Dataflow<'_>,
    slots: &mut Slots<'_>,
) -> Result<(), CollError> {
    let (columns, rows) = match task.choice.point {
        PointForm::Ring => (Some(Pass::Chain), Pass::Chain),
        PointForm::Lines(first, second) => (Some(pass(task, first)?), pass(task, second)?),
        PointForm::Combine(_) => (Some(Pass::AtOnce), Pass::AtOnce),
        PointForm::Radix(_) | PointForm::Trees(_) | PointForm::Rotated(_) => {
            return Err(no_such_scan(task));
        }
    };
    let lines = task.group.columns_and_rows();
    let is_one_list = match task.choice.point {
        PointForm::Ring => true,
        PointForm::Combine(parts) => task.group.members.len() <= usize::from(parts),
        PointForm::Lines(..)
        | PointForm::Radix(_)
        | PointForm::Trees(_)
        | PointForm::Rotated(_) => false,
    };
    let lines = lines.filter(|(xs, ys)| !is_one_list && xs.len() > 1 && ys.len() > 1);
    let chunks = task.chunks();
    for number in 0..chunks.len() {
        let (start, bytes) = chunks.range(number);
        let scan = Scan { task, start, bytes };
        match (&lines, columns) {
            (Some((xs, ys)), Some(along)) => {
                let columns: Vec<Vec<Coord>> = xs
                    .iter()
                    .map(|x| ys.iter().map(|y| Coord::new(*x, *y)).collect())
                    .collect();
                scan.by_columns(&columns, (along, rows), flow, slots);
            }
            (_, _) => scan.by_list(&task.group.members, rows, flow, slots),
        }
    }
    Ok(())
}

fn pass(task: &Task<'_>, form: LineForm) -> Result<Pass, CollError> {
    match form {
        LineForm::Ring => Ok(Pass::Chain),
        LineForm::Halving => Ok(Pass::Doubling),
        LineForm::Both | LineForm::Swing | LineForm::Bine | LineForm::Direct => {
            Err(no_such_scan(task))
        }
    }
}

fn no_such_scan(task: &Task<'_>) -> CollError {
    task.unsupported(
        "ranks pass sums on to the next one or at doubling distances, or to all later ones; accepted: the forms ring, rings, halving, \
         rings+halving, halving+rings and combine",
    )
}

impl Scan<'_> {
    fn input(&self) -> u64 {
        self.task.collective.input_offset + self.start
    }

    fn output(&self) -> u64 {
        self.task.collective.output_offset + self.start
    }

    /// Scratch for what comes to a member of a list of so many.
    fn received(
        &self,
        dimension: usize,
        (pass, len): (Pass, usize),
        slots: &mut Slots<'_>,
        flow: &mut Dataflow<'_>,
    ) -> Received {
        let bytes = self.bytes.next_multiple_of(self.task.network.beat_bytes());
        let num = match pass {
            Pass::Chain => 1,
            Pass::Doubling => u64::from(len.next_power_of_two().ilog2()),
            Pass::AtOnce => len as u64,
        };
        // Where a sum goes to all of a column at once, its member writes to as many.
        let partners = num + BROADCAST_PARTNERS + self.task.group.members.len() as u64;
        let partners = match pass {
            Pass::AtOnce => partners,
            Pass::Chain | Pass::Doubling => num + BROADCAST_PARTNERS,
        };
        Received {
            first: slots.take(dimension, num * bytes, partners, flow),
            bytes,
        }
    }

    /// All ranks one after the other.
    fn by_list(
        &self,
        members: &[Coord],
        pass: Pass,
        flow: &mut Dataflow<'_>,
        slots: &mut Slots<'_>,
    ) {
        let inputs = vec![self.input(); members.len()];
        let received = self.received(0, (pass, members.len()), slots, flow);
        let sums = self.along(
            members,
            &inputs,
            (pass, received),
            Some(self.output()),
            flow,
        );
        self.settle(members, &sums, flow);
    }

    /// Columns, then their sums, then each column what stands before it.
    fn by_columns(
        &self,
        columns: &[Vec<Coord>],
        (along, across): (Pass, Pass),
        flow: &mut Dataflow<'_>,
        slots: &mut Slots<'_>,
    ) {
        let (output, last) = (self.output(), columns[0].len() - 1);
        let inputs = vec![self.input(); columns[0].len()];
        let received = self.received(0, (along, columns[0].len()), slots, flow);
        let mut sums = Vec::new();
        for (number, column) in columns.iter().enumerate() {
            let result = (number == 0).then_some(output);
            sums.push(self.along(column, &inputs, (along, received), result, flow));
        }
        let tops: Vec<Coord> = columns.iter().map(|column| column[last]).collect();
        let of_columns: Vec<u64> = sums.iter().map(|offsets| offsets[last]).collect();
        // Last members scan here, the others get here what stands before their column.
        let received = self.received(1, (across, columns.len()), slots, flow);
        let totals = self.along(&tops, &of_columns, (across, received), Some(output), flow);
        for (number, column) in columns.iter().enumerate().skip(1) {
            // Those nearest to the sum come first.
            let others: Vec<Coord> = column[..last].iter().rev().copied().collect();
            let from = (tops[number - 1], totals[number - 1]);
            self.broadcast(from, &others, received.first, along, flow);
            for (row, member) in column[..last].iter().enumerate() {
                self.add(*member, (received.first, sums[number][row]), output, flow);
            }
        }
        self.settle(&columns[0], &sums[0], flow);
    }

    /// Sums along a list; where each member has its own: the first one where it was, others at `result` or in a slot.
    fn along(
        &self,
        members: &[Coord],
        inputs: &[u64],
        (pass, slots): (Pass, Received),
        result: Option<u64>,
        flow: &mut Dataflow<'_>,
    ) -> Vec<u64> {
        if pass == Pass::AtOnce {
            return self.at_once(members, inputs, slots, result, flow);
        }
        let mut offsets = inputs.to_vec();
        let (mut distance, mut slot) = (1, slots.first);
        while distance < members.len() {
            let before = offsets.clone();
            for at in distance..members.len() {
                let from = at - distance;
                let source = match pass {
                    Pass::Chain => offsets[from],
                    Pass::Doubling | Pass::AtOnce => before[from],
                };
                flow.send(members[from], source, members[at], slot, self.bytes);
                if pass == Pass::Chain {
                    offsets[at] = result.unwrap_or(slot);
                    self.add(members[at], (slot, inputs[at]), offsets[at], flow);
                }
            }
            if pass == Pass::Chain {
                break;
            }
            for at in distance..members.len() {
                let is_last = 2 * distance > at;
                offsets[at] = result.filter(|_| is_last).unwrap_or(slot);
                self.add(members[at], (slot, before[at]), offsets[at], flow);
            }
            distance *= 2;
            slot += slots.bytes;
        }
        offsets
    }

    /// Each member sends to all later ones, which add in the order of the list; where each has its sum, as [`Self::along`] gives it.
    fn at_once(
        &self,
        members: &[Coord],
        inputs: &[u64],
        slots: Received,
        result: Option<u64>,
        flow: &mut Dataflow<'_>,
    ) -> Vec<u64> {
        let slot = |from: usize| slots.first + from as u64 * slots.bytes;
        for from in 0..members.len() {
            for to in from + 1..members.len() {
                flow.send(
                    members[from],
                    inputs[from],
                    members[to],
                    slot(from),
                    self.bytes,
                );
            }
        }
        let mut offsets = inputs.to_vec();
        for at in 1..members.len() {
            let operands = (0..at).map(slot).chain([inputs[at]]);
            offsets[at] = result.unwrap_or(slot(at));
            flow.fold(members[at], operands.collect(), offsets[at], self.bytes);
        }
        offsets
    }

    fn add(&self, member: Coord, (left, right): (u64, u64), sum: u64, flow: &mut Dataflow<'_>) {
        flow.fold(member, vec![left, right], sum, self.bytes);
    }

    /// A sum to all of a list, from one to the next one or from those that have it to as many others.
    fn broadcast(
        &self,
        (source, offset): (Coord, u64),
        members: &[Coord],
        slot: u64,
        pass: Pass,
        flow: &mut Dataflow<'_>,
    ) {
        let Some((first, others)) = members.split_first() else {
            return;
        };
        flow.send(source, offset, *first, slot, self.bytes);
        match pass {
            Pass::AtOnce => self.broadcast((source, offset), others, slot, pass, flow),
            Pass::Chain => self.broadcast((*first, slot), others, slot, pass, flow),
            Pass::Doubling => {
                // Both halves go on by themselves.
                let (near, far) = others.split_at(others.len() / 2);
                self.broadcast((*first, slot), far, slot, pass, flow);
                self.broadcast((*first, slot), near, slot, pass, flow);
            }
        }
    }

    /// The first rank's output is its input.
    fn settle(&self, members: &[Coord], sums: &[u64], flow: &mut Dataflow<'_>) {
        flow.send(members[0], sums[0], members[0], self.output(), self.bytes);
    }
}
