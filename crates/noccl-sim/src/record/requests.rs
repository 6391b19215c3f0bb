// SPDX-License-Identifier: Apache-2.0
//! What endpoints ask of their interfaces.

use crate::ni::axi::state::Source;
use crate::record::Observed;
use crate::transport::payload::pattern;
use crate::transport::transaction::TxnKind;
use noccl_net::TileId;
use noccl_run::{BeatSource, Command, CommandKind};

impl Observed<'_> {
    /// An endpoint asks its NI for a transaction.
    #[cold]
    pub(super) fn command(&self, tile: u32, id: u32, source: Option<Source>) -> Command {
        let txn = self.interfaces.txns.get(id);
        let tree = self.interfaces.txns.trees.tree(id);
        let (kind, target, is_group) = match txn.kind {
            TxnKind::WideWrite => (CommandKind::WideWrite, txn.target, txn.is_multicast),
            TxnKind::WideRead => (CommandKind::WideRead, txn.target, false),
            TxnKind::WideReduction => (CommandKind::Reduction, txn.home, true),
            TxnKind::NarrowWrite => (CommandKind::NarrowWrite, txn.target, txn.is_multicast),
            TxnKind::NarrowRead => (CommandKind::NarrowRead, txn.target, false),
            TxnKind::Barrier => (CommandKind::Barrier, txn.home, true),
            TxnKind::Atomic => (CommandKind::Atomic, txn.target, false),
        };
        // Only these bytes do not depend on what happens until the beat leaves.
        let seed = if let Some(Source::Pattern(seed)) = source
            && self.is_value
        {
            Some(seed)
        } else {
            None
        };
        let beats = if seed.is_some() { txn.beats } else { 0 };
        let beat = |beat| {
            let (from, len) = self.beat.part(txn.address, txn.bytes, beat);
            let mut line = vec![0; self.beat.bytes()];
            let start = self.beat.lane(txn.address + u64::from(from));
            pattern(
                // 0: the seed of bytes that are not compared.
                seed.unwrap_or(0),
                from,
                &mut line[start..start + len as usize],
            );
            line
        };
        let (trees, number) = (&self.interfaces.txns.trees, self.errors.variant(id, tile));
        let (said, variant) = (trees.arithmetic(id, number), trees.variant(id, number));
        let (kind_of_owner, index) = txn.owner.channel();
        Command {
            tile: TileId(tile),
            tag: id,
            name: self.interfaces.txns.trees.name_of(id),
            transfer: u64::from(kind_of_owner) << 32 | u64::from(index),
            kind,
            target: self.network.coord(TileId(target)),
            set: is_group.then_some(tree.set.set),
            address: txn.address,
            bytes: txn.bytes,
            beats: txn.beats,
            operator: said.0,
            element: said.1,
            enabled_bytes: variant.map_or(self.beat.bytes() as u16, |v| v.enabled_bytes),
            source: match source {
                None | Some(Source::Pattern(_)) => BeatSource::Command,
                Some(Source::Memory(offset)) => BeatSource::Memory(offset),
                Some(Source::Buffer) => BeatSource::Engine,
                Some(Source::Operand(_) | Source::Switch(_) | Source::Result) => BeatSource::Other,
            },
            data: (0..beats).map(beat).collect(),
        }
    }
}
