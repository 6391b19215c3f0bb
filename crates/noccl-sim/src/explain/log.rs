// SPDX-License-Identifier: Apache-2.0
//! First pass of an explanation: when each transaction was asked for, was delivered, and was over.
//!
//! One entry per transaction and participant, none per flit: the loop over flits does not know that somebody takes notes.

use crate::transport::transaction::{Owner, Txn, TxnKind};
use noccl_net::tree::Cube;
use std::collections::{BTreeMap, HashMap};

/// A transaction that a tile has asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Logged {
    pub kind: TxnKind,
    pub owner: Owner,
    /// Initiator; of reductions and barriers the root.
    pub home: u32,
    /// Target of a unicast.
    pub target: u32,
    pub beats: u16,
    pub is_wide: bool,
    /// Members of a multicast, a reduction or a barrier.
    pub set: Cube,
}

/// Something that happens to a transaction at a tile.
#[derive(Debug, Clone, Copy)]
pub(super) struct At {
    /// Index of the transaction.
    pub transaction: u32,
    pub tile: u32,
    pub cycle: u64,
    /// How many of this sort came before in the run.
    pub serial: u32,
}

/// What the first pass takes down.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(super) transactions: Vec<Logged>,
    /// By slot of the transaction table: the transaction that is open there.
    open: HashMap<u32, u32>,
    pub(super) commands: Vec<At>,
    pub(super) deliveries: Vec<At>,
    pub(super) completions: Vec<At>,
}

impl Log {
    /// A tile asks for a transaction, or contributes to one.
    pub(super) fn command(&mut self, slot: u32, txn: &Txn, set: Cube, tile: u32, cycle: u64) {
        let transaction = *self.open.entry(slot).or_insert_with(|| {
            self.transactions.push(Logged {
                kind: txn.kind,
                owner: txn.owner,
                home: txn.home,
                target: txn.target,
                beats: txn.beats,
                is_wide: txn.is_wide,
                set,
            });
            self.transactions.len() as u32 - 1
        });
        push(&mut self.commands, transaction, tile, cycle);
    }

    /// The last beat of a transaction is at its target, or at one of its targets.
    pub(super) fn delivered(&mut self, slot: u32, tile: u32, cycle: u64) {
        if let Some(transaction) = self.open.get(&slot) {
            push(&mut self.deliveries, *transaction, tile, cycle);
        }
    }

    /// A tile has the last response to a transaction.
    pub(super) fn completed(&mut self, slot: u32, tile: u32, cycle: u64) {
        if let Some(transaction) = self.open.get(&slot) {
            push(&mut self.completions, *transaction, tile, cycle);
        }
    }

    /// The transaction is over: another one may use its slot.
    pub(super) fn closed(&mut self, slot: u32) {
        self.open.remove(&slot);
    }
}

fn push(list: &mut Vec<At>, transaction: u32, tile: u32, cycle: u64) {
    let serial = list.len() as u32;
    list.push(At {
        transaction,
        tile,
        cycle,
        serial,
    });
}

/// The log, by what the walk along the critical path asks for.
pub(super) struct Index {
    pub log: Log,
    /// Transactions by the channel of their owner.
    by_channel: HashMap<(u8, u32), Vec<u32>>,
    /// Messages and bursts of chains that were delivered at a tile, by cycle.
    chained_at: BTreeMap<u32, Vec<At>>,
}

impl Index {
    pub(super) fn new(mut log: Log) -> Self {
        let mut by_channel: HashMap<(u8, u32), Vec<u32>> = HashMap::new();
        for (at, txn) in log.transactions.iter().enumerate() {
            let mut channel = txn.owner.channel();
            if txn.owner == Owner::DmaRead {
                // Reads are not of an instance: the tile's engine does them one after the other.
                channel.1 = txn.home;
            }
            by_channel.entry(channel).or_default().push(at as u32);
        }
        let mut chained_at: BTreeMap<u32, Vec<At>> = BTreeMap::new();
        for delivery in &log.deliveries {
            let owner = log.transactions[delivery.transaction as usize].owner;
            if matches!(owner, Owner::Chain { .. } | Owner::Message { .. }) {
                chained_at.entry(delivery.tile).or_default().push(*delivery);
            }
        }
        // Stable: within a transaction by cycle, as they were taken down.
        for list in [&mut log.commands, &mut log.deliveries, &mut log.completions] {
            list.sort_by_key(|at| at.transaction);
        }
        Self {
            log,
            by_channel,
            chained_at,
        }
    }

    pub(super) fn transaction(&self, at: u32) -> &Logged {
        &self.log.transactions[at as usize]
    }

    /// Transactions of a channel, in the order in which they were asked for.
    pub(super) fn of_channel(&self, channel: (u8, u32)) -> &[u32] {
        self.by_channel.get(&channel).map_or(&[], Vec::as_slice)
    }

    pub(super) fn commands(&self, transaction: u32) -> &[At] {
        of(&self.log.commands, transaction)
    }

    pub(super) fn deliveries(&self, transaction: u32) -> &[At] {
        of(&self.log.deliveries, transaction)
    }

    /// The last completion at a tile, up to a cycle, of some transactions.
    pub(super) fn last_completion(&self, of: &[u32], tile: u32, until: u64) -> Option<At> {
        self.last(of, &self.log.completions, tile, until)
    }

    /// The last delivery at a tile, up to a cycle, of some transactions.
    pub(super) fn last_delivery(&self, of: &[u32], tile: u32, until: u64) -> Option<At> {
        self.last(of, &self.log.deliveries, tile, until)
    }

    fn last(&self, among: &[u32], list: &[At], tile: u32, until: u64) -> Option<At> {
        let all = among.iter().flat_map(|txn| of(list, *txn));
        let fits = all.filter(|at| at.tile == tile && at.cycle <= until);
        fits.copied().max_by_key(|at| (at.cycle, at.serial))
    }

    /// The last message or burst of a chain that a tile had before a cycle.
    pub(super) fn last_chained(&self, tile: u32, before: u64) -> Option<At> {
        let at = self.chained_at.get(&tile)?;
        let end = at.partition_point(|delivery| delivery.cycle < before);
        at[..end].last().copied()
    }
}

fn of(list: &[At], transaction: u32) -> &[At] {
    let start = list.partition_point(|at| at.transaction < transaction);
    let end = start + list[start..].partition_point(|at| at.transaction == transaction);
    &list[start..end]
}
