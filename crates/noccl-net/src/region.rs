// SPDX-License-Identifier: Apache-2.0
//! The address map: which address bits select a tile, and what a masked address means.
//!
//! A region of W×H tiles is padded to powers of two. An address inside it is, from the top: the
//! region's base, the bits of x, the bits of y, the bits of the offset. So a mask over the x and y
//! bits of an address is a mask over coordinates, and hardware converts one into the other by picking
//! bits (S1 §3.1.1, §3.2.2). Addresses of padded tiles are unmapped.

use crate::{Coord, MultiAddress, NetError, Network, TileId, TileKind};
use noccl_spec::Region;

/// Where a region's tiles stand and which addresses they have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RegionMap {
    pub(crate) kind: TileKind,
    pub(crate) origin: Coord,
    pub(crate) width: u16,
    pub(crate) height: u16,
    pub(crate) base: u64,
    x_bits: u32,
    y_bits: u32,
    stride_bits: u32,
}

/// A multi-address as it stands on the bus: an address and a mask of "don't care" bits (AWUSER).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MaskedAddress {
    /// Address of the member whose masked bits are zero.
    pub address: u64,
    /// Bits of the address that do not matter; only bits that select x or y may be set.
    pub mask: u64,
}

impl RegionMap {
    /// The map of a region whose sides and stride have been checked.
    pub(crate) fn new(region: &Region) -> Self {
        Self {
            kind: region.kind.into(),
            origin: Coord::new(region.x as u16, region.y as u16),
            width: region.width as u16,
            height: region.height as u16,
            base: region.base_address,
            x_bits: region.width.next_power_of_two().trailing_zeros(),
            y_bits: region.height.next_power_of_two().trailing_zeros(),
            stride_bits: region.stride_bytes.trailing_zeros(),
        }
    }

    /// Columns and rows after padding.
    pub(crate) const fn padded(&self) -> (u32, u32) {
        (1 << self.x_bits, 1 << self.y_bits)
    }

    /// Bytes of address space, padded tiles included.
    pub(crate) const fn bytes(&self) -> u64 {
        1 << (self.x_bits + self.y_bits + self.stride_bits)
    }

    /// Does the mesh coordinate lie in this region?
    pub(crate) const fn has(&self, at: Coord) -> bool {
        at.x >= self.origin.x
            && at.y >= self.origin.y
            && at.x - self.origin.x < self.width
            && at.y - self.origin.y < self.height
    }

    const fn has_address(&self, address: u64) -> bool {
        address >= self.base && address - self.base < self.bytes()
    }

    /// Moves coordinate bits to their place in an address.
    const fn spread(&self, c: Coord) -> u64 {
        ((c.x as u64) << (self.y_bits + self.stride_bits)) | ((c.y as u64) << self.stride_bits)
    }

    /// Picks the coordinate bits of an address.
    const fn select(&self, address: u64) -> Coord {
        let (columns, rows) = self.padded();
        Coord::new(
            ((address >> (self.y_bits + self.stride_bits)) & (columns as u64 - 1)) as u16,
            ((address >> self.stride_bits) & (rows as u64 - 1)) as u16,
        )
    }

    const fn offset(&self, address: u64) -> u64 {
        address & ((1 << self.stride_bits) - 1)
    }
}

impl Network {
    /// Address of a byte of a tile's memory. An offset beyond the stride reaches into the next tile.
    ///
    /// # Panics
    /// Never for a tile of this network: every tile belongs to a region.
    #[must_use]
    pub fn address(&self, tile: TileId, offset: u64) -> u64 {
        let at = self.coord(tile);
        let region = self
            .regions
            .iter()
            .find(|r| r.has(at))
            .expect("elaboration covered every tile");
        let local = Coord::new(at.x - region.origin.x, at.y - region.origin.y);
        region.base + region.spread(local) + offset
    }

    /// Tile and offset of an address; `None` where nothing is mapped: outside all regions, in the
    /// padding, or between the end of a memory and the next stride.
    #[must_use]
    pub fn decode(&self, address: u64) -> Option<(TileId, u64)> {
        let region = self.regions.iter().find(|r| r.has_address(address))?;
        let local = region.select(address);
        if local.x >= region.width || local.y >= region.height {
            return None;
        }
        let at = Coord::new(region.origin.x + local.x, region.origin.y + local.y);
        let (tile, offset) = (self.tile_at(at), region.offset(address));
        (offset < self.memory_bytes(tile)).then_some((tile, offset))
    }

    /// The bus form of a multi-address over the cluster region, at the same offset of every member.
    ///
    /// # Errors
    /// [`NetError::Set`] if the set or the offset reaches beyond the padded region.
    pub fn masked_address(
        &self,
        set: MultiAddress,
        offset: u64,
    ) -> Result<MaskedAddress, NetError> {
        let region = &self.regions[self.cluster_region];
        let (columns, rows) = region.padded();
        let max = set.max();
        let stride = 1u64 << region.stride_bits;
        if u32::from(max.x) >= columns || u32::from(max.y) >= rows || offset >= stride {
            return Err(NetError::Set {
                what: "multi-address".to_owned(),
                set: format!("{set} offset {offset:#x}"),
                reason: format!(
                    "must stay within {columns} x {rows} clusters and below offset {stride:#x}"
                ),
            });
        }
        Ok(MaskedAddress {
            address: region.base | region.spread(set.base) | offset,
            mask: region.spread(set.mask),
        })
    }

    /// The members and the offset that a masked address names; the inverse of
    /// [`Network::masked_address`]. Masked bits of the address do not matter.
    ///
    /// # Errors
    /// [`NetError::Set`] if the address lies outside the cluster region or the mask has other bits
    /// than those that select x and y: the NI responds with DECERR.
    pub fn decode_masked(&self, bus: MaskedAddress) -> Result<(MultiAddress, u64), NetError> {
        let region = &self.regions[self.cluster_region];
        let fail = |reason: String| NetError::Set {
            what: "masked address".to_owned(),
            set: format!("{:#x}/{:#x}", bus.address, bus.mask),
            reason,
        };
        let selectable = region.bytes() - (1 << region.stride_bits);
        if bus.mask & !selectable != 0 {
            return Err(fail(format!(
                "only mask bits of {selectable:#x} select clusters"
            )));
        }
        if !region.has_address(bus.address) {
            return Err(fail(format!(
                "only the cluster region {:#x}..{:#x} can be addressed as a set",
                region.base,
                region.base + region.bytes()
            )));
        }
        let set = MultiAddress::new(region.select(bus.address), region.select(bus.mask));
        Ok((set, region.offset(bus.address)))
    }

    /// Columns and rows of the cluster region after padding to powers of two.
    #[must_use]
    pub fn padded_clusters(&self) -> (u32, u32) {
        self.regions[self.cluster_region].padded()
    }
}
