// SPDX-License-Identifier: Apache-2.0
//! Cores: a reference per cycle, a miss at a time.

use super::sync::{Micro, Program};
use super::{Event, LINE_BYTES, LineId, Machine, MachineError};
use crate::protocol::{Access, Permission, Protocol};
use crate::recording::Cursor;
use noccl_net::TileId;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// Bytes and lines per set of both caches of a core.
const FIRST_LEVEL: (u64, usize) = (32 << 10, 8);
const SECOND_LEVEL: (u64, usize) = (1 << 20, 16);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doing {
    /// Goes on in this or a later cycle.
    Refers,
    /// Waits for a line since a cycle.
    Misses {
        line: LineId,
        since: u64,
    },
    /// Waits until its cache has given a line up, before it asks for it again.
    WaitsForCopy(LineId),
    /// Waits until its copy of a line is gone.
    Spins(LineId),
    Ended,
}

/// A core.
#[derive(Debug)]
pub(super) struct Core<'a> {
    thread: usize,
    events: Cursor<'a>,
    program: Rc<Program>,
    rounds: BTreeMap<u32, u32>,
    micros: VecDeque<Micro>,
    has_ended: bool,
    pub doing: Doing,
    pub misses: u64,
    mean_miss_cycles: u64,
    first_level: Tags,
    second_level: Tags,
}

impl<'a> Core<'a> {
    pub(super) fn new(thread: usize, events: Cursor<'a>, program: Rc<Program>) -> Self {
        Self {
            thread,
            events,
            micros: program.begin(thread).into_iter().collect(),
            program,
            rounds: BTreeMap::new(),
            has_ended: false,
            doing: Doing::Refers,
            misses: 0,
            mean_miss_cycles: 0,
            first_level: Tags::new(FIRST_LEVEL.0, FIRST_LEVEL.1),
            second_level: Tags::new(SECOND_LEVEL.0, SECOND_LEVEL.1),
        }
    }

    /// What it does next.
    fn next(&mut self) -> Option<Micro> {
        while self.micros.is_empty() && !self.has_ended {
            if let Some(event) = self.events.next() {
                let (rounds, micros) = (&mut self.rounds, &mut self.micros);
                self.program.expand(self.thread, event, rounds, micros);
            } else {
                self.has_ended = true;
                self.micros.extend(self.program.end(self.thread));
            }
        }
        self.micros.front().copied()
    }
}

impl Micro {
    const fn access(self) -> (LineId, Access) {
        match self {
            Self::Load(line) | Self::Await(line, _) | Self::Test(line) => (line, Access::Load),
            Self::Store(line) | Self::Write(line, _) | Self::TestAndSet(line) => {
                (line, Access::Store)
            }
        }
    }
}

impl<P: Protocol> Machine<'_, P> {
    /// A core makes its next reference, if its cache has the line.
    pub(super) fn refer(&mut self, core: u8) -> Result<(), MachineError> {
        let now = self.now();
        let state = &mut self.cores[usize::from(core)];
        let Some(micro) = state.next() else {
            state.doing = Doing::Ended;
            self.ready &= !(1 << core);
            self.accounts.end_cycle = self.accounts.end_cycle.max(now);
            return Ok(());
        };
        let (line, access) = micro.access();
        let copies = &self.copies[usize::from(core)];
        // 0: a line that the cache does not have is one without permission.
        let copy = copies.get(&line).copied().unwrap_or_default();
        if P::permission(&copy, self.caches).allows(access) {
            let is_near = state.first_level.touch(line);
            state.second_level.touch(line);
            if is_near {
                return self.access(core, micro);
            }
            // From the second level: the reference is made when the line is there.
            state.first_level.insert(line, |_| true);
            self.pause(core, self.latencies.second_level_cycles);
            return Ok(());
        }
        self.ready &= !(1 << core);
        if P::is_busy(&copy) {
            self.cores[usize::from(core)].doing = Doing::WaitsForCopy(line);
            return Ok(());
        }
        self.miss(core, line, access);
        Ok(())
    }

    fn pause(&mut self, core: u8, cycles: u64) {
        self.ready &= !(1 << core);
        self.later(cycles, Event::Resume(core));
    }

    fn miss(&mut self, core: u8, line: LineId, access: Access) {
        let since = self.now();
        self.make_space(core, line);
        let state = &mut self.cores[usize::from(core)];
        state.doing = Doing::Misses { line, since };
        state.misses += 1;
        let number = state.misses;
        let patience = self.latencies.retry_cycles.max(2 * state.mean_miss_cycles);
        let copy = self.copies[usize::from(core)].entry(line).or_default();
        let mut sent = std::mem::take(&mut self.sent);
        P::ask(copy, core, access, &mut sent);
        let issue = self.latencies.issue_cycles;
        for (target, message) in sent.drain(..) {
            let from = TileId(core.into());
            let envelope = self.transport.seal(from, target, line, message);
            self.later(issue, Event::Send(envelope));
        }
        self.sent = sent;
        self.later(issue + patience, Event::Retry(core, number));
    }

    /// A line leaves both caches for another one.
    fn make_space(&mut self, core: u8, line: LineId) {
        let index = usize::from(core);
        let copies = &self.copies[index];
        let may_leave = |at: LineId| copies.get(&at).is_none_or(|copy| !P::is_busy(copy));
        let left = self.cores[index].second_level.insert(line, may_leave);
        self.cores[index].first_level.insert(line, |_| true);
        let Some(left) = left else {
            return;
        };
        let Some(copy) = self.copies[index].get_mut(&left) else {
            return;
        };
        if P::permission(copy, self.caches) == Permission::None {
            return;
        }
        let mut sent = std::mem::take(&mut self.sent);
        P::evict(copy, core, &mut sent);
        self.accounts.evictions += 1;
        self.send_from(TileId(core.into()), left, &mut sent);
        self.sent = sent;
        self.copy_changed(core, left);
    }

    pub(super) fn retry(&mut self, core: u8, miss: u64) {
        let state = &self.cores[usize::from(core)];
        let Doing::Misses { line, .. } = state.doing else {
            return;
        };
        if state.misses != miss {
            return;
        }
        let patience = self.latencies.retry_cycles.max(2 * state.mean_miss_cycles);
        let copy = self.copies[usize::from(core)].entry(line).or_default();
        let mut sent = std::mem::take(&mut self.sent);
        P::retry(copy, core, &mut sent);
        self.accounts.repeats += u64::from(!sent.is_empty());
        self.send_from(TileId(core.into()), line, &mut sent);
        self.sent = sent;
        self.later(patience, Event::Retry(core, miss));
    }

    /// What a core has waited for is there: it makes its reference at once, and the next one in the next cycle.
    pub(super) fn complete(&mut self, core: u8, line: LineId) -> Result<(), MachineError> {
        let now = self.now();
        let state = &mut self.cores[usize::from(core)];
        let Doing::Misses {
            line: missed,
            since,
        } = state.doing
        else {
            return Err(self.incoherent(
                core,
                line,
                "gets a line that it does not wait for".to_owned(),
            ));
        };
        debug_assert_eq!(missed, line, "one miss at a time");
        let cycles = now - since;
        state.mean_miss_cycles = (7 * state.mean_miss_cycles + cycles) / 8;
        state.doing = Doing::Refers;
        self.accounts.misses += 1;
        self.accounts.miss_cycles += cycles;
        let micro = state.next().expect("the reference that has missed");
        self.access(core, micro)?;
        if self.cores[usize::from(core)].doing == Doing::Refers {
            self.pause(core, 1);
        }
        Ok(())
    }

    /// A reference to a line that the cache has.
    fn access(&mut self, core: u8, micro: Micro) -> Result<(), MachineError> {
        let (line, access) = micro.access();
        let copy = self.copies[usize::from(core)].entry(line).or_default();
        let copy = if access == Access::Store {
            let stores = self.golden.entry(line).or_insert(0);
            let before = *stores;
            if P::value(copy) != Some(before) {
                let copy = *copy;
                return self.check_value(core, line, &copy);
            }
            if !matches!(micro, Micro::TestAndSet(_))
                || self.words.get(&line).is_none_or(|word| *word == 0)
            {
                *stores += 1;
                P::store(copy, before + 1);
            }
            *copy
        } else {
            *copy
        };
        if access == Access::Store {
            self.check_single_writer(core, line)?;
        } else {
            self.check_value(core, line, &copy)?;
        }
        self.act(core, micro);
        Ok(())
    }

    /// What a reference means to its thread.
    fn act(&mut self, core: u8, micro: Micro) {
        let state = &mut self.cores[usize::from(core)];
        // 0: the value of memory before the first store.
        let word = |line: LineId| self.words.get(&line).copied().unwrap_or(0);
        let spins = match micro {
            Micro::Load(_) | Micro::Store(_) => {
                self.accounts.references += 1;
                None
            }
            Micro::Write(line, value) => {
                self.words.insert(line, value);
                None
            }
            Micro::Await(line, least) => (word(line) < least).then_some(line),
            Micro::Test(line) if word(line) != 0 => Some(line),
            Micro::Test(line) => {
                state.micros[0] = Micro::TestAndSet(line);
                self.accounts.synchronisations += 1;
                return;
            }
            Micro::TestAndSet(line) if word(line) != 0 => {
                state.micros[0] = Micro::Test(line);
                return;
            }
            Micro::TestAndSet(line) => {
                self.words.insert(line, 1);
                None
            }
        };
        if let Some(line) = spins {
            state.doing = Doing::Spins(line);
            self.ready &= !(1 << core);
        } else {
            self.accounts.synchronisations +=
                u64::from(!matches!(micro, Micro::Load(_) | Micro::Store(_)));
            state.micros.pop_front();
        }
    }
}

// Which lines lie in a cache: sets of several lines, of which the one that has not been used for longest makes space.

/// Lines of a cache by set.
#[derive(Debug, Clone)]
pub(super) struct Tags {
    sets: usize,
    lines_per_set: usize,
    /// Line and time of its last use.
    entries: Vec<Option<(LineId, u64)>>,
    time: u64,
}

impl Tags {
    pub(super) fn new(bytes: u64, lines_per_set: usize) -> Self {
        let lines = (bytes / LINE_BYTES) as usize;
        Self {
            sets: lines / lines_per_set,
            lines_per_set,
            entries: vec![None; lines],
            time: 0,
        }
    }

    fn set(&mut self, line: LineId) -> &mut [Option<(LineId, u64)>] {
        // Lines for synchronisation differ in high bits from those of data.
        let mixed = line ^ line >> 40;
        let first = (mixed as usize % self.sets) * self.lines_per_set;
        &mut self.entries[first..first + self.lines_per_set]
    }

    /// Is a line there? It counts as used now.
    pub(super) fn touch(&mut self, line: LineId) -> bool {
        self.time += 1;
        let time = self.time;
        let entry = self
            .set(line)
            .iter_mut()
            .flatten()
            .find(|(at, _)| *at == line);
        entry.map(|(_, used)| *used = time).is_some()
    }

    /// Puts a line in. Returns the one that makes space for it, the oldest that may leave.
    pub(super) fn insert(
        &mut self,
        line: LineId,
        may_leave: impl Fn(LineId) -> bool,
    ) -> Option<LineId> {
        if self.touch(line) {
            return None;
        }
        let time = self.time;
        let set = self.set(line);
        if let Some(empty) = set.iter_mut().find(|entry| entry.is_none()) {
            *empty = Some((line, time));
            return None;
        }
        let leaving = (set.iter_mut().flatten())
            .filter(|(at, _)| may_leave(*at))
            .min_by_key(|(_, used)| *used)?;
        let (left, _) = std::mem::replace(leaving, (line, time));
        Some(left)
    }
}
