// SPDX-License-Identifier: Apache-2.0
//! Wide reductions at a merge point: the store, the arithmetic unit, windows and the room that goes back.

use super::flow::Flow;
use super::unit::{Sum, Unit};
use super::{Credit, JoinConfig, Offer, Verdict, Waiting};
use crate::flit::{Flit, LAST, pack};
use crate::plane::Context;
use crate::txn::Tree;
use noccl_net::deadlock::window_over;
use noccl_net::tree::{contributor, join_set};
use noccl_net::{Coord, Port, coord_behind, xy_port};
use noccl_workload::number::fold_into;
use serde::{Deserialize, Serialize};

/// Units in one piece of [`Folds`].
const PIECE: usize = 64;

/// The units of a plane, in pieces that exist once a reduction has come by.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Folds {
    pieces: Vec<Option<Box<[Unit]>>>,
    config: JoinConfig,
    /// Credits to send, collected during evaluate.
    pub credits: Vec<Credit>,
    /// Element operations, for energy.
    pub folded_elements: u64,
    /// A contribution had to stay in its FIFO because a store was full, last in this cycle.
    pub store_full_cycle: Option<u64>,
}

impl Folds {
    pub(super) fn new(tiles: usize, config: JoinConfig) -> Self {
        Self {
            pieces: (0..tiles.div_ceil(PIECE)).map(|_| None).collect(),
            config,
            credits: Vec::new(),
            folded_elements: 0,
            store_full_cycle: None,
        }
    }

    #[inline]
    fn get(&self, r: usize) -> Option<&Unit> {
        Some(&self.pieces[r / PIECE].as_deref()?[r % PIECE])
    }

    #[inline]
    fn get_mut(&mut self, r: usize) -> Option<&mut Unit> {
        Some(&mut self.pieces[r / PIECE].as_deref_mut()?[r % PIECE])
    }

    #[inline]
    pub(super) fn unit(&mut self, r: usize) -> &mut Unit {
        let piece = &mut self.pieces[r / PIECE];
        let piece = piece.get_or_insert_with(|| (0..PIECE).map(|_| Unit::default()).collect());
        &mut piece[r % PIECE]
    }

    /// An operand stands at the head of input `port` of router `r`.
    #[inline]
    pub(super) fn arrive(
        &mut self,
        r: usize,
        here: Coord,
        port: usize,
        flit: Flit,
        context: &Context<'_>,
    ) -> Verdict {
        let Some(at) = self.flow_of(r, here, flit.txn, context) else {
            return Verdict::Forward(flit);
        };
        self.store(r, at, port, flit, context)
    }

    /// Where a transaction's flow stands, if this router is a merge point.
    #[inline]
    pub(super) fn flow_of(
        &mut self,
        r: usize,
        here: Coord,
        txn: u32,
        context: &Context<'_>,
    ) -> Option<usize> {
        let find = |unit: &Unit| unit.find(txn);
        let found = self.get(r).and_then(find);
        found.or_else(|| self.open(r, here, txn, context))
    }

    /// A transaction's first operand. Returns where its flow stands, if this router is a merge point.
    #[cold]
    fn open(&mut self, r: usize, here: Coord, txn: u32, context: &Context<'_>) -> Option<usize> {
        let tree = context.trees.tree(txn);
        let inputs = join_set(here, tree.set, tree.root);
        if inputs.count_ones() == 1 {
            return None;
        }
        let config = self.config;
        let window = if config.has_windows {
            window_ahead(here, tree, false, config.window_beats)
        } else {
            u32::MAX
        };
        let unit = self.unit(r);
        let flow = Flow::new(txn, here, inputs, tree, window, &config);
        unit.flows.push_back(flow);
        Some(unit.flows.len() - 1)
    }

    /// The operand goes into the store, if that has room.
    #[inline]
    fn store(
        &mut self,
        r: usize,
        at: usize,
        port: usize,
        flit: Flit,
        context: &Context<'_>,
    ) -> Verdict {
        let limit = self.config.store_beats;
        let unit = self.unit(r);
        let would_complete =
            |unit: &Unit| unit.flows.get(at).is_some_and(|f| f.would_complete(port));
        if unit.stored >= limit && !would_complete(unit) {
            self.store_full_cycle = Some(context.cycle);
            return Verdict::Wait;
        }
        unit.take(at, port, flit, context);
        Verdict::Absorb
    }

    /// Published unit: all operands stand at FIFO heads, the addition starts now.
    pub(super) fn issue(
        &mut self,
        r: usize,
        here: Coord,
        flit: Flit,
        slots: [u32; 5],
        context: &Context<'_>,
    ) {
        let tree = context.trees.tree(flit.txn);
        let inputs = join_set(here, tree.set, tree.root);
        let Some(at) = self.flow_of(r, here, flit.txn, context) else {
            return;
        };
        for (port, payload) in slots.into_iter().enumerate() {
            if inputs >> port & 1 != 0 {
                let operand = Flit { payload, ..flit };
                self.unit(r).take(at, port, operand, context);
            }
        }
    }

    /// Has the unit of a router sums that have not left, or beats that will be?
    pub(super) fn has_results(&self, r: usize) -> bool {
        let has = |unit: &Unit| !unit.sums.is_empty() || !unit.ready.is_empty();
        self.get(r).is_some_and(has)
    }

    /// Starts an addition if one is ready, and shows the oldest finished sum; `None` without a unit.
    #[inline]
    pub(super) fn offer(
        &mut self,
        r: usize,
        here: Coord,
        context: &mut Context<'_>,
    ) -> Option<Offer> {
        let cycle = context.cycle;
        let unit = self.get_mut(r)?;
        if cycle >= unit.next_issue
            && !unit.is_stalled
            && let Some((at, flow)) = unit.next_with_room()
        {
            self.start_addition(r, at, flow, here, context);
        }
        let unit = self.get_mut(r)?;
        let sum = unit.sums.front().filter(|s| s.done() <= cycle);
        Some(Offer {
            result: sum.map(|s| s.flit(pack(here))),
            is_busy: !unit.ready.is_empty() || !unit.sums.is_empty(),
        })
    }

    fn start_addition(
        &mut self,
        r: usize,
        at: usize,
        flow_at: usize,
        here: Coord,
        context: &mut Context<'_>,
    ) {
        let (cycle, config) = (context.cycle, self.config);
        let Some(unit) = self.pieces[r / PIECE]
            .as_deref_mut()
            .map(|p| &mut p[r % PIECE])
        else {
            return;
        };
        unit.take_ready(at);
        let Some(flow) = unit.flows.get_mut(flow_at) else {
            return;
        };
        let beat = flow.started;
        flow.started += 1;
        flow.under_way += 1;
        let flow = *flow;
        let is_last = flow.started == flow.beats;
        let adds = u64::from(flow.operands()) - 1;
        let busy = adds.div_ceil(config.adds_per_cycle) * config.cycles_per_add;
        unit.stored -= flow.stored_operands();
        unit.next_issue = cycle + busy + share_fpus(&mut context.fpu_busy_until[r], cycle, busy);
        let done = cycle + adds * u64::from(flow.add_cycles) + config.cut_cycles;
        self.folded_elements += adds * u64::from(flow.elements);
        if flow.returns_room(beat) {
            give_back(r, here, beat, &flow, context, &mut self.credits);
        }
        let payload = if context.is_value {
            let slots = unit.bytes.take(flow.txn, is_last);
            fold(flow.txn, flow.inputs, slots, context)
        } else {
            flow.count()
        };
        let flags = (u8::from(is_last) * LAST) | flow.resp;
        unit.sums
            .push_back(Sum::new(done, flow.txn, payload, beat, flags));
        if is_last {
            unit.flows.remove(flow_at);
        }
    }

    /// Reads the units of these routers of a piece.
    pub(super) fn touch(&self, piece: usize, mut routers: u64) -> u64 {
        let Some(units) = self.pieces[piece].as_deref() else {
            return 0;
        };
        let mut sum = 0;
        while routers != 0 {
            let unit = &units[routers.trailing_zeros() as usize];
            routers &= routers - 1;
            let (flow, done) = (unit.flows.front(), unit.sums.front());
            sum ^= u64::from(flow.map_or(0, |f| f.txn)) ^ done.map_or(0, |s| s.done());
        }
        sum
    }

    /// Room at the next merge point for a transaction that leaves router `r`. Returns whether the unit
    /// was the sender; otherwise the tile's NI is.
    pub(super) fn take_credit(&mut self, r: usize, txn: u32, beats: u32) -> bool {
        let Some(unit) = self.get_mut(r) else {
            return false;
        };
        let Some(flow) = unit.find(txn).and_then(|at| unit.flows.get_mut(at)) else {
            return false;
        };
        flow.under_way -= beats as u16;
        unit.is_stalled = false;
        true
    }

    /// The offered sum has been granted its output.
    pub(super) fn take_result(&mut self, r: usize, here: u32) -> Option<Flit> {
        let sum = self.get_mut(r)?.sums.pop_front()?;
        Some(sum.flit(here))
    }

    /// Operands that lie at a router, for diagnosis.
    pub(super) fn waiting_at(&self, r: usize) -> impl Iterator<Item = Waiting> + '_ {
        let flows = self.get(r).into_iter().flat_map(|unit| unit.flows.iter());
        flows.flat_map(move |flow| {
            let entry = move |(beat, have)| Waiting {
                router: r,
                txn: flow.txn,
                beat: Some(beat),
                have,
                since: u64::from(flow.since),
            };
            flow.stored().map(entry)
        })
    }

    /// The oldest sum of a router and the cycle in which it is done, for diagnosis.
    pub(super) fn oldest_result(&self, r: usize, here: u32) -> Option<(u64, Flit)> {
        let sum = self.get(r)?.sums.front()?;
        Some((sum.done(), sum.flit(here)))
    }
}

/// Returns the room of folded operands to where they came from, as long as more will come.
#[inline]
fn give_back(
    r: usize,
    here: Coord,
    beat: u16,
    flow: &Flow,
    context: &Context<'_>,
    credits: &mut Vec<Credit>,
) {
    for (at, port) in Port::ALL.into_iter().enumerate() {
        let Some(beats) = flow.room_to_return(at, beat) else {
            continue;
        };
        let tree = context.trees.tree(flow.txn);
        credits.push(Credit {
            txn: flow.txn,
            from: r as u32,
            to: pack(contributor(here, port, tree.set, tree.root)),
            beats,
        });
    }
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
        let Some(next) = coord_behind(at, xy_port(at, tree.root)) else {
            return u32::MAX;
        };
        at = next;
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
fn fold(txn: u32, inputs: u8, slots: [u32; 5], context: &mut Context<'_>) -> u32 {
    let tree = *context.trees.tree(txn);
    let mut slots = (0..5).filter(|p| inputs >> p & 1 != 0).map(|p| slots[p]);
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
