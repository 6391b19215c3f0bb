// SPDX-License-Identifier: Apache-2.0
//! Multicasts by a list of destinations in the header (ESP): how long the list may be, and over which outputs it goes.

use crate::{Coord, Network, TileId};
use std::collections::BTreeMap;

/// Most destinations that ESP allows, whatever the width of its flits.
const MAX_LISTED: u32 = 32;
/// Bits of a header beside places and valid bits: ESP 2025.1.0.
const OTHER_BITS: u32 = 10;
/// A coordinate has at least so many bits in ESP.
const MIN_COORDINATE_BITS: u32 = 3;

/// Destinations that fit into the header of a list multicast: the list grows with every one, so that the flit's width bounds it.
///
/// A header holds 10 bits, a place (two coordinates) and a valid bit per destination and two places more; ESP
/// allows at most 32.
#[must_use]
pub fn max_listed_destinations(header_bits: u32, coordinate_bits: u32) -> u32 {
    let place = 2 * coordinate_bits;
    let rest = header_bits.saturating_sub(OTHER_BITS + 2 * place);
    (rest / (place + 1)).min(MAX_LISTED)
}

impl Network {
    /// Destinations that one multicast of this network's routers can have; `None` if they multicast by no list.
    #[must_use]
    pub fn max_listed(&self) -> Option<u32> {
        let esp = self.spec().axi()?.router.esp.as_ref()?;
        let widest = self.width().max(self.height()) - 1;
        let bits = (u16::BITS - widest.leading_zeros()).max(MIN_COORDINATE_BITS);
        Some(max_listed_destinations(esp.header_bits, bits))
    }

    /// Output ports, as a mask of [`crate::Port::bit`]s, that a packet from `from` to all of `to` takes at every router it
    /// passes: the union of the paths.
    #[must_use]
    pub fn outputs_to(&self, from: TileId, to: &[TileId]) -> BTreeMap<TileId, u8> {
        let mut outputs = BTreeMap::new();
        for destination in to {
            let ends: (Coord, Coord) = (self.coord(from), self.coord(*destination));
            for (at, port) in self.path(ends.0, ends.1) {
                *outputs.entry(self.tile_at(at)).or_insert(0) |= port.bit();
            }
        }
        outputs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_hold_as_many_destinations_as_the_published_limits() {
        let limits = [64, 128, 256, 512].map(|bits| max_listed_destinations(bits, 4));
        assert_eq!(limits, [4, 11, 25, 32]);
        assert_eq!(max_listed_destinations(16, 4), 0);
    }
}
