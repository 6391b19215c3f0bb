// SPDX-License-Identifier: Apache-2.0
//! Merge tables of responses and barriers: leaves add up, nobody blocks a FIFO.

use super::{Joins, Merge, Timeout, Verdict};
use crate::flit::Flit;

/// A timed entry that no sibling joins for so long goes on alone.
const MERGE_TIMEOUT_CYCLES: u64 = 256;

impl Joins {
    /// A response or arrival stands at a FIFO head and `leaves` make it complete.
    ///
    /// Where the table is full it goes on by itself: a FIFO head may wait for its own output only. (An
    /// entry of the table in its place could want the way back to where the newcomer comes from, and two
    /// routers would wait for each other.)
    pub(super) fn merge(&mut self, r: usize, flit: Flit, leaves: u32, cycle: u64) -> Verdict {
        let limit = self.config.merge_entries;
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
        self.timeouts.push((cycle + MERGE_TIMEOUT_CYCLES, entry));
    }

    /// The entry goes on alone unless a sibling has come in the meantime. Returns whether it does.
    pub(crate) fn time_out(&mut self, entry: Timeout, cycle: u64) -> bool {
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
}
