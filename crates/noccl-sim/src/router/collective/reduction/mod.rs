// SPDX-License-Identifier: Apache-2.0
//! Wide reductions at merge points: slots, the store, the arithmetic unit, windows and the credits that return.

pub(crate) mod credit_return;
pub(crate) mod flow;
mod meeting;
pub(crate) mod merging;
pub(crate) mod unit;
mod waiting;

use crate::kernel::bit_set::bits;
use crate::router::collective::context::Context;
use crate::router::collective::merge::types::{Credit, JoinConfig, Offer, PendingCredits};
use crate::transport::flit::{Flit, VARIANT_SHIFT, pack, unpack};
use crate::transport::transaction::Trees;
use flow::{BEATS_PER_CREDIT, Flow};
use merging::{inputs_that_meet, marked_if_partial, window_ahead};
use noccl_net::pairs::{FoldOrder, operands};
use noccl_net::tree::contributor;
use noccl_net::{Coord, Port};
use noccl_workload::{ElementType, Operator};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use unit::Unit;

/// Units in one block of [`Reductions`].
const BLOCK: usize = 64;

/// Input in whose bank partial sums wait; its operands let them in first.
const PARTIALS_BANK: usize = Port::North as usize;

/// The units of a plane, in blocks that exist once a reduction has come by.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Reductions {
    blocks: Vec<Option<Box<[Unit]>>>,
    config: JoinConfig,
    /// Roots' own operands of all-reduces of which no flow has begun there: value mode, a payload slot per beat.
    in_place: BTreeMap<u32, Vec<u32>>,
    /// Credits to return, collected during evaluate.
    pub pending: Vec<PendingCredits>,
    /// Element operations, for energy.
    pub reduced_elements: u64,
    /// A contribution had to stay in its FIFO because all slots were taken, last in this cycle.
    pub store_full_cycle: Option<u64>,
}

/// What operands at FIFO heads do in a cycle, as sets of inputs; the others stay.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Accepted {
    /// They leave into the store.
    pub absorbed: u8,
    /// They meet no other contributions here and go on.
    pub forwarded: u8,
}

impl Reductions {
    pub(crate) fn new(tiles: usize, config: JoinConfig) -> Self {
        Self {
            blocks: (0..tiles.div_ceil(BLOCK)).map(|_| None).collect(),
            config,
            in_place: BTreeMap::new(),
            pending: Vec::new(),
            reduced_elements: 0,
            store_full_cycle: None,
        }
    }

    #[inline]
    fn get(&self, r: usize) -> Option<&Unit> {
        Some(&self.blocks[r / BLOCK].as_deref()?[r % BLOCK])
    }

    #[inline]
    fn get_mut(&mut self, r: usize) -> Option<&mut Unit> {
        Some(&mut self.blocks[r / BLOCK].as_deref_mut()?[r % BLOCK])
    }

    #[inline]
    fn unit(&mut self, r: usize) -> &mut Unit {
        let block = &mut self.blocks[r / BLOCK];
        let block = block.get_or_insert_with(|| (0..BLOCK).map(|_| Unit::default()).collect());
        &mut block[r % BLOCK]
    }

    /// Operands stand at the heads of some inputs of router `r`. One flow can begin per cycle: its first operand comes in,
    /// others wait for a cycle.
    #[inline]
    pub(crate) fn arrive(
        &mut self,
        r: usize,
        here: Coord,
        heads: &[Option<Flit>; 5],
        context: &Context<'_>,
    ) -> Accepted {
        let mut accepted = Accepted::default();
        let (mut has_new_entry, mut begun) = (false, None);
        let is_bank_taken = self.get(r).is_some_and(|u| u.stores_partial(context.cycle));
        for (port, head) in heads.iter().enumerate() {
            let Some(mut flit) = *head else { continue };
            let mut at = self.get(r).and_then(|unit| unit.find(flit.txn));
            if at.is_some_and(|at| self.passes_by(r, at, here, flit, context)) {
                accepted.forwarded |= 1 << port;
                continue;
            }
            let is_blocked = is_bank_taken && port == PARTIALS_BANK;
            if at.is_none() {
                let Some(inputs) = inputs_that_meet(here, flit, context) else {
                    accepted.forwarded |= 1 << port;
                    continue;
                };
                if is_blocked {
                    continue;
                }
                if !has_new_entry {
                    begun = self.open(r, here, flit, inputs, context);
                    at = begun;
                }
                has_new_entry = true;
            } else if at == begun || is_blocked {
                continue;
            }
            if let Some(at) = at {
                accepted.absorbed |= 1 << port;
                if flit.variant() != 0 {
                    flit = marked_if_partial(flit, context);
                }
                self.take(r, (at, port), here, flit, context);
            }
        }
        if has_new_entry && begun.is_none() {
            self.store_full_cycle = Some(context.cycle);
        }
        accepted
    }

    /// Does an operand in pairs meet the others of its transaction, whose flow stands at `at`, behind this router?
    #[inline]
    fn passes_by(
        &self,
        r: usize,
        at: usize,
        here: Coord,
        flit: Flit,
        context: &Context<'_>,
    ) -> bool {
        let flow = self.get(r).and_then(|unit| unit.flows.get(at));
        flow.is_some_and(Flow::is_in_pairs) && inputs_that_meet(here, flit, context).is_none()
    }

    /// An operand of the flow at `at` enters the store.
    #[inline]
    fn take(
        &mut self,
        r: usize,
        (at, port): (usize, usize),
        here: Coord,
        flit: Flit,
        context: &Context<'_>,
    ) {
        let unit = self.unit(r);
        if unit.flows.get(at).is_some_and(Flow::is_in_pairs) {
            let tree = context.trees.tree(flit.txn);
            let place = operands(here, tree.set, tree.root).position(|o| o == unpack(flit.dst));
            // 0: operands of a transaction are from the senders of its tree; the first is theirs.
            unit.take_in_pairs(at, place.unwrap_or(0), flit);
        } else {
            let operand = std::iter::once((port, flit));
            unit.take(at, operand, context.is_value, context.cycle);
        }
    }

    /// A router's unit, if operands of the returned transaction can enter its store whatever else has come.
    #[inline]
    pub(crate) fn takes_only(&mut self, r: usize) -> Option<(&mut Unit, u32)> {
        let unit = self.get_mut(r)?;
        let txn = unit.takes_only()?;
        Some((unit, txn))
    }

    /// A transaction's first operand takes a slot. Returns where its flow stands, if a slot is free.
    #[cold]
    fn open(
        &mut self,
        r: usize,
        here: Coord,
        flit: Flit,
        inputs: u8,
        context: &Context<'_>,
    ) -> Option<usize> {
        let txn = flit.txn;
        let (tree, config) = (context.trees.tree(txn), self.config);
        let slot = self.unit(r).free_slot(config.slots)?;
        let mut flow = match tree.fold_order {
            FoldOrder::ByRouter => {
                let window = window_ahead(here, tree, false, config.windows);
                Flow::new((txn, slot), here, inputs, tree, window, &config)
            }
            FoldOrder::InPairs => Flow::in_pairs((txn, slot), tree, context.cycle, &config),
        };
        if let Some(variant) = context.trees.variant(txn, flit.variant()) {
            flow.begin_as(flit, variant, &config);
        }
        let in_place = if here == tree.root {
            self.in_place.remove(&txn)
        } else {
            None
        };
        let unit = self.unit(r);
        let at = if flow.is_in_pairs() {
            unit.open_meeting(flow, operands(here, tree.set, tree.root).count())
        } else {
            unit.flows.push_back(flow);
            unit.flows.len() - 1
        };
        if let Some(payloads) = in_place {
            unit.put_in_place(at, &payloads);
        }
        Some(at)
    }

    /// From now on the unit of router `r` may read the tile's own operands of an all-reduce: value mode, a payload slot
    /// per beat.
    pub(crate) fn give_operands(&mut self, r: usize, txn: u32, payloads: Vec<u32>) {
        let found = self.get_mut(r).and_then(|unit| {
            let at = unit.find(txn)?;
            unit.put_in_place(at, &payloads);
            Some(())
        });
        if found.is_none() {
            self.in_place.insert(txn, payloads);
        }
    }

    /// The beat that may start in this cycle, before operands come in.
    #[inline]
    pub(crate) fn choose(&mut self, r: usize) {
        if let Some(unit) = self.get_mut(r) {
            unit.choose();
        }
    }

    /// The result that the arithmetic offers; `None` without a unit.
    #[inline]
    pub(crate) fn offer(&self, r: usize, here: Coord, cycle: u64) -> Option<Offer> {
        let unit = self.get(r)?;
        Some(Offer {
            result: unit.result(pack(here), cycle),
            is_busy: unit.is_busy(),
        })
    }

    /// The offered result has been granted its output.
    pub(crate) fn take_result(&mut self, r: usize, here: u32, cycle: u64) -> Option<Flit> {
        let unit = self.get_mut(r)?;
        let result = unit.result(here, cycle)?;
        unit.grant();
        Some(result)
    }

    /// The end of a cycle in these units of a block.
    pub(crate) fn step(&mut self, block: usize, units: u64, context: &mut Context<'_>) {
        if self.blocks[block].is_none() {
            return;
        }
        for lane in bits(units) {
            self.step_unit(block * BLOCK + lane, context);
        }
    }

    #[inline]
    fn step_unit(&mut self, r: usize, context: &mut Context<'_>) {
        let config = self.config;
        let Some(block) = self.blocks[r / BLOCK].as_deref_mut() else {
            return;
        };
        let unit = &mut block[r % BLOCK];
        let fpu = &mut context.fpu_busy_until[r];
        let started = unit.step(context.cycle, &config, fpu);
        let (at, inputs) = started.pending;
        if inputs != 0
            && let Some(flow) = unit.flows.get(at)
        {
            self.pending.push(PendingCredits {
                router: r as u32,
                txn: flow.txn,
                inputs,
            });
        }
        let Some((at, beat)) = started.begins else {
            return;
        };
        let Some(flow) = unit.flows.get(at) else {
            return;
        };
        let adds = if flow.is_in_pairs() {
            1
        } else {
            u64::from(flow.operands()) - 1
        };
        self.reduced_elements += adds << flow.elements_log2;
        if !context.is_value && !flow.is_in_pairs() {
            let payload = flow.count();
            unit.set_payload(payload);
            return;
        }
        let flow = *flow;
        let payload = if flow.is_in_pairs() {
            // 0: nothing to add where the addition has no operands.
            let (sum, operand) = unit.start_addition(at).unwrap_or_default();
            add(sum, operand, &flow, context)
        } else {
            let slots = unit.bytes.take(flow.txn, beat + 1 == flow.beats);
            let arithmetic = (context.trees).arithmetic(flow.txn, flow.marks >> VARIANT_SHIFT);
            fold(arithmetic, flow.inputs, slots, context)
        };
        unit.set_payload(payload);
    }

    /// Credits for the senders of a transaction's operands are pending from now on. Returns how many.
    pub(crate) fn add_pending(&mut self, pending: PendingCredits) -> u32 {
        let unit = self.get_mut(pending.router as usize);
        // 0: a router without a unit returns no credits.
        unit.map_or(0, |unit| unit.add_pending(pending.txn, pending.inputs))
    }

    /// The credit that the tile's NI sends next: of the granted slot and its first input.
    pub(crate) fn pending_credit(&self, r: usize, here: Coord, trees: &Trees) -> Option<Credit> {
        let flow = self.get(r)?.credited()?;
        let port = Port::ALL[flow.first_pending()?];
        let tree = trees.tree(flow.txn);
        Some(Credit {
            txn: flow.txn,
            to: pack(contributor(here, port, tree.set, tree.root)),
            beats: u32::from(BEATS_PER_CREDIT),
        })
    }

    /// It is sent.
    pub(crate) fn return_credit(&mut self, r: usize) {
        if let Some(unit) = self.get_mut(r) {
            unit.return_credit();
        }
    }

    /// Reads the units of these routers of a block.
    pub(crate) fn touch(&self, block: usize, routers: u64) -> u64 {
        let Some(units) = self.blocks[block].as_deref() else {
            return 0;
        };
        bits(routers).fold(0, |sum, lane| sum ^ units[lane].touch())
    }

    /// Credits of the next merge point for a transaction that leaves router `r`. Returns whether the unit
    /// was the sender; otherwise the tile's NI is.
    pub(crate) fn take_credit(&mut self, r: usize, txn: u32, beats: u32) -> bool {
        let Some(unit) = self.get_mut(r) else {
            return false;
        };
        let Some(flow) = unit.find(txn).and_then(|at| unit.flows.get_mut(at)) else {
            return false;
        };
        flow.take_credit(beats as u16);
        true
    }
}

/// The sum of two operands in pairs: a payload slot in value mode, contributions in timing mode.
#[cold]
fn add(sum: u32, operand: u32, flow: &Flow, context: &mut Context<'_>) -> u32 {
    if !context.is_value {
        return sum + operand;
    }
    let arithmetic = (context.trees).arithmetic(flow.txn, flow.marks >> VARIANT_SHIFT);
    let sum = context.pool.own(sum);
    context.pool.fold(sum, operand, arithmetic);
    sum
}

/// Combines the operands of one beat from the left in port order.
pub(crate) fn fold(
    arithmetic: (Operator, ElementType),
    inputs: u8,
    slots: [u32; 5],
    context: &mut Context<'_>,
) -> u32 {
    let mut slots = (0..5).filter(|p| inputs >> p & 1 != 0).map(|p| slots[p]);
    let first = slots.next().expect("a merge point has operands");
    let sum = context.pool.own(first);
    for slot in slots {
        context.pool.fold(sum, slot, arithmetic);
    }
    sum
}
