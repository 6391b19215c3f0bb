// SPDX-License-Identifier: Apache-2.0
//! Operands of wide reductions: the store, the arithmetic unit, windows and the room that goes back.

use super::{Credit, Flow, JoinConfig, Joins, Operands, Unit, Verdict};
use crate::flit::{Flit, FlitKind, LAST, RESPONSE, pack};
use crate::plane::Context;
use crate::txn::Tree;
use noccl_net::deadlock::window_over;
use noccl_net::tree::{contributor, join_set};
use noccl_net::{Coord, Port, coord_behind, xy_port};
use noccl_workload::number::fold_into;

impl Joins {
    pub(super) fn store_operand(
        &mut self,
        r: usize,
        port: usize,
        flit: Flit,
        expected: u8,
        cycle: u64,
    ) -> Verdict {
        let limit = self.config.store_beats;
        let unit = self.unit(r);
        let found = unit.find_waiting(flit.txn, flit.beat);
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
                since: since(cycle),
            };
            unit.waiting.push_back(empty);
            unit.waiting.len() - 1
        });
        let entry = &mut unit.waiting[at];
        entry.have |= 1 << port;
        entry.slots[port] = flit.payload;
        entry.flags |= flit.flags;
        if completes && let Some(complete) = unit.waiting.remove(at) {
            unit.make_ready(complete);
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
            since: since(context.cycle),
        };
        let unit = self.unit(r);
        unit.stored_beats += have.count_ones();
        unit.make_ready(operands);
    }

    pub(super) fn start_addition(
        &mut self,
        r: usize,
        at: usize,
        here: Coord,
        context: &mut Context<'_>,
    ) {
        let (cycle, config) = (context.cycle, self.config);
        let unit = &mut self.units[self.unit_of[r] as usize];
        let operands = unit.ready.remove(at).expect("the index was just found");
        let tree = *context.trees.tree(operands.txn);
        let adds = u64::from(operands.have.count_ones()) - 1;
        let busy = adds.div_ceil(config.adds_per_cycle) * config.cycles_per_add;
        unit.stored_beats -= operands.have.count_ones();
        unit.next_issue = cycle + busy + share_fpus(&mut context.fpu_busy_until[r], cycle, busy);
        let done = cycle + adds * u64::from(tree.add_cycles) + config.cut_cycles;
        if config.has_windows {
            let beats = context.trees.beats(operands.txn);
            unit.account(&operands, beats);
            unit.give_back(r, here, &operands, &tree, &config, &mut self.credits);
        }
        let flit = Flit {
            txn: operands.txn,
            dst: pack(here),
            payload: fold(&operands, context),
            beat: operands.beat,
            kind: FlitKind::Reduce,
            flags: operands.flags & (LAST | RESPONSE),
        };
        let unit = &mut self.units[self.unit_of[r] as usize];
        unit.results.push_back((done, flit));
        self.folded_elements += adds * (64 / tree.element.bytes());
    }
}

/// Credits go back several at a time: one response flit for so many beats.
const BEATS_PER_CREDIT_FLIT: u32 = 4;

impl Unit {
    /// The entry of a beat. A transaction's beats come in order through every input, so its entries
    /// stand in order too: a beat beyond the newest of them has none.
    fn find_waiting(&self, txn: u32, beat: u16) -> Option<usize> {
        let is_it = |o: &Operands| o.txn == txn && o.beat == beat;
        if self.waiting.front().is_some_and(is_it) {
            return Some(0);
        }
        let newest = self.waiting.iter().rev().find(|o| o.txn == txn)?;
        if newest.beat < beat {
            return None;
        }
        self.waiting.iter().position(is_it)
    }

    fn make_ready(&mut self, operands: Operands) {
        self.ready.push_back(operands);
        self.is_stalled = false;
    }

    /// Oldest complete beat whose next merge point has room for it.
    pub(super) fn next_with_room(
        &mut self,
        here: Coord,
        config: &JoinConfig,
        context: &Context<'_>,
    ) -> Option<usize> {
        if !config.has_windows {
            return Some(0);
        }
        let mut full = None;
        for at in 0..self.ready.len() {
            let txn = self.ready[at].txn;
            if full == Some(txn) {
                continue;
            }
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
            full = Some(txn);
        }
        self.is_stalled = true;
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
        tree: &Tree,
        config: &JoinConfig,
        out: &mut Vec<Credit>,
    ) {
        let (beat, beats) = (u32::from(operands.beat), u32::from(tree.beats));
        for (idx, port) in Port::ALL.into_iter().enumerate() {
            if operands.have & port.bit() == 0 {
                continue;
            }
            let txn = operands.txn;
            let contributor = contributor(here, port, tree.set, tree.root);
            let window = window_over(here.hops_to(contributor), config.window_beats);
            if beat + window >= beats {
                continue;
            }
            let is_final = beat + window + 1 == beats;
            let at = self
                .owed
                .iter()
                .position(|c| c.txn == txn && c.from as usize == idx);
            let at = at.unwrap_or_else(|| {
                self.owed.push(Credit {
                    txn,
                    from: idx as u32,
                    to: pack(contributor),
                    beats: 0,
                });
                self.owed.len() - 1
            });
            self.owed[at].beats += 1;
            if is_final || self.owed[at].beats == BEATS_PER_CREDIT_FLIT {
                let owed = self.owed.swap_remove(at);
                out.push(Credit {
                    from: r as u32,
                    ..owed
                });
            }
        }
    }
}

/// See [`Operands`].
fn since(cycle: u64) -> u32 {
    u32::try_from(cycle).unwrap_or(u32::MAX)
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
