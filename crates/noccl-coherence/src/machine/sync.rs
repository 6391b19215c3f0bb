// SPDX-License-Identifier: Apache-2.0
//! Synchronisations as loads and stores, which is what they are on the machine.
//!
//! A lock is a word in a line of its own: test, then test and set. A barrier is a tree of four: a thread waits for the words of its children,
//! writes its own, waits for the word that its parent writes, and writes those of its children. Each word has a line, and numbers count up, so
//! that nothing is reset. Who waits for a word spins on its copy of the line, and looks again when the copy is gone.

use super::LineId;
use super::cores::Core;
use crate::recording::{Log, RecordedEvent};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

const LOCKS: LineId = 1 << 44;
const BARRIERS: LineId = 2 << 44;
const STARTS: LineId = 3 << 44;
const ENDS: LineId = 4 << 44;
/// Children of a thread in the tree of a barrier.
const ARITY: usize = 4;

/// An access, or a step of a synchronisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Micro {
    /// A reference of the program.
    Load(LineId),
    Store(LineId),
    /// Writes a word.
    Write(LineId, u32),
    /// Waits until a word is at least this.
    Await(LineId, u32),
    /// Waits until a lock is free.
    Test(LineId),
    /// Takes a lock if it is still free.
    TestAndSet(LineId),
}

/// What the threads of a recording do with each other.
#[derive(Debug)]
pub(super) struct Program {
    /// Threads of each barrier.
    members: BTreeMap<u32, Vec<usize>>,
    started: BTreeSet<u32>,
    joined: BTreeSet<u32>,
}

impl Program {
    fn new(log: &Log) -> Self {
        let mut program = Self {
            members: BTreeMap::new(),
            started: BTreeSet::new(),
            joined: BTreeSet::new(),
        };
        for thread in 0..log.num_threads() {
            for event in log.events(thread) {
                match event {
                    RecordedEvent::Start(other) => {
                        program.started.insert(other);
                    }
                    RecordedEvent::Join(other) => {
                        program.joined.insert(other);
                    }
                    RecordedEvent::Barrier(id) => {
                        let members = program.members.entry(id).or_default();
                        if members.last() != Some(&thread) {
                            members.push(thread);
                        }
                    }
                    RecordedEvent::Read(..)
                    | RecordedEvent::Write(..)
                    | RecordedEvent::Lock(_)
                    | RecordedEvent::Unlock(_) => {}
                }
            }
        }
        program
    }

    /// What a thread does before its first event.
    pub(super) fn begin(&self, thread: usize) -> Option<Micro> {
        let is_started = self.started.contains(&(thread as u32));
        is_started.then_some(Micro::Await(STARTS + thread as LineId, 1))
    }

    /// What it does after its last one.
    pub(super) fn end(&self, thread: usize) -> Option<Micro> {
        let is_joined = self.joined.contains(&(thread as u32));
        is_joined.then_some(Micro::Write(ENDS + thread as LineId, 1))
    }

    /// What an event is made of. `round` counts the thread's visits of a barrier.
    pub(super) fn expand(
        &self,
        thread: usize,
        event: RecordedEvent,
        rounds: &mut BTreeMap<u32, u32>,
        into: &mut impl Extend<Micro>,
    ) {
        match event {
            RecordedEvent::Read(address, bytes) => {
                into.extend(lines(address, bytes).map(Micro::Load))
            }
            RecordedEvent::Write(address, bytes) => {
                into.extend(lines(address, bytes).map(Micro::Store))
            }
            RecordedEvent::Lock(id) => into.extend([Micro::Test(LOCKS + LineId::from(id))]),
            RecordedEvent::Unlock(id) => into.extend([Micro::Write(LOCKS + LineId::from(id), 0)]),
            RecordedEvent::Start(other) => {
                into.extend([Micro::Write(STARTS + LineId::from(other), 1)])
            }
            RecordedEvent::Join(other) => {
                into.extend([Micro::Await(ENDS + LineId::from(other), 1)])
            }
            RecordedEvent::Barrier(id) => {
                let round = rounds.entry(id).or_insert(0);
                *round += 1;
                self.expand_barrier(thread, id, *round, into);
            }
        }
    }

    fn expand_barrier(&self, thread: usize, id: u32, round: u32, into: &mut impl Extend<Micro>) {
        let members = &self.members[&id];
        let rank = members.iter().position(|member| *member == thread);
        let rank = rank.expect("its members are those that come");
        let first = ARITY * rank + 1;
        let children = || first.min(members.len())..(first + ARITY).min(members.len());
        let word =
            |rank: usize, of: LineId| BARRIERS + (LineId::from(id) * 64 + rank as LineId) * 2 + of;
        into.extend(children().map(|child| Micro::Await(word(child, 0), round)));
        if rank > 0 {
            into.extend([
                Micro::Write(word(rank, 0), round),
                Micro::Await(word(rank, 1), round),
            ]);
        }
        into.extend(children().map(|child| Micro::Write(word(child, 1), round)));
    }
}

/// Lines of a reference: one, or two if it reaches over an end.
fn lines(address: u64, bytes: u8) -> impl Iterator<Item = LineId> {
    address / super::LINE_BYTES..=(address + u64::from(bytes) - 1) / super::LINE_BYTES
}

/// Cores that have not begun, one for each thread.
pub(super) fn cores(log: &Log) -> Vec<Core<'_>> {
    let program = Rc::new(Program::new(log));
    let core = |thread| Core::new(thread, log.events(thread), Rc::clone(&program));
    (0..log.num_threads()).map(core).collect()
}
