// SPDX-License-Identifier: Apache-2.0
//! Merge points that never block a FIFO (router flow `non_blocking`).
//!
//! A contribution that arrives before its siblings leaves the FIFO and waits in a table of the router:
//!
//! - *Responses and barriers* (S1's CollectB and LsbAnd) carry how many leaves they stand for. The one
//!   that makes a subtree complete goes on in the same cycle, for the others as well. A full table
//!   lets the newcomer go on by itself. Its siblings would then wait for leaves that have gone by, so
//!   entries made after that go on when they have waited too long. A router serves one transaction per cycle. The home NI adds up leaves: merging
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

mod flow;
mod fold;
mod merge;
mod own;
mod unit;

pub(crate) use fold::window_ahead;

use crate::flit::{Flit, OWN_COPY};
use crate::plane::Context;
use fold::Folds;
use merge::{Merges, Served};
use noccl_net::Coord;
use noccl_net::tree::leaves_through;
use serde::{Deserialize, Serialize};

/// Sizes and latencies of the units, from the spec.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
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

/// What an operand at a FIFO head does this cycle.
pub(crate) enum Verdict {
    /// Stays (the store is full).
    Wait,
    /// Leaves the FIFO, waits in the store.
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
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
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

/// Room given back to a sender (while it is owed, `from` is the input port).
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Credit {
    pub txn: u32,
    pub from: u32,
    /// Packed coordinate of the sender.
    pub to: u32,
    pub beats: u32,
}

/// Merge and reduction units of one plane. Reductions travel in one plane only, what merges in the two others.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Joins {
    merges: Merges,
    folds: Folds,
}

impl Joins {
    pub(crate) fn new(tiles: usize, config: JoinConfig) -> Self {
        Self {
            merges: Merges::new(tiles, config.merge_entries),
            folds: Folds::new(tiles, config),
        }
    }

    /// An operand of a wide reduction stands at the head of input `port` of router `r`.
    #[inline]
    pub(crate) fn arrive(
        &mut self,
        r: usize,
        here: Coord,
        port: usize,
        flit: Flit,
        context: &Context<'_>,
    ) -> Verdict {
        self.folds.arrive(r, here, port, flit, context)
    }

    /// Responses or arrivals stand at heads of inputs: those of one transaction are served.
    pub(crate) fn merge(
        &mut self,
        r: usize,
        here: Coord,
        heads: &[Option<Flit>; 5],
        context: &Context<'_>,
    ) -> Option<Served> {
        let first = self.merges.turn(r, heads)?;
        let mut group = 0;
        let mut all: Option<Flit> = None;
        for (port, flit) in heads.iter().enumerate() {
            let Some(flit) = flit.filter(|f| f.txn == first.txn) else {
                continue;
            };
            group |= 1 << port;
            all = Some(all.map_or(flit, |all| merge::sum(all, flit)));
        }
        let heads = all?;
        let tree = context.trees.tree(heads.txn);
        // The initiator's own answer never leaves its NI.
        let own = u32::from(heads.flags & OWN_COPY != 0 && here == tree.root);
        let leaves = leaves_through(here, tree.set, tree.root) - own;
        let leaving = self.merges.merge(r, heads, leaves, context.cycle);
        Some(Served { group, leaving })
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
        self.folds.issue(r, here, flit, slots, context);
    }

    /// Has the unit of a router results that have not left?
    pub(crate) fn has_results(&self, r: usize) -> bool {
        self.folds.has_results(r) || self.merges.oldest_result(r).is_some()
    }

    /// Starts an addition if one is ready, and shows the oldest finished result.
    #[inline]
    pub(crate) fn offer(&mut self, r: usize, here: Coord, context: &mut Context<'_>) -> Offer {
        if let Some(offer) = self.folds.offer(r, here, context) {
            return offer;
        }
        let (result, is_busy) = self.merges.offer(r, context.cycle);
        Offer { result, is_busy }
    }

    /// Reads the units of these routers of a block of 64, see `PlaneState::touch_units`.
    pub(crate) fn touch(&self, block: usize, routers: u64) -> u64 {
        self.folds.touch(block, routers)
    }

    /// Room at the next merge point for a transaction that leaves router `r`. Returns whether the unit
    /// was the sender; otherwise the tile's NI is.
    pub(crate) fn take_credit(&mut self, r: usize, txn: u32, beats: u32) -> bool {
        self.folds.take_credit(r, txn, beats)
    }

    /// The offered result has been granted its output.
    pub(crate) fn take_result(&mut self, r: usize, here: u32) -> Flit {
        let sum = self.folds.take_result(r, here);
        sum.or_else(|| self.merges.take_result(r))
            .expect("only an offered result is granted")
    }

    /// An entry of a merge table is due unless a sibling has come in the meantime. Returns whether it is.
    pub(crate) fn time_out(&mut self, entry: Timeout) -> bool {
        self.merges.time_out(entry)
    }

    /// Timeouts to schedule, collected during evaluate: (cycle, entry).
    pub(crate) const fn timeouts(&mut self) -> &mut Vec<(u64, Timeout)> {
        &mut self.merges.timeouts
    }

    /// Credits to send, collected during evaluate.
    pub(crate) const fn credits(&mut self) -> &mut Vec<Credit> {
        &mut self.folds.credits
    }

    /// Element operations so far, for energy.
    pub(crate) const fn folded_elements(&self) -> u64 {
        self.folds.folded_elements
    }

    /// Last cycle in which a contribution had to stay in its FIFO because a store was full.
    pub(crate) const fn store_full_cycle(&self) -> Option<u64> {
        self.folds.store_full_cycle
    }

    /// Contributions that wait in tables, for diagnosis.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = Waiting> + '_ {
        (0..self.merges.routers()).flat_map(move |r| self.waiting_at(r))
    }

    /// Contributions that wait in the tables of one router.
    pub(crate) fn waiting_at(&self, r: usize) -> impl Iterator<Item = Waiting> + '_ {
        self.merges.waiting_at(r).chain(self.folds.waiting_at(r))
    }

    /// The oldest finished result of a router's unit, for diagnosis.
    pub(crate) fn oldest_result(&self, r: usize, here: u32) -> Option<(u64, Flit)> {
        let sum = self.folds.oldest_result(r, here);
        sum.or_else(|| self.merges.oldest_result(r))
    }
}
