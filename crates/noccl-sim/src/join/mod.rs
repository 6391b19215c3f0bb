// SPDX-License-Identifier: Apache-2.0
//! Merge points that never block a FIFO (router flow `non_blocking`).
//!
//! A contribution that arrives before its siblings leaves the FIFO and waits in a table of the router:
//!
//! - *Responses and barriers* (S1's CollectB and LsbAnd) carry how many leaves they stand for. The one
//!   that makes a subtree complete goes on in the same cycle, for the others as well. A full table
//!   lets the newcomer go on by itself. Its siblings would then wait for leaves that have gone by, so
//!   entries made after that go on when they have waited too long. The home NI adds up leaves: merging
//!   saves flits and never decides correctness.
//! - *Wide reductions* keep every operand of a beat in a store (the tile's L1) until all have come, then
//!   the arithmetic unit folds them in port order. Order of arrival never changes the result. A sender
//!   (NI or merge point) has at most a window of beats of one transaction under way to its next merge
//!   point, which gives the room back as it folds: the store has a place for every beat that comes, so
//!   no contribution ever waits in a FIFO while the stated number of reductions is open.
//!
//! The published router makes contributions wait at FIFO heads instead: two transactions that arrive in
//! different orders at two ports then wait for each other forever (`docs/design/0001`).
//! Source: S1 §3.1.3–3.1.4.

mod merge;
mod operands;

pub(crate) use operands::window_ahead;

use crate::flit::{Flit, FlitKind, OWN_COPY, unpack};
use crate::plane::Context;
use noccl_net::tree::{contributor, join_set, leaves_through};
use noccl_net::{Coord, Port};
use std::collections::VecDeque;

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
    /// Cycles in which the cluster's FPUs work off one 64-byte addition: 8 of 64 bit do it in one.
    pub cycles_per_add: u64,
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

/// Operands of one beat: half a cache line, as a large mesh has millions of them.
#[derive(Debug, Clone, Copy)]
struct Operands {
    txn: u32,
    beat: u16,
    have: u8,
    flags: u8,
    slots: [u32; 5],
    /// Cycle of the first operand; for diagnosis, so it may stop at the largest number.
    since: u32,
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
    /// Beats that lack operands, and complete ones. Queues: beats of a transaction come in order, so what is
    /// looked for and removed stands near the front.
    waiting: VecDeque<Operands>,
    ready: VecDeque<Operands>,
    /// None of the ready beats has room at its next merge point: wait for credits or for another beat.
    is_stalled: bool,
    results: VecDeque<(u64, Flit)>,
    flows: Vec<Flow>,
    /// Credits not yet sent: several go at a time.
    owed: Vec<Credit>,
    next_issue: u64,
    stored_beats: u32,
    /// The merge table has been too small once: some transaction's leaves went by uncounted.
    has_evicted: bool,
}

/// Merge and reduction units of one plane; a router gets one when first needed.
#[derive(Debug)]
pub(crate) struct Joins {
    /// Unit of each router; 0 is the empty unit of those that have none (zeroed pages cost nothing).
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
            unit_of: vec![0; tiles],
            units: vec![Unit::default()],
            config,
            timeouts: Vec::new(),
            credits: Vec::new(),
            folded_elements: 0,
            store_full_cycle: None,
        }
    }

    fn unit(&mut self, r: usize) -> &mut Unit {
        if self.unit_of[r] == 0 {
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
                let from = contributor(here, Port::ALL[port], tree.set, tree.root);
                debug_assert_eq!(unpack(flit.dst), from);
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
            && !unit.is_stalled
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
        unit.is_stalled = false;
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
                .chain(
                    operands.map(move |o| entry(o.txn, Some(o.beat), o.have, u64::from(o.since))),
                )
        })
    }

    /// The oldest finished result of a router's unit, for diagnosis.
    pub(crate) fn oldest_result(&self, r: usize) -> Option<(u64, Flit)> {
        let unit = self.units.get(self.unit_of[r] as usize)?;
        unit.results.front().copied()
    }
}
