// SPDX-License-Identifier: Apache-2.0
//! Reduction tables of all routers, and the operands that contributions carry.

use super::numbers::Numbers;
use super::packet::Combining;

/// An entry is reserved.
const RESERVED: u8 = 0x80;

/// Entries by id and tile.
pub(super) struct Table {
    tiles: usize,
    /// Contributions to come, with [`RESERVED`].
    counts: Vec<u8>,
    /// Contributions that have been dropped.
    leaves: Vec<u32>,
    /// Bytes of an operand; 0 where only times matter.
    value_bytes: usize,
    /// By entry, and by packet.
    values: Vec<u8>,
    operands: Vec<u8>,
}

impl Table {
    pub(super) fn new(n: &Numbers, value_bytes: usize) -> Self {
        let entries = if n.is_complete { n.table_entries } else { 0 };
        Self {
            tiles: n.tiles,
            counts: vec![0; n.tiles * entries],
            leaves: vec![0; n.tiles * entries],
            value_bytes,
            values: vec![0; n.tiles * entries * value_bytes],
            operands: Vec::new(),
        }
    }

    /// Contributions to come at a tile, of `inputs` at first.
    #[inline]
    pub(super) fn missing(&self, tile: usize, id: u32, inputs: u8) -> u8 {
        let count = self.counts[id as usize * self.tiles + tile];
        if count & RESERVED == 0 {
            inputs
        } else {
            count & !RESERVED
        }
    }

    /// A contribution that is not the last one is dropped.
    pub(super) fn count(
        &mut self,
        tile: usize,
        id: u32,
        inputs: u8,
        packet: u32,
        leaves: u32,
        combining: Combining,
    ) {
        let entry = id as usize * self.tiles + tile;
        let missing = self.missing(tile, id, inputs);
        assert!(missing > 1, "a router counts the last contribution");
        let is_first = self.counts[entry] & RESERVED == 0;
        self.counts[entry] = RESERVED | (missing - 1);
        self.leaves[entry] += leaves;
        if self.value_bytes == 0 {
            return;
        }
        let (value, operand) = (entry * self.value_bytes, packet as usize * self.value_bytes);
        let value = &mut self.values[value..value + self.value_bytes];
        let operand = &self.operands[operand..operand + self.value_bytes];
        if is_first {
            value.copy_from_slice(operand);
        } else {
            combining.combine(value, operand);
        }
    }

    /// The last contribution takes what has been combined, and the entry is free. Returns the contributions that this was.
    pub(super) fn finish(
        &mut self,
        tile: usize,
        id: u32,
        packet: u32,
        combining: Combining,
    ) -> u32 {
        let entry = id as usize * self.tiles + tile;
        if self.counts[entry] & RESERVED == 0 {
            return 0;
        }
        self.counts[entry] = 0;
        if self.value_bytes > 0 {
            let (value, operand) = (entry * self.value_bytes, packet as usize * self.value_bytes);
            let value = &self.values[value..value + self.value_bytes];
            let operand = &mut self.operands[operand..operand + self.value_bytes];
            combining.combine(operand, value);
        }
        std::mem::take(&mut self.leaves[entry])
    }

    /// One packet's operand is combined with another's.
    pub(super) fn combine(&mut self, into: u32, from: u32, combining: Combining) {
        let (into, from) = (
            into as usize * self.value_bytes,
            from as usize * self.value_bytes,
        );
        let bytes = self.value_bytes;
        let (low, high) = self.operands.split_at_mut(into.max(from));
        let (first, second) = (&mut low[into.min(from)..][..bytes], &mut high[..bytes]);
        if into < from {
            combining.combine(first, second);
        } else {
            combining.combine(second, first);
        }
    }

    /// What a packet carries.
    pub(super) fn operand(&self, packet: u32) -> &[u8] {
        let from = packet as usize * self.value_bytes;
        &self.operands[from..from + self.value_bytes]
    }

    pub(super) fn set_operand(&mut self, packet: u32, bytes: &[u8]) {
        if self.value_bytes == 0 {
            return;
        }
        let from = packet as usize * self.value_bytes;
        if self.operands.len() < from + self.value_bytes {
            self.operands.resize(from + self.value_bytes, 0);
        }
        let operand = &mut self.operands[from..from + self.value_bytes];
        let given = bytes.len().min(operand.len());
        operand[..given].copy_from_slice(&bytes[..given]);
        operand[given..].fill(0);
    }

    /// Does no router count contributions of an id?
    pub(super) fn is_free(&self, id: u32) -> bool {
        let counts = &self.counts[id as usize * self.tiles..][..self.tiles];
        counts.iter().all(|count| *count == 0)
    }

    /// Entries that wait: tile, id, contributions to come.
    pub(super) fn waiting(&self) -> impl Iterator<Item = (usize, u32, u8)> + '_ {
        let counts = self.counts.iter().enumerate();
        counts
            .filter(|(_, count)| **count != 0)
            .map(|(at, count)| (at % self.tiles, (at / self.tiles) as u32, count & !RESERVED))
    }
}
