// SPDX-License-Identifier: Apache-2.0
//! Merge tables of responses and barriers: leaves add up, nobody blocks a FIFO.

use super::{Timeout, Verdict, Waiting};
use crate::flit::Flit;
use noccl_net::deadlock::MERGE_TIMEOUT_CYCLES;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Merge {
    /// Leaves and worst response so far.
    flit: Flit,
    since: u64,
    /// Siblings may have gone by before this entry was made: do not wait for ever.
    is_timed: bool,
    /// What was merged has gone on; later siblings follow at once.
    has_passed: bool,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Unit {
    merges: Vec<Merge>,
    /// Entries that go on alone, since these cycles.
    results: VecDeque<(u64, Flit)>,
    /// The table has been too small once: some transaction's leaves went by uncounted.
    has_evicted: bool,
}

/// Merge tables of one plane; a router gets one when first needed.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Merges {
    /// Unit of each router; 0 is the empty unit of those that have none (zeroed pages cost nothing).
    unit_of: Vec<u32>,
    units: Vec<Unit>,
    /// Entries of a table.
    limit: usize,
    /// Timeouts to schedule, collected during evaluate: (cycle, entry).
    pub timeouts: Vec<(u64, Timeout)>,
}

impl Merges {
    pub(super) fn new(tiles: usize, limit: usize) -> Self {
        Self {
            unit_of: vec![0; tiles],
            units: vec![Unit::default()],
            limit,
            timeouts: Vec::new(),
        }
    }

    pub(super) const fn routers(&self) -> usize {
        self.unit_of.len()
    }

    fn get(&self, r: usize) -> &Unit {
        &self.units[self.unit_of[r] as usize]
    }

    fn unit(&mut self, r: usize) -> &mut Unit {
        if self.unit_of[r] == 0 {
            self.unit_of[r] = self.units.len() as u32;
            self.units.push(Unit::default());
        }
        &mut self.units[self.unit_of[r] as usize]
    }

    /// A response or arrival stands at a FIFO head and `leaves` make it complete.
    ///
    /// Where the table is full it goes on by itself: a FIFO head may wait for its own output only. (An
    /// entry of the table in its place could want the way back to where the newcomer comes from, and two
    /// routers would wait for each other.)
    pub(super) fn merge(&mut self, r: usize, flit: Flit, leaves: u32, cycle: u64) -> Verdict {
        let limit = self.limit;
        let unit = self.unit(r);
        if let Some(at) = unit.merges.iter().position(|m| m.flit.txn == flit.txn) {
            return self.join_entry(r, at, flit, leaves, cycle);
        }
        if unit.merges.len() == limit {
            unit.has_evicted = true;
            // An entry whose contributions have passed is only a memory of them: it makes room.
            let Some(passed) = unit.merges.iter().position(|m| m.has_passed) else {
                return Verdict::Forward(flit);
            };
            unit.merges.remove(passed);
        }
        let is_timed = unit.has_evicted;
        unit.merges.push(Merge {
            flit,
            since: cycle,
            is_timed,
            has_passed: false,
        });
        if is_timed {
            self.arm(r, flit.txn, cycle);
        }
        Verdict::Absorb
    }

    /// A sibling of table entry `at` has come.
    fn join_entry(&mut self, r: usize, at: usize, flit: Flit, leaves: u32, cycle: u64) -> Verdict {
        let unit = self.unit(r);
        let entry = &mut unit.merges[at];
        let seen = entry.flit.payload + flit.payload;
        let is_complete = seen == leaves;
        let (has_passed, is_timed) = (entry.has_passed, entry.is_timed);
        let merged = Flit {
            payload: seen,
            ..flit
        }
        .with_resp(entry.flit.resp().max(flit.resp()));
        entry.flit = merged;
        entry.since = cycle;
        if is_complete {
            unit.merges.remove(at);
        }
        if has_passed {
            return Verdict::Forward(flit);
        }
        if is_complete {
            return Verdict::Forward(merged);
        }
        if is_timed {
            self.arm(r, flit.txn, cycle);
        }
        Verdict::Absorb
    }

    fn arm(&mut self, r: usize, txn: u32, cycle: u64) {
        let entry = Timeout {
            router: r as u32,
            txn,
            since: cycle,
        };
        self.timeouts
            .push((cycle + u64::from(MERGE_TIMEOUT_CYCLES), entry));
    }

    /// The entry goes on alone unless a sibling has come in the meantime. Returns whether it does.
    pub(super) fn time_out(&mut self, entry: Timeout, cycle: u64) -> bool {
        let unit = self.unit(entry.router as usize);
        let is_due =
            |m: &&mut Merge| m.flit.txn == entry.txn && m.since == entry.since && !m.has_passed;
        let Some(merge) = unit.merges.iter_mut().find(is_due) else {
            return false;
        };
        merge.has_passed = true;
        unit.results.push_back((cycle, merge.flit));
        true
    }

    /// The oldest entry that goes on alone.
    pub(super) fn oldest_result(&self, r: usize) -> Option<(u64, Flit)> {
        self.get(r).results.front().copied()
    }

    /// The offered entry has been granted its output.
    pub(super) fn take_result(&mut self, r: usize) -> Option<Flit> {
        let unit = self.unit_of[r] as usize;
        Some(self.units[unit].results.pop_front()?.1)
    }

    /// Entries of a router's table, for diagnosis. What has passed waits for nobody: its entry is only a memory
    /// of it.
    pub(super) fn waiting_at(&self, r: usize) -> impl Iterator<Item = Waiting> + '_ {
        let merges = self.get(r).merges.iter().filter(|m| !m.has_passed);
        merges.map(move |m| Waiting {
            router: r,
            txn: m.flit.txn,
            beat: None,
            have: 0,
            since: m.since,
        })
    }
}
