// SPDX-License-Identifier: Apache-2.0
//! Transactions of a recording, by column: a run has tens of thousands of them.

use noccl_run::TransactionTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When transactions began and ended, in the order of their start; of reductions and barriers the first and the last of all members.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordedTransactions {
    /// Kinds, in words.
    pub kinds: Vec<String>,
    /// By transaction: index into the kinds.
    pub kind: Vec<u32>,
    /// Index of its action, of a trace of its entry; null where the network interface does not know it.
    pub action: Vec<Option<u32>>,
    /// Tile that asks for it first: x · rows + y.
    pub from: Vec<u32>,
    /// Target, of reductions and barriers the root; null of multicasts.
    pub to: Vec<Option<u32>>,
    /// Bytes of payload.
    pub bytes: Vec<u32>,
    /// The interface has it.
    pub start_cycle: Vec<u64>,
    /// The first beat, or the request, enters the network.
    pub first_beat_cycle: Vec<Option<u64>>,
    /// The last beat is in the memory of its last target; of a read, back.
    pub last_beat_cycle: Vec<Option<u64>>,
    /// The last response is back.
    pub response_cycle: Vec<Option<u64>>,
    /// Later transactions that were not kept.
    pub left_out: u64,
}

impl RecordedTransactions {
    pub(super) fn new(of: &[TransactionTime], left_out: u64) -> Self {
        let mut kinds: Vec<&str> = Vec::new();
        let kind = of.iter().map(|one| {
            let known = kinds.iter().position(|kind| *kind == one.kind);
            known.unwrap_or_else(|| {
                kinds.push(one.kind);
                kinds.len() - 1
            }) as u32
        });
        Self {
            kind: kind.collect(),
            kinds: kinds.into_iter().map(str::to_owned).collect(),
            action: of.iter().map(|one| one.action).collect(),
            from: of.iter().map(|one| one.tile.0).collect(),
            to: of.iter().map(|one| Some(one.target?.0)).collect(),
            bytes: of.iter().map(|one| one.bytes).collect(),
            start_cycle: of.iter().map(|one| one.start_cycle).collect(),
            first_beat_cycle: of.iter().map(|one| one.first_beat_cycle).collect(),
            last_beat_cycle: of.iter().map(|one| one.last_beat_cycle).collect(),
            response_cycle: of.iter().map(|one| one.response_cycle).collect(),
            left_out,
        }
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.start_cycle.len()
    }

    /// Are there none?
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.start_cycle.is_empty()
    }

    /// What is wrong, by the name of the column, on so many tiles.
    pub(super) fn check(&self, tiles: usize) -> Result<(), String> {
        let lengths = [
            ("kind", self.kind.len()),
            ("action", self.action.len()),
            ("from", self.from.len()),
            ("to", self.to.len()),
            ("bytes", self.bytes.len()),
            ("first_beat_cycle", self.first_beat_cycle.len()),
            ("last_beat_cycle", self.last_beat_cycle.len()),
            ("response_cycle", self.response_cycle.len()),
        ];
        let expected = self.len();
        if let Some((name, found)) = lengths.iter().find(|(_, length)| *length != expected) {
            return Err(format!(
                "transactions.{name}: {found} of {expected} transactions"
            ));
        }
        let kinds = self.kinds.len();
        let above = |of: &[u32], most: usize| of.iter().position(|n| *n as usize >= most);
        if let Some(at) = above(&self.kind, kinds) {
            let found = self.kind[at];
            return Err(format!(
                "transactions.kind[{at}]: {found}; accepted: below {kinds}"
            ));
        }
        let is_outside = |tile: u32| tile as usize >= tiles;
        let from = self.from.iter().position(|tile| is_outside(*tile));
        let to = self.to.iter().position(|tile| tile.is_some_and(is_outside));
        for (name, found) in [("from", from), ("to", to)] {
            if let Some(at) = found {
                return Err(format!(
                    "transactions.{name}[{at}]: no tile; accepted: below {tiles}"
                ));
            }
        }
        Ok(())
    }
}
