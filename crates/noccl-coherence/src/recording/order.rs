// SPDX-License-Identifier: Apache-2.0
//! Takes the threads of a recording in an order that their synchronisations allow.
//!
//! Locks order nothing here: who gets one first is decided on the simulated machine. What they protect is checked by the locks held.

use super::race::Races;
use super::{Cursor, Log, RecordedEvent, RecordingError};
use std::collections::BTreeMap;

/// Where a thread is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OrderState {
    NotStarted,
    Runs,
    AtBarrier(u32),
    Joins(usize),
    Ended,
}

struct Replay<'a> {
    states: Vec<OrderState>,
    cursors: Vec<Cursor<'a>>,
    held: Vec<Vec<u32>>,
    /// Threads of each barrier.
    members: BTreeMap<u32, Vec<usize>>,
}

/// Replays a recording, and tells `races` of everything.
pub(super) fn replay(log: &Log, races: &mut Races) -> Result<(), RecordingError> {
    let mut replay = Replay::new(log);
    loop {
        let mut has_moved = false;
        for thread in 0..log.num_threads() {
            has_moved |= replay.advance(thread, races)?;
        }
        if replay
            .states
            .iter()
            .all(|state| *state == OrderState::Ended)
        {
            return Ok(());
        }
        if !has_moved {
            return Err(replay.stuck());
        }
    }
}

impl<'a> Replay<'a> {
    fn new(log: &'a Log) -> Self {
        let threads = log.num_threads();
        let mut states = vec![OrderState::Runs; threads];
        let mut members: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for thread in 0..threads {
            for event in log.events(thread) {
                match event {
                    RecordedEvent::Start(other) if (other as usize) < threads => {
                        states[other as usize] = OrderState::NotStarted;
                    }
                    RecordedEvent::Barrier(id) => {
                        let members = members.entry(id).or_default();
                        if members.last() != Some(&thread) {
                            members.push(thread);
                        }
                    }
                    RecordedEvent::Read(..)
                    | RecordedEvent::Write(..)
                    | RecordedEvent::Lock(_)
                    | RecordedEvent::Unlock(_)
                    | RecordedEvent::Start(_)
                    | RecordedEvent::Join(_) => {}
                }
            }
        }
        Self {
            states,
            cursors: (0..threads).map(|thread| log.events(thread)).collect(),
            held: vec![Vec::new(); threads],
            members,
        }
    }

    /// A thread goes on as far as it can. True if it has moved.
    fn advance(&mut self, thread: usize, races: &mut Races) -> Result<bool, RecordingError> {
        match self.states[thread] {
            OrderState::NotStarted | OrderState::Ended => return Ok(false),
            OrderState::AtBarrier(id) => {
                let members = &self.members[&id];
                if members
                    .iter()
                    .any(|other| self.states[*other] != OrderState::AtBarrier(id))
                {
                    return Ok(false);
                }
                races.meet(members);
                for member in members {
                    self.states[*member] = OrderState::Runs;
                }
            }
            OrderState::Joins(other) => {
                if self.states[other] != OrderState::Ended {
                    return Ok(false);
                }
                races.follow(thread, other);
                self.states[thread] = OrderState::Runs;
            }
            OrderState::Runs => {}
        }
        while self.states[thread] == OrderState::Runs {
            self.step(thread, races)?;
        }
        Ok(true)
    }

    fn step(&mut self, thread: usize, races: &mut Races) -> Result<(), RecordingError> {
        let Some(event) = self.cursors[thread].next() else {
            if let Some(id) = self.held[thread].first() {
                return Err(wrong(thread, format!("lock {id} at its end"), "none held"));
            }
            self.states[thread] = OrderState::Ended;
            return Ok(());
        };
        match event {
            RecordedEvent::Read(address, bytes) => {
                races.reference(thread, address, bytes, false, &self.held[thread])?;
            }
            RecordedEvent::Write(address, bytes) => {
                races.reference(thread, address, bytes, true, &self.held[thread])?;
            }
            RecordedEvent::Lock(id) => {
                if self.held[thread].contains(&id) {
                    return Err(wrong(
                        thread,
                        format!("lock {id} twice"),
                        "locks not held yet",
                    ));
                }
                self.held[thread].push(id);
            }
            RecordedEvent::Unlock(id) => {
                let at = self.held[thread].iter().position(|held| *held == id);
                let at = at.ok_or_else(|| wrong(thread, format!("unlock {id}"), "locks held"))?;
                self.held[thread].remove(at);
            }
            RecordedEvent::Barrier(id) => self.states[thread] = OrderState::AtBarrier(id),
            RecordedEvent::Start(other) => {
                let other = self.other(thread, other)?;
                if self.states[other] != OrderState::NotStarted {
                    return Err(wrong(
                        thread,
                        format!("starts {other}"),
                        "threads not started",
                    ));
                }
                races.follow(other, thread);
                self.states[other] = OrderState::Runs;
            }
            RecordedEvent::Join(other) => {
                self.states[thread] = OrderState::Joins(self.other(thread, other)?)
            }
        }
        Ok(())
    }

    fn other(&self, thread: usize, other: u32) -> Result<usize, RecordingError> {
        let last = self.states.len() - 1;
        let other = other as usize;
        if other <= last && other != thread {
            return Ok(other);
        }
        Err(wrong(
            thread,
            format!("thread {other}"),
            &format!("another one of 0 to {last}"),
        ))
    }

    fn stuck(&self) -> RecordingError {
        let waits = self.states.iter().enumerate();
        let mut waits = waits.filter(|(_, state)| **state != OrderState::Ended);
        let (thread, state) = waits.next().expect("some thread has not ended");
        let found = match state {
            OrderState::AtBarrier(id) => {
                format!("barrier {id}, to which another of its threads never comes")
            }
            OrderState::Joins(other) => format!("join of thread {other}, which never ends"),
            OrderState::NotStarted | OrderState::Runs | OrderState::Ended => {
                "never started".to_owned()
            }
        };
        wrong(thread, found, "synchronisations that all threads pass")
    }
}

fn wrong(thread: usize, found: String, accepted: &str) -> RecordingError {
    RecordingError::new(format!("thread {thread}"), found, accepted)
}
