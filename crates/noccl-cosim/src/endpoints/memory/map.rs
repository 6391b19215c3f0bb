// SPDX-License-Identifier: Apache-2.0
//! Addresses as the network interfaces of a library decode them.

use crate::lockstep::{LockstepError, Numbers};
use noccl_net::Coord;

#[derive(Debug, Clone)]
struct Region {
    base: u64,
    at: Coord,
    width: u16,
    height: u16,
    offset_bits: u64,
    y_bits: u64,
}

/// The address map of a library.
#[derive(Debug, Clone)]
pub(crate) struct AddressMap {
    regions: Vec<Region>,
    clusters: usize,
    /// South-west cluster.
    origin: Coord,
}

impl AddressMap {
    pub(crate) fn new(numbers: &Numbers) -> Result<Self, LockstepError> {
        let of = |name: &str| numbers.array(name);
        let (base, x, y) = (of("MAP_BASE")?, of("MAP_X")?, of("MAP_Y")?);
        let (width, height) = (of("MAP_WIDTH")?, of("MAP_HEIGHT")?);
        let (offset_bits, y_bits) = (of("MAP_OFFSET_BITS")?, of("MAP_Y_BITS")?);
        let region = |i: usize| {
            Some(Region {
                base: *base.get(i)?,
                at: Coord::new(*x.get(i)? as u16, *y.get(i)? as u16),
                width: *width.get(i)? as u16,
                height: *height.get(i)? as u16,
                offset_bits: *offset_bits.get(i)?,
                y_bits: *y_bits.get(i)?,
            })
        };
        let origin = |name| numbers.get(name).map(|n| n as u16);
        Ok(Self {
            regions: (0..base.len()).filter_map(region).collect(),
            clusters: numbers.get("CLUSTER_REGION")? as usize,
            origin: Coord::new(origin("REGION_X")?, origin("REGION_Y")?),
        })
    }

    /// Address of a byte of a tile's memory; 0, an unmapped address, for a tile without one.
    pub(crate) fn address(&self, tile: Coord, offset: u64) -> u64 {
        let holds = |r: &&Region| {
            let (x, y) = (tile.x.wrapping_sub(r.at.x), tile.y.wrapping_sub(r.at.y));
            x < r.width && y < r.height
        };
        let found = self.regions.iter().find(holds);
        // 0: an unmapped address, as said above.
        found.map_or(0, |r| {
            let (x, y) = (u64::from(tile.x - r.at.x), u64::from(tile.y - r.at.y));
            r.base + (x << (r.y_bits + r.offset_bits)) + (y << r.offset_bits) + offset
        })
    }

    /// Mesh coordinate of a cluster.
    pub(crate) const fn cluster(&self, at: Coord) -> Coord {
        Coord::new(at.x + self.origin.x, at.y + self.origin.y)
    }

    /// Address bits of masked bits of cluster coordinates.
    pub(crate) fn mask(&self, mask: Coord) -> u64 {
        // 0: without a region of clusters no bit is masked.
        self.regions.get(self.clusters).map_or(0, |r| {
            (u64::from(mask.x) << (r.y_bits + r.offset_bits)) | u64::from(mask.y) << r.offset_bits
        })
    }
}
