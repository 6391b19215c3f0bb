// SPDX-License-Identifier: Apache-2.0
//! Merge points that never block a FIFO (router flow `non_blocking`).
//!
//! A contribution that arrives before its siblings leaves the FIFO and waits in a table of the router:
//!
//! - *Responses and barriers* (S1's CollectB and LsbAnd) carry how many leaves they stand for. The one
//!   that makes a subtree complete goes on in the same cycle, for the others as well. A full table
//!   swaps its oldest entry for the newcomer; siblings of the evicted one would then wait for leaves that
//!   have gone by, so entries made after an eviction go on when they have waited too long. The home NI
//!   adds up leaves: merging saves flits and never decides correctness.
//! - *Wide reductions* keep every operand of a beat in a store (the tile's L1) until all have come, then
//!   the arithmetic unit folds them in port order. Order of arrival never changes the result.
//!
//! The published router makes contributions wait at FIFO heads instead: two transactions that arrive in
//! different orders at two ports then wait for each other forever (`docs/design/0001`).
//! Source: S1 §3.1.3–3.1.4.

use crate::flit::{Flit, FlitKind, LAST, OWN_COPY};
use crate::plane::Context;
use noccl_net::Coord;
use noccl_net::tree::{join_set, leaves_through};
use noccl_workload::number::fold_into;
use std::collections::VecDeque;

/// A timed entry that no sibling joins for so long goes on alone.
const MERGE_TIMEOUT_CYCLES: u64 = 256;

/// Sizes and latencies of the units, from the spec.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JoinConfig {
    pub merge_entries: usize,
    pub store_beats: u32,
    pub cut_cycles: u64,
    /// Additions per cycle: 1 (two operands) or 2 (three operands).
    pub adds_per_cycle: u64,
}

/// What a contribution at a FIFO head does this cycle.
pub(crate) enum Verdict {
    /// Stays (the store is full).
    Wait,
    /// Leaves the FIFO, waits in the table.
    Absorb,
    /// Goes on as this flit.
    Forward(Flit),
}

/// What the unit offers to the output arbiters.
pub(crate) struct Offer {
    pub result: Option<Flit>,
    /// Must the router be visited next cycle?
    pub is_busy: bool,
}

/// An entry of a merge table that may time out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timeout {
    pub router: u32,
    pub txn: u32,
    pub since: u64,
}

/// A contribution that waits in a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Waiting {
    pub router: usize,
    pub txn: u32,
    /// Beat of a wide reduction; `None` for responses and barriers.
    pub beat: Option<u16>,
    /// Wide reductions: inputs whose operand has come.
    pub have: u8,
    pub since: u64,
}

#[derive(Debug, Clone, Copy)]
struct Merge {
    /// Leaves and worst response so far.
    flit: Flit,
    since: u64,
    /// Siblings may have gone by before this entry was made: do not wait for ever.
    is_timed: bool,
    /// What was merged has gone on; later siblings follow at once.
    has_passed: bool,
}

#[derive(Debug, Clone, Copy)]
struct Operands {
    txn: u32,
    beat: u16,
    have: u8,
    slots: [u32; 5],
    flags: u8,
    since: u64,
}

#[derive(Debug, Default)]
struct Unit {
    merges: Vec<Merge>,
    waiting: Vec<Operands>,
    ready: VecDeque<Operands>,
    results: VecDeque<(u64, Flit)>,
    next_issue: u64,
    stored_beats: u32,
    /// The merge table has been too small once: some transaction's leaves went by uncounted.
    has_evicted: bool,
}

/// Merge and reduction units of one plane; a router gets one when first needed.
#[derive(Debug)]
pub(crate) struct Joins {
    unit_of: Vec<u32>,
    units: Vec<Unit>,
    config: JoinConfig,
    /// Timeouts to schedule, collected during evaluate: (cycle, entry).
    pub timeouts: Vec<(u64, Timeout)>,
    /// Elements × beats folded, for energy.
    pub folded_beats: u64,
    /// A contribution had to stay in its FIFO because a store was full, last in this cycle.
    pub store_full_cycle: Option<u64>,
}

impl Joins {
    pub(crate) fn new(tiles: usize, config: JoinConfig) -> Self {
        Self {
            unit_of: vec![u32::MAX; tiles],
            units: Vec::new(),
            config,
            timeouts: Vec::new(),
            folded_beats: 0,
            store_full_cycle: None,
        }
    }

    fn unit(&mut self, r: usize) -> &mut Unit {
        if self.unit_of[r] == u32::MAX {
            self.unit_of[r] = self.units.len() as u32;
            self.units.push(Unit::default());
        }
        &mut self.units[self.unit_of[r] as usize]
    }

    /// A contribution stands at the head of input `port` of router `r`.
    pub(crate) fn arrive(
        &mut self,
        r: usize,
        here: Coord,
        port: usize,
        flit: Flit,
        context: &Context<'_>,
    ) -> Verdict {
        let tree = context.trees.tree(flit.txn);
        if flit.kind == FlitKind::Reduce {
            let expected = join_set(here, tree.set, tree.root);
            return if expected.count_ones() == 1 {
                Verdict::Forward(flit)
            } else {
                self.store_operand(r, port, flit, expected, context.cycle)
            };
        }
        // The initiator's own answer never leaves its NI.
        let own = u32::from(flit.flags & OWN_COPY != 0 && here == tree.root);
        let leaves = leaves_through(here, tree.set, tree.root) - own;
        if flit.payload == leaves {
            return Verdict::Forward(flit);
        }
        self.merge(r, flit, leaves, context.cycle)
    }

    fn merge(&mut self, r: usize, flit: Flit, leaves: u32, cycle: u64) -> Verdict {
        let limit = self.config.merge_entries;
        let unit = self.unit(r);
        if let Some(at) = unit.merges.iter().position(|m| m.flit.txn == flit.txn) {
            return self.join_entry(r, at, flit, leaves, cycle);
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
        let unit = self.unit(r);
        if unit.merges.len() <= limit {
            return Verdict::Absorb;
        }
        unit.has_evicted = true;
        // An entry whose contributions have passed is only a memory of them: drop that first.
        let oldest = unit.merges.iter().position(|m| m.has_passed).unwrap_or(0);
        let evicted = unit.merges.remove(oldest);
        if evicted.has_passed {
            return Verdict::Absorb;
        }
        // Oldest entry and newcomer change places: no room is needed, nobody waits.
        Verdict::Forward(evicted.flit)
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

    fn store_operand(
        &mut self,
        r: usize,
        port: usize,
        flit: Flit,
        expected: u8,
        cycle: u64,
    ) -> Verdict {
        let limit = self.config.store_beats;
        let unit = self.unit(r);
        let found = unit
            .waiting
            .iter()
            .position(|o| o.txn == flit.txn && o.beat == flit.beat);
        let have = found.map_or(0, |at| unit.waiting[at].have);
        let completes = have | 1 << port == expected;
        if have >> port & 1 != 0 || (!completes && unit.stored_beats >= limit) {
            self.store_full_cycle = Some(cycle);
            return Verdict::Wait;
        }
        unit.stored_beats += 1;
        let at = found.unwrap_or_else(|| {
            let empty = Operands {
                txn: flit.txn,
                beat: flit.beat,
                have: 0,
                slots: [0; 5],
                flags: 0,
                since: cycle,
            };
            unit.waiting.push(empty);
            unit.waiting.len() - 1
        });
        let entry = &mut unit.waiting[at];
        entry.have |= 1 << port;
        entry.slots[port] = flit.payload;
        entry.flags |= flit.flags;
        if completes {
            let complete = unit.waiting.remove(at);
            unit.ready.push_back(complete);
        }
        Verdict::Absorb
    }

    /// Published unit: all operands stand at FIFO heads, the addition starts now.
    pub(crate) fn issue(
        &mut self,
        r: usize,
        here: Coord,
        flit: Flit,
        slots: [u32; 5],
        context: &Context<'_>,
    ) {
        let tree = context.trees.tree(flit.txn);
        let have = join_set(here, tree.set, tree.root);
        let operands = Operands {
            txn: flit.txn,
            beat: flit.beat,
            have,
            slots,
            flags: flit.flags,
            since: context.cycle,
        };
        let unit = self.unit(r);
        unit.stored_beats += have.count_ones();
        unit.ready.push_back(operands);
    }

    /// Has the unit of a router results that have not left?
    pub(crate) fn has_results(&self, r: usize) -> bool {
        self.units
            .get(self.unit_of[r] as usize)
            .is_some_and(|u| !u.results.is_empty() || !u.ready.is_empty())
    }

    /// Starts an addition if one is ready, and shows the oldest finished result.
    pub(crate) fn offer(&mut self, r: usize, context: &mut Context<'_>) -> Offer {
        let cycle = context.cycle;
        let config = self.config;
        let Some(unit) = self.units.get_mut(self.unit_of[r] as usize) else {
            return Offer {
                result: None,
                is_busy: false,
            };
        };
        if cycle >= unit.next_issue {
            if let Some(operands) = unit.ready.pop_front() {
                let tree = context.trees.tree(operands.txn);
                let adds = u64::from(operands.have.count_ones()) - 1;
                let busy = adds.div_ceil(config.adds_per_cycle);
                unit.stored_beats -= operands.have.count_ones();
                unit.next_issue =
                    cycle + busy + share_fpus(&mut context.fpu_busy_until[r], cycle, busy);
                let done = cycle + adds * u64::from(tree.add_cycles) + config.cut_cycles;
                let flit = Flit {
                    txn: operands.txn,
                    dst: crate::flit::pack(tree.root),
                    payload: 0,
                    beat: operands.beat,
                    kind: FlitKind::Reduce,
                    flags: operands.flags & LAST,
                };
                let payload = fold(&operands, context);
                unit.results.push_back((done, Flit { payload, ..flit }));
                self.folded_beats += adds;
            }
        }
        let result = unit
            .results
            .front()
            .filter(|(done, _)| *done <= cycle)
            .map(|(_, flit)| *flit);
        Offer {
            result,
            is_busy: !unit.ready.is_empty() || !unit.results.is_empty(),
        }
    }

    /// The offered result has been granted its output.
    pub(crate) fn take_result(&mut self, r: usize) -> Flit {
        let unit = &mut self.units[self.unit_of[r] as usize];
        unit.results
            .pop_front()
            .expect("only an offered result is granted")
            .1
    }

    /// Contributions that wait in tables, for diagnosis.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = Waiting> + '_ {
        (0..self.unit_of.len()).flat_map(move |r| self.waiting_at(r))
    }

    /// Contributions that wait in the tables of one router.
    pub(crate) fn waiting_at(&self, r: usize) -> impl Iterator<Item = Waiting> + '_ {
        let unit = self.units.get(self.unit_of[r] as usize);
        unit.into_iter().flat_map(move |unit| {
            let entry = move |txn, beat, have, since| Waiting {
                router: r,
                txn,
                beat,
                have,
                since,
            };
            // What has passed waits for nobody: its entry is only a memory of it.
            let merges = unit.merges.iter().filter(|m| !m.has_passed);
            let operands = unit.waiting.iter();
            merges
                .map(move |m| entry(m.flit.txn, None, 0, m.since))
                .chain(operands.map(move |o| entry(o.txn, Some(o.beat), o.have, o.since)))
        })
    }

    /// The oldest finished result of a router's unit, for diagnosis.
    pub(crate) fn oldest_result(&self, r: usize) -> Option<(u64, Flit)> {
        let unit = self.units.get(self.unit_of[r] as usize)?;
        unit.results.front().copied()
    }
}

/// Cores and network share the FPUs in turns (S1 §3.2.1): each slows the other down by its own use.
fn share_fpus(busy_until: &mut u64, cycle: u64, busy: u64) -> u64 {
    if *busy_until <= cycle {
        return 0;
    }
    *busy_until += busy;
    busy
}

/// Folds the operands of one beat from the left in port order.
fn fold(operands: &Operands, context: &mut Context<'_>) -> u32 {
    let tree = *context.trees.tree(operands.txn);
    let mut slots = (0..5)
        .filter(|p| operands.have >> p & 1 != 0)
        .map(|p| operands.slots[p]);
    if !context.is_value {
        return slots.sum();
    }
    let first = slots.next().expect("a merge point has operands");
    let mut sum = *context.pool.bytes(first);
    context.pool.release(first);
    for slot in slots {
        fold_into(
            &mut sum,
            context.pool.bytes(slot),
            tree.operator,
            tree.element,
        );
        context.pool.release(slot);
    }
    context.pool.put(sum)
}
