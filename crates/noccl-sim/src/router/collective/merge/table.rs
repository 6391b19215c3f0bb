// SPDX-License-Identifier: Apache-2.0
//! Merge tables of responses and barriers: leaves add up, nobody blocks a FIFO.
//!
//! Mirror of `noccl_merge` (`rtl/src/collective`), cycle by cycle: one transaction per router and cycle, in round-robin order over the
//! inputs; entries in slots, the lowest free one first; a common tick and a register for what gives up.

use crate::router::collective::context::Context;
use crate::router::collective::merge::types::{JoinConfig, Timeout, Waiting};
use crate::transport::axi_response::SLVERR;
use crate::transport::flit::Flit;
use crate::transport::transaction::Trees;
use serde::{Deserialize, Serialize};

/// A timed entry gives up after seven ticks without another contribution, of eight in a timeout.
const TICKS_TO_GIVE_UP: u64 = 7;

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Merge {
    /// Leaves and worst response so far.
    flit: Flit,
    since: u64,
    slot: u8,
    /// Other contributions may have gone by before this entry was made: do not wait for ever.
    is_timed: bool,
    /// It has waited long enough.
    is_due: bool,
    /// What was merged has gone on; later contributions follow at once.
    has_passed: bool,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct MergeUnit {
    merges: Vec<Merge>,
    /// What has given up, offered from this cycle on, and its slot.
    result: Option<(u64, Flit, u8)>,
    /// The table has been too small once: some transaction's leaves went by uncounted.
    has_evicted: bool,
}

/// Merge tables of one plane; a router gets one when first needed.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Merges {
    /// Unit of each router; 0 is the empty unit of those that have none (zeroed pages cost nothing).
    unit_of: Vec<u32>,
    units: Vec<MergeUnit>,
    /// Input of each router that was served last.
    served: Vec<u8>,
    /// Entries of a table.
    limit: usize,
    tick_cycles: u64,
    /// Per router, if a grant and its decision take a cycle each; else empty.
    pub(crate) registers: Vec<MergeRegisters>,
    /// Timeouts to schedule, collected during evaluate: (cycle, entry).
    pub(super) timeouts: Vec<(u64, Timeout)>,
}

/// What a merge table with registers knows of the cycle before; inputs as bit sets.
#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct MergeRegisters {
    /// Heads of one transaction that have had their grant and are decided now.
    pub group: u8,
    /// The head, if any, that goes on and asks for its output from now on.
    pub forwarded: u8,
}

impl Merges {
    pub(crate) fn new(tiles: usize, config: &JoinConfig) -> Self {
        let registers = if config.merge_has_registers { tiles } else { 0 };
        Self {
            unit_of: vec![0; tiles],
            units: vec![MergeUnit::default()],
            served: vec![0; tiles],
            limit: config.merge_entries,
            tick_cycles: config.merge_timeout_cycles / 8,
            registers: vec![MergeRegisters::default(); registers],
            timeouts: Vec::new(),
        }
    }

    pub(crate) const fn routers(&self) -> usize {
        self.unit_of.len()
    }

    fn get(&self, r: usize) -> &MergeUnit {
        &self.units[self.unit_of[r] as usize]
    }

    fn unit(&mut self, r: usize) -> &mut MergeUnit {
        if self.unit_of[r] == 0 {
            self.unit_of[r] = self.units.len() as u32;
            self.units.push(MergeUnit::default());
        }
        &mut self.units[self.unit_of[r] as usize]
    }

    /// The head whose transaction is served: that of the next input behind the one served last.
    #[inline]
    pub(crate) fn arbitrate(&mut self, r: usize, heads: &[Option<Flit>; 5]) -> Option<Flit> {
        let last = usize::from(self.served[r]);
        let behind = (last + 1..5).find(|port| heads[*port].is_some());
        let port = behind.or_else(|| heads.iter().position(Option::is_some))?;
        self.served[r] = port as u8;
        heads[port]
    }

    /// An input is served in flight: the next one in order is that behind it.
    pub(crate) fn note_served(&mut self, r: usize, input: usize) {
        self.served[r] = input as u8;
    }

    /// Would a contribution go on at once, and for the others of its transaction too if they wait here? One that goes on because the
    /// table is full is not meant.
    pub(crate) fn goes_on(&self, r: usize, flit: Flit, leaves: u32) -> bool {
        let mut merges = self.get(r).merges.iter();
        let entry = merges.find(|m| m.flit.txn == flit.txn && m.flit.dst == flit.dst);
        entry.map_or(flit.payload == leaves, |m| {
            m.has_passed || m.flit.payload + flit.payload == leaves
        })
    }

    /// Responses or arrivals of one transaction stand at FIFO heads; `heads` is their sum, and `leaves` make it complete.
    ///
    /// Where the table is full they go on by themselves: a FIFO head may wait for its own output only. (An
    /// entry of the table in their place could want the path back to where the new contribution comes from, and two
    /// routers would wait for each other.) Returns what goes on.
    #[inline]
    pub(crate) fn merge(
        &mut self,
        r: usize,
        mut heads: Flit,
        leaves: u32,
        context: &Context<'_>,
    ) -> Option<Flit> {
        let cycle = context.cycle;
        let is_it = |m: &Merge| m.flit.txn == heads.txn && m.flit.dst == heads.dst;
        let found = self.get(r).merges.iter().position(is_it);
        if let Some(at) = found {
            return self.join_entry(r, at, heads, leaves, cycle);
        }
        if context.trees.has_shared_names() && self.is_in_use(r, heads, context.trees) {
            heads = heads.with_resp(SLVERR);
        }
        if heads.payload == leaves {
            return Some(heads);
        }
        let limit = self.limit;
        let unit = self.unit(r);
        let Some(slot) = unit.free_slot(limit) else {
            return Some(heads);
        };
        let is_timed = unit.has_evicted;
        unit.merges.push(Merge {
            flit: heads,
            since: cycle,
            slot,
            is_timed,
            is_due: false,
            has_passed: false,
        });
        if is_timed {
            self.arm(r, heads.txn, cycle);
        }
        None
    }

    /// Do another barrier's contributions wait here under the same name? Those that have passed may be over.
    fn is_in_use(&self, r: usize, heads: Flit, trees: &Trees) -> bool {
        let name = trees.name_of(heads.txn);
        let mut merges = self.get(r).merges.iter();
        merges
            .any(|m| !m.has_passed && m.flit.dst == heads.dst && trees.name_of(m.flit.txn) == name)
    }

    /// More contributions of table entry `at` have come.
    fn join_entry(
        &mut self,
        r: usize,
        at: usize,
        heads: Flit,
        leaves: u32,
        cycle: u64,
    ) -> Option<Flit> {
        let unit = self.unit(r);
        let entry = &mut unit.merges[at];
        let (has_passed, is_timed) = (entry.has_passed, entry.is_timed);
        let merged = sum(entry.flit, heads);
        entry.flit = merged;
        entry.since = cycle;
        entry.is_due = false;
        let is_complete = merged.payload == leaves;
        if is_complete {
            unit.merges.remove(at);
        }
        if has_passed {
            return Some(heads);
        }
        if is_complete {
            return Some(merged);
        }
        if is_timed {
            self.arm(r, heads.txn, cycle);
        }
        None
    }

    fn arm(&mut self, r: usize, txn: u32, cycle: u64) {
        let entry = Timeout {
            router: r as u32,
            txn,
            since: cycle,
        };
        let due = ((cycle + 1) / self.tick_cycles + TICKS_TO_GIVE_UP) * self.tick_cycles;
        self.timeouts.push((due, entry));
    }

    /// The entry is due unless another contribution has come in the meantime. Returns whether it is.
    pub(crate) fn time_out(&mut self, entry: Timeout) -> bool {
        let unit = self.unit(entry.router as usize);
        let is_it =
            |m: &&mut Merge| m.flit.txn == entry.txn && m.since == entry.since && !m.has_passed;
        let Some(merge) = unit.merges.iter_mut().find(is_it) else {
            return false;
        };
        merge.is_due = true;
        true
    }

    /// The lowest entry that is due gives up if nothing that has given up is waiting. Returns what is offered in this
    /// cycle, and whether there is something for the next one.
    pub(crate) fn offer(&mut self, r: usize, cycle: u64) -> (Option<Flit>, bool) {
        if self.unit_of[r] == 0 {
            return (None, false);
        }
        let unit = self.unit(r);
        if unit.result.is_none() {
            let due = unit.merges.iter_mut().filter(|m| m.is_due);
            if let Some(merge) = due.min_by_key(|m| m.slot) {
                merge.is_due = false;
                merge.has_passed = true;
                unit.result = Some((cycle + 1, merge.flit, merge.slot));
            }
        }
        let offered = unit.result.filter(|(from, ..)| *from <= cycle);
        let is_busy = unit.result.is_some() || unit.merges.iter().any(|m| m.is_due);
        (offered.map(|(_, flit, _)| flit), is_busy)
    }

    /// What has given up and not left.
    pub(crate) fn oldest_result(&self, r: usize) -> Option<(u64, Flit)> {
        let (from, flit, _) = self.get(r).result?;
        Some((from, flit))
    }

    /// The offered entry has been granted its output.
    pub(crate) fn take_result(&mut self, r: usize) -> Option<Flit> {
        let unit = self.unit_of[r] as usize;
        Some(self.units[unit].result.take()?.1)
    }

    /// Entries of a router's table, for diagnosis. What has passed waits for nobody: its entry is only a memory
    /// of it.
    pub(crate) fn waiting_at(&self, r: usize) -> impl Iterator<Item = Waiting> + '_ {
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

impl MergeUnit {
    /// The slot of a new entry, if there is one.
    fn free_slot(&mut self, limit: usize) -> Option<u8> {
        // The entry of a result is still needed.
        let pinned = self.result.map(|(.., slot)| slot);
        let used = |slot: &u8| Some(*slot) == pinned || self.merges.iter().any(|m| m.slot == *slot);
        if let Some(free) = (0..=u8::MAX).take(limit).find(|slot| !used(slot)) {
            return Some(free);
        }
        self.has_evicted = true;
        // An entry whose contributions have passed is only a memory of them: it gives its slot up.
        let passed = self.merges.iter().enumerate();
        let passed = passed.filter(|(_, m)| m.has_passed && Some(m.slot) != pinned);
        let (at, slot) = passed
            .map(|(at, m)| (at, m.slot))
            .min_by_key(|(_, slot)| *slot)?;
        self.merges.remove(at);
        Some(slot)
    }
}

/// Contributions of one transaction as one flit.
#[inline]
pub(crate) fn sum(first: Flit, second: Flit) -> Flit {
    Flit {
        payload: first.payload + second.payload,
        ..second
    }
    .with_resp(first.resp().max(second.resp()))
}
