// SPDX-License-Identifier: Apache-2.0
//! Schedules that anybody writes in a few lines: the fastest software of the library is never slower than one of them.

use crate::common::{asked, rows_by};
use noccl_coll::Dataflow;
use noccl_net::{Coord, Network};
use noccl_run::{Mode, RunConfig};
use noccl_studies::runtime_cycles;
use noccl_testkit::schedules::{collective, schedule_of};
use noccl_testkit::{cluster, network, rectangle};
use noccl_workload::{Action, Collective, CollectiveKind, Schedule, check};

const SIZES: [u64; 4] = [8, 64, 256, 4096];
const GROUPS: [(u16, u16); 6] = [(2, 2), (4, 2), (3, 3), (4, 4), (8, 4), (8, 8)];
/// Bytes of a cluster's memory.
const MEMORY: u64 = 0x2_0000;

/// What a short schedule is made of. The root is member 0, in the corner.
struct Hand<'a> {
    flow: Dataflow<'a>,
    columns: Vec<Vec<Coord>>,
    rows: Vec<Vec<Coord>>,
    all: Vec<Coord>,
    bytes: u64,
    output: u64,
    /// First byte of unused scratch, the same in every member.
    free: u64,
}

impl Hand<'_> {
    /// Scratch for an operand of each of so many members.
    fn slots(&mut self, num: usize) -> Vec<u64> {
        let step = self.bytes.next_multiple_of(64);
        let first = self.free;
        self.free += num as u64 * step;
        (0..num as u64).map(|at| first + at * step).collect()
    }

    /// All of each line send what they have at `from` to its first member, which adds everything in one `local_reduce`.
    fn add_at_first(&mut self, lines: &[Vec<Coord>], from: u64, result: u64) {
        let mut slots = self.slots(lines[0].len());
        slots[0] = from;
        for line in lines {
            for (member, slot) in line.iter().zip(&slots).skip(1) {
                self.flow.send(*member, from, line[0], *slot, self.bytes);
            }
            self.flow.fold(line[0], slots.clone(), result, self.bytes);
        }
    }

    /// All of each line send to all of it, and each adds everything in one `local_reduce`.
    fn add_at_all(&mut self, lines: &[Vec<Coord>], from: u64, result: u64) {
        let num = lines[0].len();
        let slots = self.slots(num);
        for line in lines {
            for (at, step) in (0..num).flat_map(|at| (1..num).map(move |step| (at, step))) {
                let to = line[(at + step) % num];
                self.flow.send(line[at], from, to, slots[at], self.bytes);
            }
            for (at, member) in line.iter().enumerate() {
                let mut operands = slots.clone();
                operands[at] = from;
                self.flow.fold(*member, operands, result, self.bytes);
            }
        }
    }

    /// The first member of each line sends what it has at `from` to the others' outputs.
    fn copy_from_first(&mut self, lines: &[Vec<Coord>], from: u64) {
        for line in lines {
            for member in &line[1..] {
                let to = self.output;
                self.flow.send(line[0], from, *member, to, self.bytes);
            }
        }
    }
}

/// A name, the collective, and what makes the schedule.
type Short = (&'static str, CollectiveKind, fn(&mut Hand<'_>));

const SHORT: [Short; 12] = [
    ("one addition", CollectiveKind::Reduce, |h| {
        let all = vec![h.all.clone()];
        h.add_at_first(&all, 0, h.output);
    }),
    ("rows, then a column", CollectiveKind::Reduce, |h| {
        let (rows, sum) = (h.rows.clone(), h.slots(1)[0]);
        h.add_at_first(&rows, 0, sum);
        h.add_at_first(&[h.columns[0].clone()], sum, h.output);
    }),
    ("columns, then a row", CollectiveKind::Reduce, |h| {
        let (columns, sum) = (h.columns.clone(), h.slots(1)[0]);
        h.add_at_first(&columns, 0, sum);
        h.add_at_first(&[h.rows[0].clone()], sum, h.output);
    }),
    ("exchange", CollectiveKind::AllReduce, |h| {
        let all = vec![h.all.clone()];
        h.add_at_all(&all, 0, h.output);
    }),
    ("rows, then columns", CollectiveKind::AllReduce, |h| {
        let (rows, columns, sum) = (h.rows.clone(), h.columns.clone(), h.slots(1)[0]);
        h.add_at_all(&rows, 0, sum);
        h.add_at_all(&columns, sum, h.output);
    }),
    ("there and back", CollectiveKind::AllReduce, |h| {
        let (rows, column, sum) = (h.rows.clone(), [h.columns[0].clone()], h.slots(1)[0]);
        h.add_at_first(&rows, 0, sum);
        h.add_at_first(&column, sum, h.output);
        h.copy_from_first(&column, h.output);
        h.copy_from_first(&rows, h.output);
    }),
    ("one after the other", CollectiveKind::Multicast, |h| {
        let all = vec![h.all.clone()];
        h.copy_from_first(&all, 0);
        h.flow.send(h.all[0], 0, h.all[0], h.output, h.bytes);
    }),
    ("a column, then rows", CollectiveKind::Multicast, |h| {
        let (rows, column) = (h.rows.clone(), [h.columns[0].clone()]);
        h.copy_from_first(&column, 0);
        h.copy_from_first(&rows[..1], 0);
        h.copy_from_first(&rows[1..], h.output);
        h.flow.send(h.all[0], 0, h.all[0], h.output, h.bytes);
    }),
    ("all later ranks", CollectiveKind::Scan, |h| {
        let (all, slots) = (h.all.clone(), h.slots(h.all.len()));
        for (from, to) in (0..all.len()).flat_map(|at| (at + 1..all.len()).map(move |to| (at, to)))
        {
            h.flow.send(all[from], 0, all[to], slots[from], h.bytes);
        }
        h.flow.send(all[0], 0, all[0], h.output, h.bytes);
        for (at, member) in all.iter().enumerate().skip(1) {
            let operands = slots[..at].iter().copied().chain([0]).collect();
            h.flow.fold(*member, operands, h.output, h.bytes);
        }
    }),
    ("from rank to rank", CollectiveKind::Scan, |h| {
        let (all, slot) = (h.all.clone(), h.slots(1)[0]);
        h.flow.send(all[0], 0, all[0], h.output, h.bytes);
        for pair in all.windows(2) {
            let from = if pair[0] == all[0] { 0 } else { h.output };
            h.flow.send(pair[0], from, pair[1], slot, h.bytes);
            h.flow.fold(pair[1], vec![slot, 0], h.output, h.bytes);
        }
    }),
    ("exchange of blocks", CollectiveKind::AllGather, |h| {
        let num = h.all.len();
        for (at, step) in (0..num).flat_map(|at| (0..num).map(move |step| (at, step))) {
            let (to, place) = (h.all[(at + step) % num], h.output + at as u64 * h.bytes);
            h.flow.send(h.all[at], 0, to, place, h.bytes);
        }
    }),
    ("one addition each", CollectiveKind::ReduceScatter, |h| {
        let (all, slots) = (h.all.clone(), h.slots(h.all.len()));
        let num = all.len();
        for (at, step) in (0..num).flat_map(|at| (1..num).map(move |step| (at, step))) {
            let (to, block) = ((at + step) % num, ((at + step) % num) as u64 * h.bytes);
            h.flow.send(all[at], block, all[to], slots[at], h.bytes);
        }
        for (at, member) in all.iter().enumerate() {
            let mut operands = slots.clone();
            operands[at] = at as u64 * h.bytes;
            h.flow.fold(*member, operands, h.output, h.bytes);
        }
    }),
];

/// Cycles of a short schedule, proved by the checker, in the faster of two orders; none if it does not fit into the memories.
fn cycles(
    network: &Network,
    (width, height): (u16, u16),
    (name, kind, make): Short,
    bytes: u64,
) -> Option<u64> {
    let members = u64::from(width) * u64::from(height);
    let mut task = collective(kind, rectangle(0, 0, width, height), cluster(0, 0), bytes);
    task.output_offset = task.input_bytes(members).next_multiple_of(4096);
    let row = |y| (0..width).map(|x| Coord::new(x, y)).collect();
    let column = |x| (0..height).map(|y| Coord::new(x, y)).collect();
    let columns: Vec<Vec<Coord>> = (0..width).map(column).collect();
    let in_order = |finish: fn(Dataflow<'_>) -> Vec<Action>| {
        let mut hand = Hand {
            flow: Dataflow::new(network.as_axi().unwrap(), &task),
            rows: (0..height).map(row).collect(),
            all: columns.concat(),
            columns: columns.clone(),
            bytes,
            output: task.output_offset,
            free: (task.output_offset + task.output_bytes(members)).next_multiple_of(64),
        };
        make(&mut hand);
        (hand.free <= MEMORY).then(|| run(network, &task, finish(hand.flow), name))
    };
    let as_added = in_order(|flow| flow.finish_as_added())?;
    let by_urgency = in_order(|flow| flow.finish_by_urgency(true))?;
    Some(as_added.min(by_urgency))
}

fn run(network: &Network, task: &Collective, actions: Vec<Action>, name: &str) -> u64 {
    let schedule = Schedule {
        collective: Some(task.clone()),
        ..schedule_of(actions)
    };
    check(network, &schedule).unwrap_or_else(|error| panic!("{name}: {error}"));
    let config = RunConfig::new(Mode::Timing);
    let run = noccl_sim::run_schedule(network, &schedule, &[], &[], &config, &mut |_| true);
    runtime_cycles(Some(&schedule), &run.unwrap().actions)
}

/// Cycles of the library by deliveries, and of an all-gather by its plain exchange: with the rest of its software it can only be faster.
fn best_cycles(network: &Network, kind: CollectiveKind, group: &str, bytes: u64) -> u64 {
    let algorithms = if kind == CollectiveKind::AllGather {
        "point_to_point,pairwise"
    } else {
        "point_to_point"
    };
    let mut request = asked(network, kind, (group, &[bytes]), algorithms);
    request.root = kind.has_root().then_some(cluster(0, 0));
    let rows = rows_by(network, &request);
    rows.iter().map(|row| row.cycles).min().unwrap()
}

#[test]
fn the_best_software_is_never_slower_than_a_short_schedule() {
    let network = network("collective_noc_8x8");
    let mut slower = Vec::new();
    let mut compared = 0;
    for (shape, kind) in GROUPS
        .into_iter()
        .flat_map(|shape| CollectiveKind::ALL.map(|kind| (shape, kind)))
    {
        let short = SHORT.into_iter().filter(|short| short.1 == kind);
        let short: Vec<Short> = short.collect();
        let group = format!("0,0,{},{}", shape.0, shape.1);
        for bytes in SIZES {
            let of_short = |s: &Short| Some((cycles(&network, shape, *s, bytes)?, s.0));
            let Some((least, name)) = short.iter().filter_map(of_short).min() else {
                continue;
            };
            let best = best_cycles(&network, kind, &group, bytes);
            if best > least {
                slower.push(format!(
                    "{kind} of {bytes} bytes, {group}: {best}, \"{name}\" {least}"
                ));
            }
            compared += 1;
        }
    }
    assert!(slower.is_empty(), "{slower:#?}");
    assert!(compared > 100, "{compared}");
}

/// Cycles of schedules that were written and run by hand before the library had forms of this kind.
#[test]
fn reductions_of_short_payloads_take_at_most_what_short_schedules_took() {
    let network = network("collective_noc_8x8");
    let measured = [
        (CollectiveKind::Reduce, "0,0,2,2", 8, 25),
        (CollectiveKind::Reduce, "0,0,4,2", 8, 34),
        (CollectiveKind::Reduce, "0,0,3,3", 8, 36),
        (CollectiveKind::Reduce, "0,0,4,4", 8, 51),
        (CollectiveKind::Reduce, "0,0,8,4", 8, 72),
        (CollectiveKind::Reduce, "0,0,8,8", 8, 85),
        (CollectiveKind::Reduce, "0,0,2,2", 256, 44),
        (CollectiveKind::AllReduce, "0,0,2,2", 8, 37),
    ];
    for (kind, group, bytes, most) in measured {
        let cycles = best_cycles(&network, kind, group, bytes);
        assert!(cycles <= most, "{kind} {group} {bytes}: {cycles}");
    }
}
