// SPDX-License-Identifier: Apache-2.0
//! State of the reductions at one router: a few cache lines, side by side, since a large mesh has a million of these.
//!
//! What the hardware has: slots for reductions, a register in front of the arithmetic, a pipeline of one or two rows whose
//! stages are its only buffer, and the sums that have to go through it again.

use super::flow::{BeatBytes, Flow};
use super::meeting::Meeting;
use crate::kernel::inline_queue::InlineQueue;
use crate::router::collective::merge::types::JoinConfig;
use crate::transport::flit::{Flit, FlitKind, LAST};
use noccl_net::Port;
use serde::{Deserialize, Serialize};

/// Beats that may be between their first pass and their last one.
const MOST_PARTIALS: u8 = 8;

/// A beat in the arithmetic.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Pass {
    /// Cycle from which on it can leave its row.
    ready: u64,
    pub(super) payload: u32,
    pub(super) slot: u8,
    /// Cycles of an addition.
    add_cycles: u8,
    /// The second row adds a third operand.
    has_third: bool,
    /// Passes of the beat that follow: unless none does, the sum goes back into the store.
    left: u8,
}

impl Pass {
    const fn is_partial(&self) -> bool {
        self.left != 0
    }

    /// One addition of operands in pairs, with so many to follow.
    pub(super) const fn of_addition(slot: u8, add_cycles: u8, left: usize) -> Self {
        Self {
            ready: 0,
            payload: 0,
            slot,
            add_cycles,
            has_third: false,
            left: left as u8,
        }
    }
}

/// A partial sum that lies in the store, to be combined with the next operands.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Partial {
    slot: u8,
    /// Passes that follow the next one.
    left: u8,
    payload: u32,
}

/// What happens in a cycle besides what follows from the state at its start.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Moves {
    /// Slot of the flow whose beat starts if the arithmetic takes one, plus one.
    chosen: u8,
    /// The router has taken the result.
    is_granted: bool,
}

/// Reductions at one router. What every beat touches comes first.
#[derive(Debug, Default, Serialize, Deserialize)]
#[repr(C, align(64))]
pub(crate) struct Unit {
    /// The FPUs take no addition of the network before.
    next_issue: u64,
    moves: Moves,
    pub(super) partials: u8,
    /// Slot whose credits are returned, see `credit_return.rs`.
    pub(super) credit_slot: u8,
    /// The register in front of the arithmetic.
    pub(super) request: Option<Pass>,
    /// In the order in which they began: the first one is the oldest.
    pub(super) flows: InlineQueue<Flow, 2>,
    first: InlineQueue<Pass, 3>,
    second: InlineQueue<Pass, 3>,
    /// Partial sums in the store, in the order in which they came out.
    waiting: InlineQueue<Partial, 1>,
    pub bytes: BeatBytes,
    /// Operands that meet in pairs, by flow.
    pub(super) meetings: Vec<Meeting>,
}

/// What the end of a cycle has started.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Started {
    /// Flow whose next beat has been read from the store, and the number of the beat.
    pub(super) begins: Option<(usize, u16)>,
    /// Flow, and senders that get credits for its operands.
    pub pending: (usize, u8),
}

impl Unit {
    /// Reads each cache line that a beat needs.
    #[inline]
    pub(super) fn touch(&self) -> u64 {
        // 0: nothing to read of an empty queue; the sum is not used.
        let flow = (self.flows.front()).map_or(0, |f| u64::from(f.txn) + u64::from(f.slot));
        let rows = [self.first.len(), self.second.len(), self.waiting.len()];
        rows.iter().fold(flow, |sum, len| sum + *len as u64)
    }

    /// Where a transaction's flow stands.
    #[inline]
    pub(crate) fn find(&self, txn: u32) -> Option<usize> {
        if self.flows.front()?.txn == txn {
            return Some(0);
        }
        (1..self.flows.len()).find(|at| self.flows.get(*at).is_some_and(|f| f.txn == txn))
    }

    #[inline]
    pub(crate) fn at_slot(&self, slot: u8) -> Option<usize> {
        if self.flows.front()?.slot == slot {
            return Some(0);
        }
        (1..self.flows.len()).find(|at| self.flows.get(*at).is_some_and(|f| f.slot == slot))
    }

    /// The lowest slot that no reduction has.
    pub(crate) fn free_slot(&self, slots: u32) -> Option<u8> {
        let used = self.flows.iter().fold(0_u64, |set, f| set | 1 << f.slot);
        let lowest = used.trailing_ones();
        (lowest < slots).then_some(lowest as u8)
    }

    /// Chooses the beat that starts next if it can: of the oldest flow that may. Operands that come in this cycle do
    /// not count yet.
    #[inline]
    pub(crate) fn choose(&mut self) {
        let chosen = self.flows.iter().find(|f| f.may_start());
        // 0: no beat starts.
        self.moves.chosen = chosen.map_or(0, |f| f.slot + 1);
    }

    /// Takes operands, with their inputs, of the transaction whose flow is at `at`.
    #[inline]
    pub(crate) fn take(
        &mut self,
        at: usize,
        operands: impl Iterator<Item = (usize, Flit)>,
        is_value: bool,
        cycle: u64,
    ) {
        let Some(flow) = self.flows.get_mut(at) else {
            return;
        };
        let (started, bytes) = (flow.started, &mut self.bytes);
        let kept = operands.inspect(|(port, flit)| {
            if is_value {
                let ahead = usize::from(flit.beat - started);
                bytes.put(flit.txn, ahead, *port, flit.payload);
            }
        });
        flow.take(kept, cycle);
    }

    /// The transaction of the only reduction here, if its operands meet in the order of inputs and no sum has to go through the
    /// arithmetic again: then any operands of it can enter the store.
    #[inline]
    pub(crate) fn takes_only(&self) -> Option<u32> {
        let flow = self.flows.front()?;
        let is_usual = self.flows.len() == 1 && self.partials == 0 && !flow.is_in_pairs();
        is_usual.then_some(flow.txn)
    }

    /// The tile's own operands of an all-reduce: value mode, a payload slot per beat.
    pub(crate) fn put_in_place(&mut self, at: usize, payloads: &[u32]) {
        let Some(flow) = self.flows.get_mut(at) else {
            return;
        };
        if flow.is_in_pairs() {
            self.take_own(at, payloads.first().copied().unwrap_or(1));
            return;
        }
        flow.take_in_place();
        let txn = flow.txn;
        for (beat, slot) in payloads.iter().enumerate() {
            self.bytes.put(txn, beat, Port::Local as usize, *slot);
        }
    }

    /// Can something move although nothing comes?
    #[inline]
    pub(crate) fn is_busy(&self) -> bool {
        self.moves.chosen != 0
            || self.request.is_some()
            || !self.first.is_empty()
            || !self.second.is_empty()
            || !self.waiting.is_empty()
    }

    /// The oldest pass that is through, and whether it comes out of the second row.
    #[inline]
    fn oldest(&self, cycle: u64) -> Option<(Pass, bool)> {
        let is_second = !self.second.is_empty();
        let front = if is_second {
            self.second.front()
        } else {
            self.first.front().filter(|p| !p.has_third)
        };
        front.filter(|p| p.ready <= cycle).map(|p| (*p, is_second))
    }

    /// Does a partial sum take the write port of its bank in this cycle?
    #[inline]
    pub(crate) fn stores_partial(&self, cycle: u64) -> bool {
        self.partials > 0 && self.oldest(cycle).is_some_and(|(p, _)| p.is_partial())
    }

    /// The result that is offered to the router.
    #[inline]
    pub(crate) fn result(&self, here: u32, cycle: u64) -> Option<Flit> {
        let (pass, _) = self.oldest(cycle)?;
        if pass.is_partial() {
            return None;
        }
        let flow = self.flows.get(self.at_slot(pass.slot)?)?;
        let is_last = flow.sent + 1 == flow.beats;
        Some(Flit {
            txn: flow.txn,
            dst: here,
            payload: pass.payload,
            beat: flow.sent,
            kind: FlitKind::Reduce,
            flags: (u8::from(is_last) * LAST) | flow.marks,
        })
    }

    /// The result that is offered to the router and the cycle since which it could have been, for diagnosis.
    pub(crate) fn oldest_result(&self, here: u32) -> Option<(u64, Flit)> {
        let (pass, _) = self.oldest(u64::MAX)?;
        Some((pass.ready, self.result(here, u64::MAX)?))
    }

    /// The router takes the offered result.
    #[inline]
    pub(crate) fn grant(&mut self) {
        self.moves.is_granted = true;
    }

    /// The end of a cycle: everything that can moves. The payload of a beat that begins is set afterwards.
    #[inline]
    pub(crate) fn step(
        &mut self,
        cycle: u64,
        config: &JoinConfig,
        fpu_busy_until: &mut u64,
    ) -> Started {
        let moves = std::mem::take(&mut self.moves);
        // What lies in the store by now can be read; what comes in this cycle cannot.
        let waiting = self.waiting.front().copied();
        self.move_rows(cycle, moves, config);
        if let Some(pass) = self.request
            && self.first.len() < config.first_row
            && self.next_issue <= cycle
        {
            self.request = None;
            let ready = cycle + config.with_cuts(u64::from(pass.add_cycles));
            self.first.push_back(Pass { ready, ..pass });
            let busy = config.cycles_per_add;
            self.next_issue = cycle + busy + share_fpus(fpu_busy_until, cycle, busy);
        }
        if self.request.is_some() {
            return Started::default();
        }
        match waiting {
            Some(partial) => self.go_on(partial, config),
            None if moves.chosen != 0 => self.begin(moves.chosen - 1, config),
            None => Started::default(),
        }
    }

    /// Results leave the rows.
    #[inline]
    fn move_rows(&mut self, cycle: u64, moves: Moves, config: &JoinConfig) {
        let mut goes_past = false;
        if let Some((pass, is_second)) = self.oldest(cycle) {
            let is_partial = pass.is_partial();
            let is_taken = is_partial || moves.is_granted;
            goes_past = is_taken && !is_second;
            if is_taken && is_second {
                self.second.pop_front();
            } else if is_taken {
                self.first.pop_front();
            }
            if is_taken && is_partial && self.keep_sum(&pass) {
                // It lies where its flow looks for it.
            } else if is_taken && is_partial {
                self.waiting.push_back(Partial {
                    slot: pass.slot,
                    left: pass.left - 1,
                    payload: pass.payload,
                });
            } else if is_taken {
                self.leave(pass.slot);
            }
        }
        let is_through = |p: &&Pass| p.ready <= cycle;
        if !goes_past
            && self.second.len() < config.second_row
            && let Some(pass) = self.first.front().filter(is_through).copied()
        {
            self.first.pop_front();
            // What has no third operand passes through.
            let cycles = if pass.has_third { pass.add_cycles } else { 1 };
            let ready = cycle + u64::from(cycles);
            self.second.push_back(Pass { ready, ..pass });
        }
    }

    /// A result has left; with the last one its flow ends.
    #[inline]
    fn leave(&mut self, slot: u8) {
        let Some(at) = self.at_slot(slot) else { return };
        let Some(flow) = self.flows.get_mut(at) else {
            return;
        };
        flow.sent += 1;
        if flow.sent == flow.beats {
            self.flows.remove(at);
        }
    }

    /// The chosen beat is read from the store.
    #[inline]
    fn begin(&mut self, slot: u8, config: &JoinConfig) -> Started {
        let Some(at) = self.at_slot(slot) else {
            return Started::default();
        };
        let Some(flow) = self.flows.get_mut(at) else {
            return Started::default();
        };
        if flow.is_in_pairs() {
            return self.begin_addition(at);
        }
        let (adds, most) = (flow.operands() as u8 - 1, config.adds_per_pass);
        let left = adds.div_ceil(most) - 1;
        if left != 0 && self.partials == MOST_PARTIALS {
            return Started::default();
        }
        let beat = flow.start();
        self.partials += u8::from(left != 0);
        let pending = if left == 0 { flow.finish() } else { 0 };
        self.request = Some(Pass {
            ready: 0,
            payload: 0,
            slot: flow.slot,
            add_cycles: flow.add_cycles,
            has_third: adds - left * most == 2,
            left,
        });
        Started {
            begins: Some((at, beat)),
            pending: (at, pending),
        }
    }

    /// A partial sum is read from the store, with as many further operands as a pass adds.
    #[cold]
    fn go_on(&mut self, partial: Partial, config: &JoinConfig) -> Started {
        let is_last = partial.left == 0;
        let Some(at) = self.at_slot(partial.slot) else {
            return Started::default();
        };
        let flow = self.flows.get_mut(at);
        let Some(flow) = flow.filter(|f| !is_last || f.may_finish()) else {
            return Started::default();
        };
        let pending = if is_last { flow.finish() } else { 0 };
        self.waiting.pop_front();
        self.partials -= u8::from(is_last);
        self.request = Some(Pass {
            ready: 0,
            payload: partial.payload,
            slot: partial.slot,
            add_cycles: flow.add_cycles,
            has_third: config.adds_per_pass == 2,
            left: partial.left,
        });
        Started {
            begins: None,
            pending: (at, pending),
        }
    }

    /// The payload of the beat or addition that has begun.
    #[inline]
    pub(crate) const fn set_payload(&mut self, payload: u32) {
        if let Some(request) = &mut self.request {
            request.payload = payload;
        }
    }
}

/// Cores and network share the FPUs alternately (S1 §3.2.1): each slows the other down by its own use.
pub(crate) fn share_fpus(busy_until: &mut u64, cycle: u64, busy: u64) -> u64 {
    if *busy_until <= cycle {
        return 0;
    }
    *busy_until += busy;
    busy
}
