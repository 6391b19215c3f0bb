// SPDX-License-Identifier: Apache-2.0
//! The first word of a packet: where it goes and how long it is.
//!
//! | bits | field |
//! |---|---|
//! | 0 to 7 | column of the destination |
//! | 8 to 15 | row |
//! | 16 to 23 | words behind the header |

use noccl_net::{Coord, Network, TileId};

/// A header, decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) target: TileId,
    /// Words of the packet, the header among them.
    pub(super) words: u32,
}

impl Header {
    /// What a header says, or what is wrong with it.
    pub(super) fn decode(network: &Network, word: u32) -> Result<Self, String> {
        let (x, y) = ((word & 0xff) as u16, (word >> 8 & 0xff) as u16);
        if x >= network.width() || y >= network.height() {
            return Err(format!(
                "the packet's header {word:#010x} names tile ({x},{y}); accepted: columns 0 to {}, rows 0 to {}",
                network.width() - 1,
                network.height() - 1
            ));
        }
        Ok(Self {
            target: network.tile_at(Coord::new(x, y)),
            words: 1 + (word >> 16 & 0xff),
        })
    }
}
