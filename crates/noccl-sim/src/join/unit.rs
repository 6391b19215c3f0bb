// SPDX-License-Identifier: Apache-2.0
//! State of the reductions at one router: a few cache lines, side by side, since a large mesh has a million of these.

use super::flow::{Bytes, Flow};
use crate::few::Few;
use crate::flit::{Flit, FlitKind};
use crate::plane::Context;
use serde::{Deserialize, Serialize};

/// Complete beats of one transaction, one after the other.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Run {
    pub txn: u32,
    pub beats: u32,
}

/// A partial sum and the cycle in which it is done: txn and payload; that cycle, beat, flags from the low bits up.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Sum([u64; 2]);

impl Sum {
    const CYCLE_BITS: u32 = 40;

    pub(super) const fn new(done: u64, txn: u32, payload: u32, beat: u16, flags: u8) -> Self {
        let tags = (beat as u64) << Self::CYCLE_BITS | (flags as u64) << (Self::CYCLE_BITS + 16);
        Self([txn as u64 | (payload as u64) << 32, done | tags])
    }

    pub(super) const fn done(self) -> u64 {
        self.0[1] & ((1 << Self::CYCLE_BITS) - 1)
    }

    pub(super) const fn flit(self, here: u32) -> Flit {
        Flit {
            txn: self.0[0] as u32,
            dst: here,
            payload: (self.0[0] >> 32) as u32,
            beat: (self.0[1] >> Self::CYCLE_BITS) as u16,
            kind: FlitKind::Reduce,
            flags: (self.0[1] >> (Self::CYCLE_BITS + 16)) as u8,
        }
    }
}

/// Reductions at one router. What every beat touches comes first.
#[derive(Debug, Default, Serialize, Deserialize)]
#[repr(C, align(64))]
pub(super) struct Unit {
    pub next_issue: u64,
    /// Operands in the store.
    pub stored: u32,
    /// None of the complete beats has room at its next merge point: wait for credits or for another beat.
    pub is_stalled: bool,
    /// Complete beats, in the order in which they became so.
    pub ready: Few<Run, 2>,
    pub flows: Few<Flow, 2>,
    pub sums: Few<Sum, 8>,
    pub bytes: Bytes,
}

impl Unit {
    /// Where a transaction's flow stands.
    #[inline]
    pub(super) fn find(&self, txn: u32) -> Option<usize> {
        (0..self.flows.len()).find(|at| self.flows.get(*at).is_some_and(|f| f.txn == txn))
    }

    /// Takes an operand of the transaction whose flow stands at `at`.
    #[inline]
    pub(super) fn take(&mut self, at: usize, port: usize, flit: Flit, context: &Context<'_>) {
        let Some(flow) = self.flows.get_mut(at) else {
            return;
        };
        self.stored += 1;
        if context.is_value {
            let ahead = usize::from(flit.beat - flow.started);
            self.bytes.put(flit.txn, ahead, port, flit.payload);
        }
        if flow.take(port, flit, context.cycle) {
            self.make_ready(flit.txn);
        }
    }

    /// One more beat of a transaction is complete.
    #[inline]
    fn make_ready(&mut self, txn: u32) {
        match self.ready.back_mut() {
            Some(run) if run.txn == txn => run.beats += 1,
            Some(_) | None => self.ready.push_back(Run { txn, beats: 1 }),
        }
        self.is_stalled = false;
    }

    /// A complete beat of a run is taken.
    #[inline]
    pub(super) fn take_ready(&mut self, at: usize) {
        if let Some(run) = self.ready.get_mut(at) {
            run.beats -= 1;
            if run.beats == 0 {
                self.ready.remove(at);
            }
        }
    }

    /// Oldest complete beat whose next merge point has room for it: its run and its flow.
    #[inline]
    pub(super) fn next_with_room(&mut self) -> Option<(usize, usize)> {
        for at in 0..self.ready.len() {
            let txn = self.ready.get(at)?.txn;
            let flow = self.find(txn)?;
            if self.flows.get(flow)?.has_room() {
                return Some((at, flow));
            }
        }
        self.is_stalled = !self.ready.is_empty();
        None
    }
}
