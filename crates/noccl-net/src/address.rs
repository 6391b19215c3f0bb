// SPDX-License-Identifier: Apache-2.0
//! (dst, mask) pairs that stand for 2^n tiles (S1 §2.3).

use crate::Coord;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A set of coordinates as one hardware address: a 1 bit in a mask means "don't care".
///
/// `base` holds region coordinates (0, 0 = south-west tile of the region), so that the aligned
/// sub-cubes of S1 §3.2.2 are exactly the representable sets. Masked bits of `base` are zero.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct MultiAddress {
    /// Smallest member in x and y.
    pub base: Coord,
    /// Don't-care bits of x and of y.
    pub mask: Coord,
}

impl MultiAddress {
    /// The set of one coordinate.
    #[must_use]
    pub const fn single(at: Coord) -> Self {
        Self {
            base: at,
            mask: Coord::new(0, 0),
        }
    }

    /// Normalises `base` so that masked bits are zero.
    #[must_use]
    pub const fn new(base: Coord, mask: Coord) -> Self {
        Self {
            base: Coord::new(base.x & !mask.x, base.y & !mask.y),
            mask,
        }
    }

    /// Is the coordinate a member?
    #[must_use]
    pub const fn contains(self, at: Coord) -> bool {
        (at.x & !self.mask.x) == self.base.x && (at.y & !self.mask.y) == self.base.y
    }

    /// Largest member in x and y.
    #[must_use]
    pub const fn max(self) -> Coord {
        Coord::new(self.base.x | self.mask.x, self.base.y | self.mask.y)
    }

    /// Number of members, at most `u32::MAX`, which is more than any mesh has.
    #[must_use]
    pub const fn len(self) -> u32 {
        match 1_u32.checked_shl(self.mask.x.count_ones() + self.mask.y.count_ones()) {
            Some(members) => members,
            None => u32::MAX,
        }
    }

    /// A multi-address always has a member.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        false
    }

    /// Do the two sets share a member?
    #[must_use]
    pub const fn overlaps(self, other: Self) -> bool {
        let free_x = self.mask.x | other.mask.x;
        let free_y = self.mask.y | other.mask.y;
        (self.base.x ^ other.base.x) & !free_x == 0 && (self.base.y ^ other.base.y) & !free_y == 0
    }

    /// Members, x outer, y inner, ascending.
    pub fn members(self) -> impl Iterator<Item = Coord> {
        let xs = subsets(self.mask.x);
        xs.flat_map(move |dx| {
            subsets(self.mask.y).map(move |dy| Coord::new(self.base.x | dx, self.base.y | dy))
        })
    }
}

impl std::fmt::Display for MultiAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { base, mask } = self;
        write!(f, "cube:{},{},{},{}", base.x, base.y, mask.x, mask.y)
    }
}

/// All subsets of the bits of `mask`, ascending.
fn subsets(mask: u16) -> impl Iterator<Item = u16> {
    let mut next = Some(0u16);
    std::iter::from_fn(move || {
        let now = next?;
        next = if now == mask {
            None
        } else {
            Some((now.wrapping_sub(mask)) & mask)
        };
        Some(now)
    })
}
