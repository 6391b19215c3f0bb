// SPDX-License-Identifier: Apache-2.0
//! Tasks of clusters that start as soon as their operands are there.
//!
//! A cluster sends by deliveries, which wake their destination, so nobody waits for a barrier. An action comes after
//! the actions of its own cluster that wrote what it reads, and after those that read or wrote what it overwrites in its own
//! memory. That nobody else still needs what a delivery overwrites is the algorithm's business: the checker proves it.

use super::file_order::{Priority, file_order};
use super::reuse::Reuse;
use crate::steps::{at, local_reduce, transfer};
use noccl_net::{AxiNetwork, Coord};
use noccl_workload::{Action, ActionId, ActionKind, Collective, Destination, Place, Transfer};
use std::collections::{BTreeMap, HashMap};

/// Bytes of a flag.
pub(crate) const FLAG_BYTES: u64 = 8;

/// Number of a task in the order in which tasks were added.
pub(crate) type TaskId = usize;

/// One action with what it has to wait for.
#[derive(Debug)]
pub(crate) struct FlowTask {
    pub(crate) kind: ActionKind,
    /// Cluster that runs it.
    pub(crate) agent: Coord,
    /// Cluster that notices its end too.
    pub(crate) destination: Option<Coord>,
    /// Earlier tasks.
    pub(crate) after: Vec<TaskId>,
}

/// A schedule in the making.
#[derive(Debug)]
pub struct Dataflow<'a> {
    network: AxiNetwork<'a>,
    collective: &'a Collective,
    pub(super) tasks: Vec<FlowTask>,
    pub(super) memories: HashMap<Coord, Memory>,
    /// A member that has everything: nobody sends to it.
    has_all: Option<Coord>,
    /// Slots that are written again.
    pub(super) reused: Vec<Reuse>,
}

/// A range of a memory in rows of equal length.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows {
    pub(crate) bytes: u64,
    pub(crate) count: u32,
    /// From row to row, at both sides.
    pub(crate) stride: u64,
}

impl Rows {
    /// Consecutive bytes.
    pub(crate) const fn one(bytes: u64) -> Self {
        Self {
            bytes,
            count: 1,
            stride: 0,
        }
    }

    fn ranges(self, start: u64) -> impl Iterator<Item = (u64, u64)> {
        (0..u64::from(self.count)).map(move |row| {
            let first = start + row * self.stride;
            (first, first + self.bytes)
        })
    }
}

impl<'a> Dataflow<'a> {
    /// Nothing yet; operator and element are those of the collective.
    #[must_use]
    pub fn new(network: AxiNetwork<'a>, collective: &'a Collective) -> Self {
        Self {
            network,
            collective,
            tasks: Vec::new(),
            memories: HashMap::new(),
            has_all: None,
            reused: Vec::new(),
        }
    }

    /// From now on this member needs nothing of others.
    pub(crate) fn has_all(&mut self, member: Coord) {
        self.has_all = Some(member);
    }

    /// A member writes what it holds into another member's memory, which notices; within one memory it copies.
    pub fn send(&mut self, from: Coord, source: u64, to: Coord, destination: u64, bytes: u64) {
        self.send_rows(from, source, to, destination, Rows::one(bytes));
    }

    /// The same for several rows.
    pub(crate) fn send_rows(
        &mut self,
        from: Coord,
        source: u64,
        to: Coord,
        destination: u64,
        rows: Rows,
    ) {
        let is_there = from == to && source == destination;
        let is_needless = from != to && self.has_all == Some(to);
        if rows.bytes == 0 || is_there || is_needless {
            return;
        }
        let transfer = Transfer {
            rows: rows.count,
            source_stride: rows.stride,
            destination_stride: rows.stride,
            ..transfer(
                from,
                at(from, source),
                Destination::One(at(to, destination)),
                rows.bytes,
            )
        };
        let mut reads: Vec<_> = rows.ranges(source).collect();
        reads.extend(self.released(from, to, destination));
        let writes: Vec<_> = rows.ranges(destination).collect();
        if from == to {
            self.add(ActionKind::Transfer(transfer), from, None, &reads, &writes);
        } else {
            self.add(
                ActionKind::Delivery(transfer),
                from,
                Some(to),
                &reads,
                &writes,
            );
        }
    }

    /// A member sends a flag when all of a range of its own memory has been written.
    pub(crate) fn signal(
        &mut self,
        from: Coord,
        source: u64,
        awaited: (u64, u64),
        to: Coord,
        slot: u64,
    ) {
        let destination = Destination::One(at(to, slot));
        let flag = transfer(from, at(from, source), destination, FLAG_BYTES);
        let written = (slot, slot + FLAG_BYTES);
        let kind = ActionKind::Delivery(flag);
        self.add(kind, from, Some(to), &[awaited], &[written]);
    }

    /// A member reads from a tile whose data are there from the start and that need not act.
    pub fn pull(&mut self, reader: Coord, source: Place, destination: u64, bytes: u64) {
        if bytes == 0 {
            return;
        }
        let to = Destination::One(at(reader, destination));
        let kind = ActionKind::Transfer(transfer(reader, source, to, bytes));
        self.add(
            kind,
            reader,
            None,
            &[],
            &[(destination, destination + bytes)],
        );
    }

    /// A member writes into a tile that takes no part.
    pub fn put(&mut self, from: Coord, source: u64, to: Place, bytes: u64) {
        if bytes == 0 {
            return;
        }
        let read = at(from, source);
        let kind = ActionKind::Transfer(transfer(from, read, Destination::One(to), bytes));
        self.add(kind, from, None, &[(source, source + bytes)], &[]);
    }

    /// A member's cores combine ranges of its memory, from the left.
    pub fn fold(&mut self, member: Coord, inputs: Vec<u64>, output: u64, bytes: u64) {
        if bytes == 0 {
            return;
        }
        let reads: Vec<_> = inputs.iter().map(|i| (*i, i + bytes)).collect();
        let sum = local_reduce(self.collective, member, inputs, output, bytes);
        let kind = ActionKind::LocalReduce(sum);
        self.add(kind, member, None, &reads, &[(output, output + bytes)]);
    }

    fn add(
        &mut self,
        kind: ActionKind,
        agent: Coord,
        destination: Option<Coord>,
        reads: &[(u64, u64)],
        writes: &[(u64, u64)],
    ) {
        let id = self.tasks.len();
        let mut after = Vec::new();
        let memory = self.memories.entry(agent).or_default();
        for range in reads {
            memory.writers(*range, &mut after);
        }
        if destination.is_none() {
            for range in writes {
                memory.writers(*range, &mut after);
                memory.readers(*range, &mut after);
            }
        }
        for range in reads {
            memory.note_read(*range, id);
        }
        let target = self
            .memories
            .entry(destination.unwrap_or(agent))
            .or_default();
        for range in writes {
            target.note_written(*range, id);
        }
        after.sort_unstable();
        after.dedup();
        self.tasks.push(FlowTask {
            kind,
            agent,
            destination,
            after,
        });
    }

    /// The actions, in an order in which every cluster can work on its own ones without waiting needlessly.
    pub(crate) fn finish(self, priority: Priority) -> Vec<Action> {
        let order = file_order(self.network, &self.tasks, priority);
        self.in_order(&order)
    }

    /// The actions, those with the longest path behind them first; `counts_queue`: what stands before much other work of its cluster
    /// is urgent too.
    #[must_use]
    pub fn finish_by_urgency(self, counts_queue: bool) -> Vec<Action> {
        self.finish(if counts_queue {
            Priority::PathAndQueue
        } else {
            Priority::Path
        })
    }

    /// The actions in the order in which they were added.
    #[must_use]
    pub fn finish_as_added(self) -> Vec<Action> {
        let order: Vec<TaskId> = (0..self.tasks.len()).collect();
        self.in_order(&order)
    }

    fn in_order(self, order: &[TaskId]) -> Vec<Action> {
        let mut number = vec![0_u32; self.tasks.len()];
        for (at, task) in order.iter().enumerate() {
            number[*task] = at as u32;
        }
        let mut tasks: Vec<Option<FlowTask>> = self.tasks.into_iter().map(Some).collect();
        let in_order = order.iter().filter_map(|task| tasks[*task].take());
        in_order
            .map(|task| {
                let mut after: Vec<ActionId> =
                    task.after.iter().map(|a| ActionId(number[*a])).collect();
                after.sort_unstable();
                Action {
                    kind: task.kind,
                    after,
                }
            })
            .collect()
    }
}

// Which tasks wrote and read which bytes of one cluster's memory.

/// Accesses to one cluster's memory that later ones have to follow.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// By first byte: end, and the task that wrote it last. Ranges are disjoint.
    written: BTreeMap<u64, (u64, TaskId)>,
    /// By first byte: end and reader, of ranges that this cluster has read since they were written.
    read: BTreeMap<u64, Vec<(u64, TaskId)>>,
    /// Longest range of `read`.
    longest_read: u64,
}

impl Memory {
    /// Who wrote bytes of this range last?
    pub(super) fn writers(&self, (start, end): (u64, u64), out: &mut Vec<TaskId>) {
        let before = self.written.range(..start).next_back();
        let inside = self.written.range(start..end);
        let all = before.into_iter().chain(inside);
        out.extend(all.filter(|(_, (e, _))| *e > start).map(|(_, (_, id))| *id));
    }

    /// Who of this cluster has read bytes of this range?
    pub(super) fn readers(&self, (start, end): (u64, u64), out: &mut Vec<TaskId>) {
        let from = start.saturating_sub(self.longest_read);
        let near = self.read.range(from..end).flat_map(|(_, all)| all);
        out.extend(near.filter(|(e, _)| *e > start).map(|(_, id)| *id));
    }

    fn note_read(&mut self, (start, end): (u64, u64), id: TaskId) {
        self.longest_read = self.longest_read.max(end - start);
        self.read.entry(start).or_default().push((end, id));
    }

    /// The range is this task's; what earlier ones wrote of it is cut away.
    pub(super) fn note_written(&mut self, (start, end): (u64, u64), id: TaskId) {
        let before = self.written.range(..start).next_back();
        let before = before
            .map(|(s, v)| (*s, *v))
            .filter(|(_, (e, _))| *e > start);
        let inside: Vec<(u64, (u64, TaskId))> = self
            .written
            .range(start..end)
            .map(|(s, v)| (*s, *v))
            .collect();
        for (first, (last, owner)) in before.into_iter().chain(inside) {
            self.written.remove(&first);
            if first < start {
                self.written.insert(first, (start, owner));
            }
            if last > end {
                self.written.insert(end, (last, owner));
            }
        }
        self.written.insert(start, (end, id));
    }

    /// Forgets the readers of a range: whoever writes there next waits for them by a flag.
    pub(super) fn forget_readers(&mut self, (start, end): (u64, u64)) {
        let from = start.saturating_sub(self.longest_read);
        for (_, readers) in self.read.range_mut(from..end) {
            readers.retain(|(e, _)| *e <= start);
        }
    }
}
