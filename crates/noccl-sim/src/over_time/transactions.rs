// SPDX-License-Identifier: Apache-2.0
//! When transactions begin and end: the first ones of a run, as many as fit.

use crate::transport::transaction::{Owner, Txn, TxnKind};
use noccl_net::TileId;
use noccl_run::TransactionTime;

/// Later transactions are only counted.
const MAX_TRANSACTIONS: usize = 1 << 16;
/// No transaction that is kept is open in this slot.
const NOT_KEPT: u32 = u32::MAX;

/// Transactions of a run that goes on.
#[derive(Debug, Default)]
pub(super) struct Transactions {
    kept: Vec<(Owner, TransactionTime)>,
    /// By slot of the transaction table: the transaction that is open there, and is it one?
    open: Vec<(u32, bool)>,
    left_out: u64,
    /// Wide reductions that are open.
    pub open_reductions: u32,
}

impl Transactions {
    /// A tile asks for a transaction, or contributes to one.
    pub(super) fn command(&mut self, slot: u32, txn: &Txn, tile: u32, cycle: u64) {
        let at = slot as usize;
        if self.open.len() <= at {
            self.open.resize(at + 1, (NOT_KEPT, false));
        }
        if self.open[at].1 {
            return;
        }
        self.open_reductions += u32::from(txn.kind == TxnKind::WideReduction);
        if self.kept.len() >= MAX_TRANSACTIONS {
            self.left_out += 1;
            self.open[at] = (NOT_KEPT, true);
            return;
        }
        self.open[at] = (self.kept.len() as u32, true);
        let target = match txn.kind {
            TxnKind::WideReduction | TxnKind::Barrier => txn.home,
            TxnKind::WideWrite
            | TxnKind::WideRead
            | TxnKind::NarrowWrite
            | TxnKind::NarrowRead
            | TxnKind::Atomic => txn.target,
        };
        let time = TransactionTime {
            kind: words(txn),
            action: None,
            tile: TileId(tile),
            target: (!txn.is_multicast).then_some(TileId(target)),
            bytes: txn.bytes,
            start_cycle: cycle,
            first_beat_cycle: None,
            last_beat_cycle: None,
            response_cycle: None,
        };
        self.kept.push((txn.owner, time));
    }

    fn time(&mut self, slot: u32) -> Option<&mut TransactionTime> {
        let (index, _) = self.open.get(slot as usize)?;
        self.kept.get_mut(*index as usize).map(|(_, time)| time)
    }

    pub(super) fn first_beat(&mut self, slot: u32, cycle: u64) {
        if let Some(time) = self.time(slot) {
            time.first_beat_cycle.get_or_insert(cycle);
        }
    }

    pub(super) fn last_beat(&mut self, slot: u32, cycle: u64) {
        if let Some(time) = self.time(slot) {
            time.last_beat_cycle = Some(cycle);
        }
    }

    pub(super) fn response(&mut self, slot: u32, cycle: u64) {
        if let Some(time) = self.time(slot) {
            // Data that are read have come with the response.
            time.last_beat_cycle.get_or_insert(cycle);
            time.response_cycle = Some(cycle);
        }
    }

    /// Another transaction may use the slot.
    pub(super) fn closed(&mut self, slot: u32, txn: &Txn) {
        if let Some(open) = self.open.get_mut(slot as usize)
            && std::mem::replace(open, (NOT_KEPT, false)).1
        {
            self.open_reductions -= u32::from(txn.kind == TxnKind::WideReduction);
        }
    }

    /// What was kept and how many were not; `action_of` says to which action a DMA transfer belongs.
    pub(super) fn finish(
        self,
        action_of: impl Fn(u32) -> Option<u32>,
    ) -> (Vec<TransactionTime>, u64) {
        let with_action = |(owner, time): (Owner, TransactionTime)| TransactionTime {
            action: match owner {
                Owner::DmaWrite { instance } => action_of(instance),
                Owner::Reduction { action } | Owner::Barrier { action } => Some(action),
                Owner::Trace { entry, .. } => Some(entry),
                Owner::Traffic { .. }
                | Owner::DmaRead
                | Owner::Chain { .. }
                | Owner::Message { .. } => None,
            },
            ..time
        };
        (
            self.kept.into_iter().map(with_action).collect(),
            self.left_out,
        )
    }
}

const fn words(txn: &Txn) -> &'static str {
    match (txn.kind, txn.is_multicast) {
        (TxnKind::WideWrite, false) => "write",
        (TxnKind::WideWrite, true) => "multicast",
        (TxnKind::WideRead, _) => "read",
        (TxnKind::WideReduction, _) => "reduction",
        (TxnKind::NarrowWrite, false) => "narrow write",
        (TxnKind::NarrowWrite, true) => "narrow multicast",
        (TxnKind::NarrowRead, _) => "narrow read",
        (TxnKind::Barrier, _) => "barrier",
        (TxnKind::Atomic, _) => "atomic",
    }
}
