// SPDX-License-Identifier: Apache-2.0
//! Scan: every rank adds what the ranks before it have come to.
//!
//! Along a list of members either from one to the next one, piece after piece (`ring`), or at doubling distances (`halving`). Ranks go up the columns,
//! so of columns × rows each column scans first; then the last members of the columns, which have their column's sum, scan along their row; and each
//! column gets the sum of all columns before it, which its members add to what they have.

use super::dataflow::Dataflow;
use crate::compose::Task;
use crate::layout::Layout;
use crate::{CollError, LineForm, PointForm};
use noccl_net::Coord;

/// How a list of members scans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// From one to the next one.
    Chain,
    /// At doubling distances.
    Doubling,
}

/// One piece of the payload.
struct Scan<'a> {
    task: &'a Task<'a>,
    start: u64,
    bytes: u64,
}

impl Task<'_> {
    /// A scan.
    pub(super) fn scan(
        &self,
        flow: &mut Dataflow<'_>,
        layout: &mut Layout,
    ) -> Result<(), CollError> {
        let (columns, rows) = match self.choice.point {
            PointForm::Ring => (Some(Pass::Chain), Pass::Chain),
            PointForm::Lines(first, second) => (Some(self.pass(first)?), self.pass(second)?),
            PointForm::Radix(_) | PointForm::Trees(_) | PointForm::Rotated(_) => return Err(self.no_such_scan()),
        };
        let lines = self.group.columns_and_rows();
        let is_one_list = self.choice.point == PointForm::Ring;
        let lines = lines.filter(|(xs, ys)| !is_one_list && xs.len() > 1 && ys.len() > 1);
        let chunks = self.chunks();
        for number in 0..chunks.len() {
            let (start, bytes) = chunks.range(number);
            let scan = Scan {
                task: self,
                start,
                bytes,
            };
            match (&lines, columns) {
                (Some((xs, ys)), Some(along)) => {
                    let columns: Vec<Vec<Coord>> = xs
                        .iter()
                        .map(|x| ys.iter().map(|y| Coord::new(*x, *y)).collect())
                        .collect();
                    scan.by_columns(&columns, (along, rows), flow, layout);
                }
                (_, _) => scan.by_list(&self.group.members, rows, flow, layout),
            }
        }
        Ok(())
    }

    fn pass(&self, form: LineForm) -> Result<Pass, CollError> {
        match form {
            LineForm::Ring => Ok(Pass::Chain),
            LineForm::Halving => Ok(Pass::Doubling),
            LineForm::Both | LineForm::Swing | LineForm::Bine | LineForm::Direct => {
                Err(self.no_such_scan())
            }
        }
    }

    fn no_such_scan(&self) -> CollError {
        self.unsupported(
            "ranks pass sums on to the next one or at doubling distances; accepted: the forms ring, rings, halving, \
             rings+halving and halving+rings",
        )
    }
}

impl Scan<'_> {
    fn input(&self) -> u64 {
        self.task.collective.input_offset + self.start
    }

    fn output(&self) -> u64 {
        self.task.collective.output_offset + self.start
    }

    /// All ranks one after the other.
    fn by_list(&self, members: &[Coord], pass: Pass, flow: &mut Dataflow<'_>, layout: &mut Layout) {
        let own = vec![self.input(); members.len()];
        let output = self.output();
        let sums = self.along(members, &own, pass, &|_| output, flow, layout);
        self.settle(members, &sums, flow);
    }

    /// Columns, then their sums, then each column what stands before it.
    fn by_columns(
        &self,
        columns: &[Vec<Coord>],
        (along, across): (Pass, Pass),
        flow: &mut Dataflow<'_>,
        layout: &mut Layout,
    ) {
        let (output, partial) = (self.output(), layout.alloc(self.bytes));
        let own = vec![self.input(); columns[0].len()];
        let mut sums = Vec::new();
        for (number, column) in columns.iter().enumerate() {
            let result = if number == 0 { output } else { partial };
            sums.push(self.along(column, &own, along, &|_| result, flow, layout));
        }
        let last = columns[0].len() - 1;
        let tops: Vec<Coord> = columns.iter().map(|column| column[last]).collect();
        let of_columns: Vec<u64> = sums.iter().map(|places| places[last]).collect();
        let totals = self.along(&tops, &of_columns, across, &|_| output, flow, layout);
        let slot = layout.alloc(self.bytes);
        for (number, column) in columns.iter().enumerate().skip(1) {
            // Those nearest to the sum come first.
            let others: Vec<Coord> = column[..last].iter().rev().copied().collect();
            self.spread(
                (tops[number - 1], totals[number - 1]),
                &others,
                slot,
                along,
                flow,
            );
            for (row, member) in column[..last].iter().enumerate() {
                let operands = vec![slot, sums[number][row]];
                flow.fold(*member, operands, output, self.bytes);
            }
        }
        self.settle(&columns[0], &sums[0], flow);
    }

    /// Sums along a list; where each member has its own: the first one where it was, others where `result` says.
    fn along(
        &self,
        members: &[Coord],
        own: &[u64],
        pass: Pass,
        result: &dyn Fn(usize) -> u64,
        flow: &mut Dataflow<'_>,
        layout: &mut Layout,
    ) -> Vec<u64> {
        let mut places = own.to_vec();
        let mut distance = 1;
        while distance < members.len() {
            let slot = layout.alloc(self.bytes);
            let before = places.clone();
            for at in distance..members.len() {
                let from = at - distance;
                let source = match pass {
                    Pass::Chain => places[from],
                    Pass::Doubling => before[from],
                };
                flow.send(members[from], source, members[at], slot, self.bytes);
                if pass == Pass::Chain {
                    self.add(members[at], (slot, own[at]), result(at), flow);
                    places[at] = result(at);
                }
            }
            if pass == Pass::Chain {
                break;
            }
            for at in distance..members.len() {
                let is_last = 2 * distance > at;
                let sum = if is_last { result(at) } else { slot };
                self.add(members[at], (slot, before[at]), sum, flow);
                places[at] = sum;
            }
            distance *= 2;
        }
        places
    }

    fn add(&self, member: Coord, (left, right): (u64, u64), sum: u64, flow: &mut Dataflow<'_>) {
        flow.fold(member, vec![left, right], sum, self.bytes);
    }

    /// A sum to all of a list, from one to the next one or from those that have it to as many others.
    fn spread(
        &self,
        (source, place): (Coord, u64),
        members: &[Coord],
        slot: u64,
        pass: Pass,
        flow: &mut Dataflow<'_>,
    ) {
        let Some((first, others)) = members.split_first() else {
            return;
        };
        flow.send(source, place, *first, slot, self.bytes);
        match pass {
            Pass::Chain => self.spread((*first, slot), others, slot, pass, flow),
            Pass::Doubling => {
                // Both halves go on by themselves.
                let (near, far) = others.split_at(others.len() / 2);
                self.spread((*first, slot), far, slot, pass, flow);
                self.spread((*first, slot), near, slot, pass, flow);
            }
        }
    }

    /// The first rank's output is its input.
    fn settle(&self, members: &[Coord], sums: &[u64], flow: &mut Dataflow<'_>) {
        flow.send(members[0], sums[0], members[0], self.output(), self.bytes);
    }
}
