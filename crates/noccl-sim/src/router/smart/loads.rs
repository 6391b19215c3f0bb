// SPDX-License-Identifier: Apache-2.0
//! Flits over each link. A path of several hops is noted at both its ends only.

use super::numbers::{LOCAL, Numbers};
use noccl_net::TileId;

/// Bits of a line and one beyond.
const ENDS: usize = 65;

/// Differences along each line, by output, line and bit.
pub(super) struct Loads {
    pub flit_hops: u64,
    pub payload_hops: u64,
    /// Flits that routers have buffered: not contributions that are combined where they are latched.
    pub buffered_flits: u64,
    ends: Vec<i64>,
}

impl Loads {
    pub(super) fn new() -> Self {
        Self {
            flit_hops: 0,
            payload_hops: 0,
            buffered_flits: 0,
            ends: vec![0; LOCAL * 64 * ENDS],
        }
    }

    #[inline]
    pub(super) fn add(&mut self, out: usize, line: usize, bit: u32, hops: u32) {
        self.flit_hops += u64::from(hops);
        let first = (out * 64 + line) * ENDS + bit as usize;
        self.ends[first] += 1;
        self.ends[first + hops as usize] -= 1;
    }

    /// Links with flits: tile, output, flits.
    pub(super) fn by_link(&self, n: &Numbers) -> Vec<(TileId, usize, u64)> {
        let mut loads = Vec::new();
        for out in 0..LOCAL {
            for line in 0..64 {
                let ends = &self.ends[(out * 64 + line) * ENDS..][..ENDS];
                let mut flits = 0;
                for (bit, change) in ends.iter().enumerate() {
                    flits += change;
                    if flits > 0 {
                        let along = if out < 2 { bit } else { 63 - bit };
                        let (x, y) = if super::numbers::is_along_row(out) {
                            (along, line)
                        } else {
                            (line, along)
                        };
                        let tile = TileId((x * n.height as usize + y) as u32);
                        loads.push((tile, out, flits as u64));
                    }
                }
            }
        }
        loads.sort_unstable();
        loads
    }
}
