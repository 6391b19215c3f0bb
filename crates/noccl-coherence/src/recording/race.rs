// SPDX-License-Identifier: Apache-2.0
//! References that conflict and that neither a synchronisation orders nor a common lock keeps apart.
//!
//! Vector clocks: a thread's own entry counts its synchronisations, and the others say up to where it has followed other threads.
//! A reference of another thread is ordered before this one if it was made at a clock that this thread has followed.

use super::RecordingError;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Bytes that are looked up together.
const GRANULE_BYTES: u64 = 8;

/// References of one thread, at one clock and with the same locks, to the bytes of a granule.
#[derive(Debug, Clone)]
struct RecordedAccess {
    thread: u8,
    clock: u32,
    locks: u32,
    read: u8,
    written: u8,
}

/// What has been referenced, and what orders it.
#[derive(Debug)]
pub(super) struct Races {
    clocks: Vec<Vec<u32>>,
    accesses: HashMap<u64, Vec<RecordedAccess>, BuildHasherDefault<Mixer>>,
    /// Sets of locks by number; the first is empty.
    locks: Vec<Vec<u32>>,
}

impl Races {
    pub(super) fn new(threads: usize) -> Self {
        let clock = |thread: usize| (0..threads).map(move |other| u32::from(other == thread));
        Self {
            clocks: (0..threads).map(|thread| clock(thread).collect()).collect(),
            accesses: HashMap::default(),
            locks: vec![Vec::new()],
        }
    }

    /// Threads meet at a barrier.
    pub(super) fn meet(&mut self, members: &[usize]) {
        let mut latest = self.clocks[members[0]].clone();
        for member in members {
            join(&mut latest, &self.clocks[*member]);
        }
        for member in members {
            self.clocks[*member].clone_from(&latest);
            self.clocks[*member][*member] += 1;
        }
        if members.len() == self.clocks.len() {
            // Everything before is ordered before everything behind.
            self.accesses.clear();
        }
    }

    /// What a thread does from now on comes after what another one has done.
    pub(super) fn follow(&mut self, thread: usize, other: usize) {
        let clock = self.clocks[other].clone();
        join(&mut self.clocks[thread], &clock);
        self.clocks[other][other] += 1;
    }

    pub(super) fn reference(
        &mut self,
        thread: usize,
        address: u64,
        bytes: u8,
        writes: bool,
        held: &[u32],
    ) -> Result<(), RecordingError> {
        let locks = self.number(held);
        let first = address / GRANULE_BYTES;
        let mask = (((1_u32 << bytes) - 1) << (address % GRANULE_BYTES)) as u16;
        for (granule, mask) in [(first, mask as u8), (first + 1, (mask >> 8) as u8)] {
            if mask != 0 {
                self.at(thread, granule, mask, writes, locks)?;
            }
        }
        Ok(())
    }

    fn number(&mut self, held: &[u32]) -> u32 {
        if held.is_empty() {
            return 0;
        }
        let known = self.locks.iter().position(|locks| locks == held);
        let number = known.unwrap_or_else(|| {
            self.locks.push(held.to_vec());
            self.locks.len() - 1
        });
        number as u32
    }

    fn at(
        &mut self,
        thread: usize,
        granule: u64,
        mask: u8,
        writes: bool,
        locks: u32,
    ) -> Result<(), RecordingError> {
        let clock = &self.clocks[thread];
        let held = &self.locks[locks as usize];
        let accesses = self.accesses.entry(granule).or_default();
        let mut own = None;
        for (at, access) in accesses.iter().enumerate() {
            let other = usize::from(access.thread);
            if other == thread {
                if access.clock == clock[thread] && access.locks == locks {
                    own = Some(at);
                }
                continue;
            }
            let conflicts = mask
                & (if writes {
                    access.read | access.written
                } else {
                    access.written
                });
            let common = held
                .iter()
                .any(|lock| self.locks[access.locks as usize].contains(lock));
            if conflicts != 0 && access.clock > clock[other] && !common {
                let address = granule * GRANULE_BYTES + u64::from(conflicts.trailing_zeros());
                return Err(race(
                    thread,
                    writes,
                    address,
                    other,
                    access.written & conflicts != 0,
                ));
            }
        }
        let at = own.unwrap_or_else(|| {
            accesses.push(RecordedAccess {
                thread: thread as u8,
                clock: clock[thread],
                locks,
                read: 0,
                written: 0,
            });
            accesses.len() - 1
        });
        let bytes = if writes {
            &mut accesses[at].written
        } else {
            &mut accesses[at].read
        };
        *bytes |= mask;
        Ok(())
    }
}

fn race(
    thread: usize,
    writes: bool,
    address: u64,
    other: usize,
    other_writes: bool,
) -> RecordingError {
    let word = |writes| if writes { "written" } else { "read" };
    RecordingError::new(
        format!("address {address:#x}"),
        format!(
            "{} by thread {other} and {} by thread {thread} without an order between them",
            word(other_writes),
            word(writes)
        ),
        "a barrier, a start or join of a thread, or a common lock between references that conflict",
    )
}

fn join(into: &mut [u32], other: &[u32]) {
    for (into, other) in into.iter_mut().zip(other) {
        *into = (*into).max(*other);
    }
}

/// A hash of addresses that costs a multiplication.
#[derive(Debug, Default)]
pub(crate) struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        let mixed = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 29;
    }
}
