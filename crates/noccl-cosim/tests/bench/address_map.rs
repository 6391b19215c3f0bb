// SPDX-License-Identifier: Apache-2.0
//! Addresses of the endpoints, and sets of them as bits.

use noccl_sim::lean_endpoint::Pointers;

/// Addresses of the bench: tiles of 4 MiB, the first behind as many as there are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Map {
    pub endpoints: u32,
}

impl Pointers for Map {
    fn address(&self, tile: u32, offset: u64) -> u64 {
        (u64::from(tile + self.endpoints) << 22) + offset
    }

    fn place(&self, address: u64) -> Option<(u32, u64)> {
        let tile = (address >> 22).checked_sub(self.endpoints.into())?;
        Some((tile as u32, address & ((1 << 22) - 1)))
    }
}

pub(super) fn bits(flags: impl Iterator<Item = bool>) -> u64 {
    flags
        .enumerate()
        .map(|(i, flag)| u64::from(flag) << i)
        .sum()
}
