// SPDX-License-Identifier: Apache-2.0
//! State of the reductions at one router: a few cache lines, side by side, since a large mesh has a million of these.
//!
//! What the hardware has: slots for reductions, a register in front of the arithmetic, a pipeline of one or two rows whose
//! stages are its only buffer, and the sums that have to go through it again.

use super::JoinConfig;
use super::flow::{Bytes, Flow};
use crate::few::Few;
use crate::flit::{Flit, FlitKind, LAST};
use noccl_net::Port;
use serde::{Deserialize, Serialize};

/// Beats that may be between their two passes.
const MOST_PARTIALS: u8 = 8;

/// What a pass of a beat through the arithmetic brings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Brings {
    /// A result.
    #[default]
    Sum,
    /// A result, after the second row has added a third operand.
    SumOfThree,
    /// What goes back into the store, to be folded with the other operands.
    Partial,
    /// The same of three operands.
    PartialOfThree,
}

impl Brings {
    const fn has_third(self) -> bool {
        matches!(self, Self::SumOfThree | Self::PartialOfThree)
    }

    const fn is_partial(self) -> bool {
        matches!(self, Self::Partial | Self::PartialOfThree)
    }
}

/// A beat in the arithmetic.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Pass {
    /// Cycle from which on it can leave its row.
    ready: u64,
    payload: u32,
    slot: u8,
    /// Additions in the first row, and the cycles of one.
    adds: u8,
    add_cycles: u8,
    brings: Brings,
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
pub(super) struct Unit {
    /// The FPUs take no addition of the network before.
    next_issue: u64,
    moves: Moves,
    partials: u8,
    /// Slot whose senders are paid, see `debts.rs`.
    pub turn: u8,
    /// The register in front of the arithmetic.
    request: Option<Pass>,
    /// In the order in which they began: the first one is the oldest.
    pub flows: Few<Flow, 2>,
    first: Few<Pass, 3>,
    second: Few<Pass, 3>,
    /// Partial sums in the store: their slots and payloads.
    waiting: Few<(u8, u32), 1>,
    pub bytes: Bytes,
}

/// What the end of a cycle has started.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Started {
    /// Flow whose next beat has been read from the store, and the number of the beat.
    pub begins: Option<(usize, u16)>,
    /// Flow, and senders that are owed room for its operands.
    pub owes: (usize, u8),
}

impl Unit {
    /// Where a transaction's flow stands.
    #[inline]
    pub(super) fn find(&self, txn: u32) -> Option<usize> {
        (0..self.flows.len()).find(|at| self.flows.get(*at).is_some_and(|f| f.txn == txn))
    }

    #[inline]
    pub(super) fn at_slot(&self, slot: u8) -> Option<usize> {
        (0..self.flows.len()).find(|at| self.flows.get(*at).is_some_and(|f| f.slot == slot))
    }

    /// The lowest slot that no reduction has.
    pub(super) fn free_slot(&self, slots: u32) -> Option<u8> {
        let used = self.flows.iter().fold(0_u64, |set, f| set | 1 << f.slot);
        let lowest = used.trailing_ones();
        (lowest < slots).then_some(lowest as u8)
    }

    /// Chooses the beat that starts next if it can: of the oldest flow that may. Operands that come in this cycle do
    /// not count yet.
    #[inline]
    pub(super) fn choose(&mut self) {
        let chosen = self.flows.iter().find(|f| f.may_start());
        self.moves.chosen = chosen.map_or(0, |f| f.slot + 1);
    }

    /// Takes an operand of the transaction whose flow stands at `at`.
    #[inline]
    pub(super) fn take(&mut self, at: usize, port: usize, flit: Flit, is_value: bool, cycle: u64) {
        let Some(flow) = self.flows.get_mut(at) else {
            return;
        };
        if is_value {
            let ahead = usize::from(flit.beat - flow.started);
            self.bytes.put(flit.txn, ahead, port, flit.payload);
        }
        flow.take(port, flit, cycle);
    }

    /// The tile's own operands of an all-reduce: value mode, a payload slot per beat.
    pub(super) fn put_in_place(&mut self, txn: u32, payloads: &[u32]) {
        for (beat, slot) in payloads.iter().enumerate() {
            self.bytes.put(txn, beat, Port::Local as usize, *slot);
        }
    }

    /// Can something move although nothing comes?
    #[inline]
    pub(super) fn is_busy(&self) -> bool {
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
            self.first.front().filter(|p| !p.brings.has_third())
        };
        front.filter(|p| p.ready <= cycle).map(|p| (*p, is_second))
    }

    /// Does a partial sum take the write port of its bank in this cycle?
    #[inline]
    pub(super) fn stores_partial(&self, cycle: u64) -> bool {
        self.partials > 0
            && self
                .oldest(cycle)
                .is_some_and(|(p, _)| p.brings.is_partial())
    }

    /// The result that is offered to the router.
    #[inline]
    pub(super) fn result(&self, here: u32, cycle: u64) -> Option<Flit> {
        let (pass, _) = self.oldest(cycle)?;
        if pass.brings.is_partial() {
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
            flags: (u8::from(is_last) * LAST) | flow.resp,
        })
    }

    /// The result that is offered to the router and the cycle since which it could have been, for diagnosis.
    pub(super) fn oldest_result(&self, here: u32) -> Option<(u64, Flit)> {
        let (pass, _) = self.oldest(u64::MAX)?;
        Some((pass.ready, self.result(here, u64::MAX)?))
    }

    /// The router takes the offered result.
    #[inline]
    pub(super) fn grant(&mut self) {
        self.moves.is_granted = true;
    }

    /// The end of a cycle: everything that can moves. The payload of a beat that begins is set afterwards.
    #[inline]
    pub(super) fn step(
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
            let cycles = u64::from(pass.adds) * u64::from(pass.add_cycles);
            let ready = cycle + config.with_cuts(cycles);
            self.first.push_back(Pass { ready, ..pass });
            let busy = u64::from(pass.adds) * config.cycles_per_add;
            self.next_issue = cycle + busy + share_fpus(fpu_busy_until, cycle, busy);
        }
        if self.request.is_some() {
            return Started::default();
        }
        match waiting {
            Some(partial) => self.finish_partial(partial),
            None if moves.chosen != 0 => self.begin(moves.chosen - 1, config),
            None => Started::default(),
        }
    }

    /// Results leave the rows.
    #[inline]
    fn move_rows(&mut self, cycle: u64, moves: Moves, config: &JoinConfig) {
        let mut goes_past = false;
        if let Some((pass, is_second)) = self.oldest(cycle) {
            let is_partial = pass.brings.is_partial();
            let is_taken = is_partial || moves.is_granted;
            goes_past = is_taken && !is_second;
            if is_taken && is_second {
                self.second.pop_front();
            } else if is_taken {
                self.first.pop_front();
            }
            if is_taken && is_partial {
                self.waiting.push_back((pass.slot, pass.payload));
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
            let has_third = pass.brings.has_third();
            // What has no third operand passes through.
            let cycles = if has_third { pass.add_cycles } else { 1 };
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
        let operands = flow.operands() as u8;
        let (adds, brings) = match (config.adds_per_cycle, operands) {
            (1, _) => (operands - 1, Brings::Sum),
            (_, 2) => (1, Brings::Sum),
            (_, 3) => (1, Brings::SumOfThree),
            (_, 4) => (1, Brings::Partial),
            (_, _) => (1, Brings::PartialOfThree),
        };
        if brings.is_partial() && self.partials == MOST_PARTIALS {
            return Started::default();
        }
        let beat = flow.start();
        self.partials += u8::from(brings.is_partial());
        let owes = if brings.is_partial() {
            0
        } else {
            flow.finish()
        };
        self.request = Some(Pass {
            ready: 0,
            payload: 0,
            slot: flow.slot,
            adds,
            add_cycles: flow.add_cycles,
            brings,
        });
        Started {
            begins: Some((at, beat)),
            owes: (at, owes),
        }
    }

    /// A partial sum is read from the store, with the rest of its operands.
    #[cold]
    fn finish_partial(&mut self, (slot, payload): (u8, u32)) -> Started {
        let Some(at) = self.at_slot(slot) else {
            return Started::default();
        };
        let Some(flow) = self.flows.get_mut(at).filter(|f| f.may_finish()) else {
            return Started::default();
        };
        let owes = flow.finish();
        self.waiting.pop_front();
        self.partials -= 1;
        self.request = Some(Pass {
            ready: 0,
            payload,
            slot,
            adds: 1,
            add_cycles: flow.add_cycles,
            brings: Brings::SumOfThree,
        });
        Started {
            begins: None,
            owes: (at, owes),
        }
    }

    /// The payload of the beat that has begun.
    #[inline]
    pub(super) const fn set_payload(&mut self, payload: u32) {
        if let Some(request) = &mut self.request {
            request.payload = payload;
        }
    }
}

/// Cores and network share the FPUs in turns (S1 §3.2.1): each slows the other down by its own use.
pub(super) fn share_fpus(busy_until: &mut u64, cycle: u64, busy: u64) -> u64 {
    if *busy_until <= cycle {
        return 0;
    }
    *busy_until += busy;
    busy
}
