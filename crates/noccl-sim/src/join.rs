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
//!   the arithmetic unit folds them in port order. Order of arrival never changes the result. A sender
//!   (NI or merge point) has at most a window of beats of one transaction under way to its next merge
//!   point, which gives the room back as it folds: the store has a place for every beat that comes, so
//!   no contribution ever waits in a FIFO while the stated number of reductions is open.
//!
//! The published router makes contributions wait at FIFO heads instead: two transactions that arrive in
//! different orders at two ports then wait for each other forever (`docs/design/0001`).
//! Source: S1 §3.1.3–3.1.4.

use crate::flit::{Flit, FlitKind, LAST, OWN_COPY, RESPONSE, unpack};
use crate::plane::Context;
use crate::txn::Tree;
use noccl_net::tree::{join_set, leaves_through};
use noccl_net::{Coord, Port, xy_port};
use noccl_workload::number::fold_into;
use std::collections::VecDeque;

/// A timed entry that no sibling joins for so long goes on alone.
const MERGE_TIMEOUT_CYCLES: u64 = 256;

/// Sizes and latencies of the units, from the spec.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JoinConfig {
    pub merge_entries: usize,
    pub store_beats: u32,
    pub window_beats: u32,
    /// The published unit has no windows: its contributions wait in FIFOs.
    pub has_windows: bool,
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
    /// Who sent each operand (packed coordinate).
    senders: [u32; 5],
    flags: u8,
    since: u64,
}

/// Room given back to a sender (while it is owed, `from` is the input port).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Credit {
    pub txn: u32,
    pub from: u32,
    /// Packed coordinate of the sender.
    pub to: u32,
    pub beats: u32,
}

/// A transaction whose partial sums leave this merge point.
#[derive(Debug, Clone, Copy)]
struct Flow {
    txn: u32,
    /// Beats under way to the next merge point.
    under_way: u32,
    /// Most beats that may be; unlimited where no merge point is ahead.
    window: u32,
}

#[derive(Debug, Default)]
struct Unit {
    merges: Vec<Merge>,
    waiting: Vec<Operands>,
    ready: VecDeque<Operands>,
    results: VecDeque<(u64, Flit)>,
    flows: Vec<Flow>,
    /// Credits not yet sent: they go in batches.
    owed: Vec<Credit>,
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
    /// Credits to send, collected during evaluate.
    pub credits: Vec<Credit>,
    /// Element operations, for energy.
    pub folded_elements: u64,
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
            credits: Vec::new(),
            folded_elements: 0,
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
                senders: [0; 5],
                flags: 0,
                since: cycle,
            };
            unit.waiting.push(empty);
            unit.waiting.len() - 1
        });
        let entry = &mut unit.waiting[at];
        entry.have |= 1 << port;
        entry.slots[port] = flit.payload;
        entry.senders[port] = flit.dst;
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
            senders: [flit.dst; 5],
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
    pub(crate) fn offer(&mut self, r: usize, here: Coord, context: &mut Context<'_>) -> Offer {
        let cycle = context.cycle;
        let Some(unit) = self.units.get_mut(self.unit_of[r] as usize) else {
            return Offer {
                result: None,
                is_busy: false,
            };
        };
        if cycle >= unit.next_issue
            && !unit.ready.is_empty()
            && let Some(at) = unit.next_with_room(here, &self.config, context)
        {
            self.start_addition(r, at, here, context);
        }
        let unit = &mut self.units[self.unit_of[r] as usize];
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

    fn start_addition(&mut self, r: usize, at: usize, here: Coord, context: &mut Context<'_>) {
        let (cycle, config) = (context.cycle, self.config);
        let unit = &mut self.units[self.unit_of[r] as usize];
        let operands = unit.ready.remove(at).expect("the index was just found");
        let tree = *context.trees.tree(operands.txn);
        let adds = u64::from(operands.have.count_ones()) - 1;
        let busy = adds.div_ceil(config.adds_per_cycle);
        unit.stored_beats -= operands.have.count_ones();
        unit.next_issue = cycle + busy + share_fpus(&mut context.fpu_busy_until[r], cycle, busy);
        let done = cycle + adds * u64::from(tree.add_cycles) + config.cut_cycles;
        if config.has_windows {
            let beats = context.trees.beats(operands.txn);
            unit.account(&operands, beats);
            unit.give_back(r, here, &operands, beats, &config, &mut self.credits);
        }
        let flit = Flit {
            txn: operands.txn,
            dst: crate::flit::pack(here),
            payload: fold(&operands, context),
            beat: operands.beat,
            kind: FlitKind::Reduce,
            flags: operands.flags & (LAST | RESPONSE),
        };
        let unit = &mut self.units[self.unit_of[r] as usize];
        unit.results.push_back((done, flit));
        self.folded_elements += adds * (64 / tree.element.bytes());
    }

    /// Room at the next merge point for a transaction that leaves router `r`. Returns whether the unit
    /// was the sender; otherwise the tile's NI is.
    pub(crate) fn take_credit(&mut self, r: usize, txn: u32, beats: u32) -> bool {
        let Some(unit) = self.units.get_mut(self.unit_of[r] as usize) else {
            return false;
        };
        let Some(flow) = unit.flows.iter_mut().find(|f| f.txn == txn) else {
            return false;
        };
        flow.under_way -= beats;
        true
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
            let operands = unit.waiting.iter().chain(&unit.ready);
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

/// Credits go back in batches: one response flit for so many beats.
const CREDIT_BATCH_BEATS: u32 = 4;

impl Unit {
    /// Oldest complete beat whose next merge point has room for it.
    fn next_with_room(
        &mut self,
        here: Coord,
        config: &JoinConfig,
        context: &Context<'_>,
    ) -> Option<usize> {
        if !config.has_windows {
            return Some(0);
        }
        for at in 0..self.ready.len() {
            let txn = self.ready[at].txn;
            let flow = self
                .flows
                .iter()
                .find(|f| f.txn == txn)
                .copied()
                .unwrap_or_else(|| {
                    let window =
                        window_ahead(here, context.trees.tree(txn), false, config.window_beats);
                    let flow = Flow {
                        txn,
                        under_way: 0,
                        window,
                    };
                    self.flows.push(flow);
                    flow
                });
            if flow.under_way < flow.window {
                return Some(at);
            }
        }
        None
    }

    /// One more beat is under way to the next merge point; after the last one nothing comes back.
    fn account(&mut self, operands: &Operands, beats: u16) {
        let Some(at) = self.flows.iter().position(|f| f.txn == operands.txn) else {
            return;
        };
        self.flows[at].under_way += 1;
        if operands.beat + 1 == beats {
            self.flows.swap_remove(at);
        }
    }

    /// Returns the room of folded operands to their senders, as long as they have more to send.
    fn give_back(
        &mut self,
        r: usize,
        here: Coord,
        operands: &Operands,
        beats: u16,
        config: &JoinConfig,
        out: &mut Vec<Credit>,
    ) {
        let (beat, beats) = (u32::from(operands.beat), u32::from(beats));
        for port in (0..5).filter(|p| operands.have >> p & 1 != 0) {
            let (txn, to) = (operands.txn, operands.senders[port]);
            let window = window_over(here.hops_to(unpack(to)), config.window_beats);
            if beat + window >= beats {
                continue;
            }
            let is_final = beat + window + 1 == beats;
            let at = self
                .owed
                .iter()
                .position(|c| c.txn == txn && c.from as usize == port);
            let at = at.unwrap_or_else(|| {
                self.owed.push(Credit {
                    txn,
                    from: port as u32,
                    to,
                    beats: 0,
                });
                self.owed.len() - 1
            });
            self.owed[at].beats += 1;
            if is_final || self.owed[at].beats == CREDIT_BATCH_BEATS {
                let owed = self.owed.swap_remove(at);
                out.push(Credit {
                    from: r as u32,
                    ..owed
                });
            }
        }
    }
}

/// Beats on the way over each further hop and back: two cycles a hop for the beat, two for the credit.
const WINDOW_BEATS_PER_HOP: u32 = 4;

/// Window between merge points that are `hops` apart: the spec's for neighbours, more over a distance, so
/// that members of strided groups keep one beat per cycle.
const fn window_over(hops: u32, window_beats: u32) -> u32 {
    window_beats + WINDOW_BEATS_PER_HOP * hops.saturating_sub(1)
}

/// Window of a contribution that leaves `here`: unlimited if it meets no siblings on its way to the root.
pub(crate) fn window_ahead(here: Coord, tree: &Tree, counts_here: bool, window_beats: u32) -> u32 {
    let mut at = here;
    let mut counts = counts_here;
    loop {
        if counts && join_set(at, tree.set, tree.root).count_ones() > 1 {
            return window_over(here.hops_to(at), window_beats);
        }
        counts = true;
        at = match xy_port(at, tree.root) {
            Port::North => Coord::new(at.x, at.y + 1),
            Port::East => Coord::new(at.x + 1, at.y),
            Port::South => Coord::new(at.x, at.y - 1),
            Port::West => Coord::new(at.x - 1, at.y),
            Port::Local => return u32::MAX,
        };
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
