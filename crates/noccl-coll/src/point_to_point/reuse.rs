// SPDX-License-Identifier: Apache-2.0
//! Slots that are written again: their member signals by a flag that it has used what was there.

use super::dataflow::{Dataflow, FLAG_BYTES, FlowTask, TaskId};
use crate::layout::Layout;
use crate::steps::at;
use crate::steps::transfer;
use noccl_net::Coord;
use noccl_workload::{ActionKind, Destination};
use std::collections::HashMap;

/// A range of every member's memory, since it was last given to a chunk.
#[derive(Debug)]
pub(super) struct Reuse {
    range: (u64, u64),
    /// First byte of the flags: one that is sent and never written, then those that are received.
    flags: u64,
    /// By member: its tasks that used what stood there.
    users: HashMap<Coord, Vec<TaskId>>,
    /// By sender: flags so far.
    received: HashMap<Coord, u64>,
    /// By member and sender: where the sender has the flag.
    given: HashMap<(Coord, Coord), u64>,
}

impl Reuse {
    /// Users of members who have signalled nobody.
    fn unsignalled(self) -> HashMap<Coord, Vec<TaskId>> {
        let Self { given, users, .. } = self;
        let has_signalled = |member: &Coord| given.keys().any(|(signalled, _)| signalled == member);
        users
            .into_iter()
            .filter(|(m, _)| !has_signalled(m))
            .collect()
    }
}

impl Dataflow<'_> {
    /// From now on whoever writes into this range waits for a flag of its member, which has done all that it does with the range so far.
    /// There is a flag for each member that a sender writes to, from `flags` on.
    fn use_again(&mut self, range: (u64, u64), flags: u64) {
        let position = self.reused.iter().position(|reuse| reuse.range == range);
        // A member that nobody has written to since then has still to signal what came before.
        let mut users = match position.map(|at| self.reused.swap_remove(at)) {
            Some(before) => before.unsignalled(),
            None => HashMap::new(),
        };
        for (member, memory) in &mut self.memories {
            let mut tasks = Vec::new();
            memory.writers(range, &mut tasks);
            memory.readers(range, &mut tasks);
            memory.forget_readers(range);
            let known: &mut Vec<TaskId> = users.entry(*member).or_default();
            known.append(&mut tasks);
            known.sort_unstable();
            known.dedup();
        }
        users.retain(|_, tasks| !tasks.is_empty());
        self.reused.push(Reuse {
            range,
            flags,
            users,
            received: HashMap::new(),
            given: HashMap::new(),
        });
    }

    /// The flag that `from` has to have before it writes there, if that is a slot that is used again.
    pub(super) fn released(&mut self, from: Coord, to: Coord, offset: u64) -> Option<(u64, u64)> {
        let is_there = |reuse: &&mut Reuse| (reuse.range.0..reuse.range.1).contains(&offset);
        let reuse = self
            .reused
            .iter_mut()
            .find(is_there)
            .filter(|_| from != to)?;
        let users = reuse.users.get(&to)?.clone();
        if let Some(flag) = reuse.given.get(&(to, from)) {
            return Some((*flag, flag + FLAG_BYTES));
        }
        let received = reuse.received.entry(from).or_default();
        *received += 1;
        let (sent, flag) = (reuse.flags, reuse.flags + FLAG_BYTES * *received);
        reuse.given.insert((to, from), flag);
        let destination = Destination::One(at(from, flag));
        let written = (flag, flag + FLAG_BYTES);
        let id = self.tasks.len();
        self.memories
            .entry(from)
            .or_default()
            .note_written(written, id);
        self.tasks.push(FlowTask {
            kind: ActionKind::Delivery(transfer(to, at(to, sent), destination, FLAG_BYTES)),
            agent: to,
            destination: Some(from),
            after: users,
        });
        Some(written)
    }
}

// Slots for what chunks receive: every chunk has its own, or chunks share a few in rotation.
//
// A slot that is used again takes no barrier: its member signals whoever writes next, by a flag, that it has used what was there.

/// Where chunks receive partial sums, by dimension.
#[derive(Debug)]
pub(super) struct Slots<'a> {
    pub(super) layout: &'a mut Layout,
    /// Chunks that have slots at a time; `None`: all.
    chunks: Option<u32>,
    /// By dimension: chunks so far.
    taken: HashMap<usize, u32>,
    /// By dimension and place in the rotation: first byte and bytes.
    known: HashMap<(usize, u32), (u64, u64)>,
}

impl<'a> Slots<'a> {
    pub(super) fn new(layout: &'a mut Layout, chunks: Option<u32>) -> Self {
        Self {
            layout,
            chunks,
            taken: HashMap::new(),
            known: HashMap::new(),
        }
    }

    /// Slots of the next chunk in this dimension, in which a member writes to at most `partners` others.
    pub(super) fn take(
        &mut self,
        dimension: usize,
        bytes: u64,
        partners: u64,
        flow: &mut Dataflow<'_>,
    ) -> u64 {
        let Some(chunks) = self.chunks else {
            return self.layout.alloc(bytes);
        };
        let taken = self.taken.entry(dimension).or_default();
        let key = (dimension, *taken % chunks);
        *taken += 1;
        if let Some((start, known_bytes)) = self.known.get(&key).copied()
            && bytes <= known_bytes
        {
            let flags = self.layout.alloc(FLAG_BYTES * (partners + 1));
            flow.use_again((start, start + known_bytes), flags);
            return start;
        }
        let start = self.layout.alloc(bytes);
        self.known.insert(key, (start, bytes));
        start
    }
}
