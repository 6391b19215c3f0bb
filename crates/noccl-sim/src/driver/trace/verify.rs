// SPDX-License-Identifier: Apache-2.0
//! What a trace entry must have left in memory, computed without the network.

use crate::driver::trace::faults::TraceFaults;
use crate::driver::trace::form::{contribution_seed, part_offset};
use crate::machine::Machine;
use crate::tile_index::tile_index;
use crate::transport::axi_response::OKAY;
use crate::transport::burst::Bursts;
use crate::transport::payload::pattern;
use noccl_net::TileRef;
use noccl_workload::PortKind;

/// One finished entry, and what its faults change.
pub(crate) struct Verify<'a, 'n> {
    pub machine: &'a Machine<'n>,
    pub(super) faults: &'a TraceFaults,
    pub index: u32,
}

impl Verify<'_, '_> {
    /// Compares the memory of every target with the bytes that the entry should have written.
    pub(crate) fn is_right(&self, kind: &PortKind) -> bool {
        match kind {
            PortKind::WideWrite { from, beats, .. }
            | PortKind::WideMulticast { from, beats, .. } => {
                let sent = self.written(self.find(*from), *beats);
                self.targets(kind).iter().all(|t| self.holds(*t, &sent))
            }
            PortKind::WideReduction { group, beats, .. } => {
                let mut sum = vec![0; self.machine.beat.bytes_of(u64::from(*beats)) as usize];
                for tile in self.machine.network.multi_tiles(*group).flatten() {
                    add(&mut sum, &self.written(tile.0, *beats));
                }
                self.targets(kind).iter().all(|t| self.holds(*t, &sum))
            }
            PortKind::WideRead { .. }
            | PortKind::NarrowWrite { .. }
            | PortKind::NarrowMulticast { .. }
            | PortKind::NarrowRead { .. }
            | PortKind::Atomic { .. }
            | PortKind::Barrier { .. } => true,
        }
    }

    /// The response code that the entry must end with.
    pub(crate) fn expected_response(&self, kind: &PortKind) -> u8 {
        let (beats, address) = match kind {
            PortKind::WideWrite { beats, .. }
            | PortKind::WideMulticast { beats, .. }
            | PortKind::WideReduction { beats, .. } => {
                (*beats, part_offset(self.index, self.machine))
            }
            PortKind::WideRead { beats, .. } => (*beats, 0),
            PortKind::NarrowWrite { .. }
            | PortKind::NarrowMulticast { .. }
            | PortKind::NarrowRead { .. }
            | PortKind::Atomic { .. }
            | PortKind::Barrier { .. } => (0, 0),
        };
        let axi = self.machine.network.axi();
        let tiles = self.targets(kind);
        let accesses = tiles.iter().flat_map(|tile| {
            let bursts = Bursts::of_beats(beats, axi);
            let wide = bursts.map(|b| (*tile, address + b.offset, b.bytes));
            let narrow = (beats == 0).then_some((*tile, 0, 0));
            wide.chain(narrow)
        });
        self.faults
            .expected_response(self.index, accesses, self.machine)
    }

    fn find(&self, tile: TileRef) -> u32 {
        tile_index(&self.machine.network, tile)
    }

    /// Tiles whose memory the entry reaches.
    fn targets(&self, kind: &PortKind) -> Vec<u32> {
        match kind {
            PortKind::WideMulticast { to, .. } | PortKind::NarrowMulticast { to, .. } => {
                let tiles = self.machine.network.multi_tiles(*to).flatten();
                tiles.map(|t| t.0).collect()
            }
            PortKind::WideWrite { to: tile, .. }
            | PortKind::NarrowWrite { to: tile, .. }
            | PortKind::Atomic { to: tile, .. }
            | PortKind::WideRead { source: tile, .. }
            | PortKind::NarrowRead { source: tile, .. }
            | PortKind::WideReduction { root: tile, .. }
            | PortKind::Barrier { root: tile, .. } => {
                let found = self.machine.network.find(*tile);
                found.map(|t| t.0).into_iter().collect()
            }
        }
    }

    /// Bytes that `tile` sends.
    fn written(&self, tile: u32, beats: u32) -> Vec<u8> {
        let mut all = vec![0; self.machine.beat.bytes_of(u64::from(beats)) as usize];
        for burst in Bursts::of_beats(beats, self.machine.network.axi()) {
            let seed = contribution_seed(self.index, tile) ^ burst.offset.wrapping_mul(0x9e37);
            let from = burst.offset as usize;
            pattern(seed, 0, &mut all[from..from + burst.bytes as usize]);
        }
        all
    }

    /// Does the memory of `tile` hold the bytes, less the bursts that failed?
    fn holds(&self, tile: u32, sent: &[u8]) -> bool {
        let base = part_offset(self.index, self.machine);
        let mut expected = sent.to_vec();
        for burst in Bursts::new(0, sent.len() as u64, self.machine.network.axi()) {
            let address = base + burst.offset;
            let response = self
                .machine
                .errors
                .memory_response(tile, address, burst.bytes);
            if response != OKAY || self.faults.writes_nothing(self.index) {
                let from = burst.offset as usize;
                expected[from..from + burst.bytes as usize].fill(0);
            }
        }
        let mut found = vec![0; expected.len()];
        self.machine.memory.memories.read(tile, base, &mut found);
        found == expected
    }
}

/// Sum of 64-bit integers, independent of the engine's arithmetic.
fn add(sum: &mut [u8], more: &[u8]) {
    for (a, b) in sum.chunks_exact_mut(8).zip(more.chunks_exact(8)) {
        let word = |c: &[u8]| {
            c.iter()
                .rev()
                .fold(0u64, |w, byte| w << 8 | u64::from(*byte))
        };
        a.copy_from_slice(&word(a).wrapping_add(word(b)).to_le_bytes());
    }
}
