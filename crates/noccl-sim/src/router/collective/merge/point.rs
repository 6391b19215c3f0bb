// SPDX-License-Identifier: Apache-2.0
//! Merge points that never block a FIFO (router flow `non_blocking`).
//!
//! A contribution that arrives before the others of its transaction leaves the FIFO and waits in a table of the router:
//!
//! - *Responses and barriers* (S1's CollectB and LsbAnd) carry how many leaves they stand for. The one
//!   that makes a subtree complete goes on in the same cycle, for the others as well. A full table
//!   lets the new contribution go on by itself. The others would then wait for leaves that have gone by, so
//!   entries made after that go on when they have waited too long. A router serves one transaction per cycle. The
//!   home NI adds up leaves: merging saves flits and never decides correctness.
//! - *Wide reductions* take a slot at each merge point and keep every operand of a beat in a store (a memory of the
//!   tile beside its L1) until all have come, then the arithmetic unit combines them in port order. Order of arrival never changes the result. A sender
//!   (NI or merge point) has at most a window of beats of one transaction in flight to its next merge
//!   point, which returns credits as it combines: the store has a place for every beat that comes, so
//!   no contribution waits in a FIFO while no more reductions are in progress at a router than it has slots.
//!
//! The published router makes contributions wait at FIFO heads instead: two transactions that arrive in
//! different orders at two ports then wait for each other forever (`docs/design/0001`).
//! Source: S1 §3.1.3–3.1.4.

use crate::router::collective::context::Context;
use crate::router::collective::merge::table::{self, MergeRegisters, Merges};
use crate::router::collective::merge::types::{
    Credit, JoinConfig, Offer, PendingCredits, Timeout, Waiting,
};
use crate::router::collective::reduction::unit::Unit;
use crate::router::collective::reduction::{Accepted, Reductions};
use crate::router::published::reduction::Published;
use crate::transport::flit::{Flit, OWN_COPY};
use crate::transport::transaction::Trees;
use noccl_net::Coord;
use noccl_net::tree::leaves_through;
use serde::{Deserialize, Serialize};

/// Merge and reduction units of one plane. Reductions travel in one plane only, what merges in the two others.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Joins {
    merges: Merges,
    reductions: Reductions,
    published: Option<Published>,
}

impl Joins {
    pub(crate) fn new(tiles: usize, config: JoinConfig, published: Option<Published>) -> Self {
        Self {
            merges: Merges::new(tiles, &config),
            reductions: Reductions::new(tiles, config),
            published,
        }
    }

    /// A router with a unit is looked at: the beat that starts next is chosen before operands come in.
    #[inline]
    pub(crate) fn begin(&mut self, r: usize) {
        self.reductions.choose(r);
    }

    /// Operands of wide reductions stand at heads of inputs of router `r`.
    #[inline]
    pub(crate) fn arrive(
        &mut self,
        r: usize,
        here: Coord,
        heads: &[Option<Flit>; 5],
        context: &Context<'_>,
    ) -> Accepted {
        self.reductions.arrive(r, here, heads, context)
    }

    /// See [`Reductions::takes_only`].
    #[inline]
    pub(crate) fn takes_only(&mut self, r: usize) -> Option<(&mut Unit, u32)> {
        self.reductions.takes_only(r)
    }

    /// From now on the unit of router `r` may read the tile's own operands of an all-reduce: value mode, a payload
    /// slot per beat.
    pub(crate) fn give_operands(&mut self, r: usize, txn: u32, payloads: Vec<u32>) {
        self.reductions.give_operands(r, txn, payloads);
    }

    /// Responses or arrivals stand at heads of inputs: those of one transaction have their grant. Returns their inputs.
    #[inline]
    pub(crate) fn arbitrate(&mut self, r: usize, heads: &[Option<Flit>; 5]) -> u8 {
        let Some(first) = self.merges.arbitrate(r, heads) else {
            return 0;
        };
        let inputs = heads.iter().enumerate();
        inputs.fold(0, |group, (port, flit)| {
            group | u8::from(flit.is_some_and(|f| f.txn == first.txn)) << port
        })
    }

    /// What becomes of the heads of one transaction.
    #[inline]
    pub(crate) fn merge(
        &mut self,
        r: usize,
        here: Coord,
        heads: &[Option<Flit>; 5],
        context: &Context<'_>,
    ) -> Option<Flit> {
        let heads = heads.iter().flatten().copied().reduce(table::sum)?;
        let leaves = leaves_of(here, heads, context.trees);
        self.merges.merge(r, heads, leaves, context)
    }

    /// What goes on for a response or arrival that comes in flight, if it would go on at once: nobody has to wait for it, nor it for
    /// anybody. Else nothing changes.
    pub(crate) fn merge_in_flight(
        &mut self,
        r: usize,
        here: Coord,
        input: usize,
        flit: Flit,
        context: &Context<'_>,
    ) -> Option<Flit> {
        let leaves = leaves_of(here, flit, context.trees);
        if !self.merges.goes_on(r, flit, leaves) {
            return None;
        }
        self.merges.note_served(r, input);
        self.merges.merge(r, flit, leaves, context)
    }

    /// Registers of the merge table of router `r`; none if contributions go on in the cycle in which they come.
    #[inline]
    pub(crate) fn merge_registers(&mut self, r: usize) -> Option<&mut MergeRegisters> {
        self.merges.registers.get_mut(r)
    }

    /// Published unit: all operands stand at FIFO heads, the addition starts now.
    pub(crate) fn issue(
        &mut self,
        r: usize,
        here: Coord,
        flit: Flit,
        slots: [u32; 5],
        context: &mut Context<'_>,
    ) {
        if let Some(published) = &mut self.published {
            published.issue(r, here, flit, slots, context);
        }
    }

    /// Published unit: has that of a router results that have not left?
    pub(crate) fn has_results(&self, r: usize) -> bool {
        let published = self.published.as_ref();
        published.is_some_and(|p| p.has_results(r)) || self.merges.oldest_result(r).is_some()
    }

    /// Shows the oldest finished result.
    #[inline]
    pub(crate) fn offer(&mut self, r: usize, here: Coord, context: &mut Context<'_>) -> Offer {
        if let Some(offer) = self.reductions.offer(r, here, context.cycle) {
            return offer;
        }
        let published = self.published.as_mut();
        if let Some(offer) = published.and_then(|p| p.offer(r, context)) {
            return offer;
        }
        let (result, is_busy) = self.merges.offer(r, context.cycle);
        Offer { result, is_busy }
    }

    /// Reads the units of these routers of a block of 64, see `PlaneState::touch_units`.
    pub(crate) fn touch(&self, block: usize, routers: u64) -> u64 {
        self.reductions.touch(block, routers)
    }

    /// Credits of the next merge point for a transaction that leaves router `r`. Returns whether the unit
    /// was the sender; otherwise the tile's NI is.
    pub(crate) fn take_credit(&mut self, r: usize, txn: u32, beats: u32) -> bool {
        self.reductions.take_credit(r, txn, beats)
    }

    /// The offered result has been granted its output.
    pub(crate) fn take_result(&mut self, r: usize, here: u32, cycle: u64) -> Flit {
        let sum = self.reductions.take_result(r, here, cycle);
        let sum = sum.or_else(|| self.published.as_mut()?.take_result(r));
        sum.or_else(|| self.merges.take_result(r))
            .expect("only an offered result is granted")
    }

    /// The end of a cycle in these units of a block of 64.
    #[inline]
    pub(crate) fn end(&mut self, block: usize, routers: u64, context: &mut Context<'_>) {
        self.reductions.step(block, routers, context);
    }

    /// Credits for the senders of a transaction's operands are pending from now on. Returns how many.
    pub(crate) fn add_pending(&mut self, pending: PendingCredits) -> u32 {
        self.reductions.add_pending(pending)
    }

    /// The credit that the tile's NI sends next: slots in round-robin order.
    pub(crate) fn pending_credit(&self, r: usize, here: Coord, trees: &Trees) -> Option<Credit> {
        self.reductions.pending_credit(r, here, trees)
    }

    /// It is sent.
    pub(crate) fn return_credit(&mut self, r: usize) {
        self.reductions.return_credit(r);
    }

    /// An entry of a merge table is due unless another contribution has come in the meantime. Returns whether it is.
    pub(crate) fn time_out(&mut self, entry: Timeout) -> bool {
        self.merges.time_out(entry)
    }

    /// Timeouts to schedule, collected during evaluate: (cycle, entry).
    pub(crate) const fn timeouts(&mut self) -> &mut Vec<(u64, Timeout)> {
        &mut self.merges.timeouts
    }

    /// Credits to return, collected during evaluate.
    pub(crate) const fn pending(&mut self) -> &mut Vec<PendingCredits> {
        &mut self.reductions.pending
    }

    /// Element operations so far, for energy.
    pub(crate) fn reduced_elements(&self) -> u64 {
        let published = self.published.as_ref();
        self.reductions.reduced_elements
            // 0: routers without such units have added nothing in them.
            + published.map_or(0, |p| p.reduced_elements)
    }

    /// Last cycle in which a contribution had to stay in its FIFO because a store was full.
    pub(crate) const fn store_full_cycle(&self) -> Option<u64> {
        self.reductions.store_full_cycle
    }

    /// Contributions that wait in tables, for diagnosis.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = Waiting> + '_ {
        (0..self.merges.routers()).flat_map(move |r| self.waiting_at(r))
    }

    /// Contributions that wait in the tables of one router.
    pub(crate) fn waiting_at(&self, r: usize) -> impl Iterator<Item = Waiting> + '_ {
        self.merges
            .waiting_at(r)
            .chain(self.reductions.waiting_at(r))
    }

    /// Routers in whose stores operands of wide reductions lie, and does the oldest beat lack contributions?
    pub(crate) fn stored(&self) -> impl Iterator<Item = (usize, bool)> + '_ {
        self.reductions.stored()
    }

    /// Senders of the operands in pairs that a router lacks of a transaction, for diagnosis.
    pub(crate) fn missing_senders(
        &self,
        r: usize,
        here: Coord,
        txn: u32,
        trees: &Trees,
    ) -> Vec<Coord> {
        self.reductions.missing_senders(r, here, txn, trees)
    }

    /// The oldest finished result of a router's unit, for diagnosis.
    pub(crate) fn oldest_result(&self, r: usize, here: u32) -> Option<(u64, Flit)> {
        let sum = self.reductions.oldest_result(r, here);
        let sum = sum.or_else(|| self.published.as_ref()?.oldest_result(r));
        sum.or_else(|| self.merges.oldest_result(r))
    }
}

/// Leaves whose contributions to a transaction pass a router.
#[inline]
fn leaves_of(here: Coord, flit: Flit, trees: &Trees) -> u32 {
    let tree = trees.tree(flit.txn);
    // The initiator's own response never leaves its NI.
    let own = u32::from(flit.flags & OWN_COPY != 0 && here == tree.root);
    leaves_through(here, tree.set, tree.root) - own
}
