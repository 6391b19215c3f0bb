// SPDX-License-Identifier: Apache-2.0
//! What travels: a flit is a number of its worm and of itself in it; data stay with whoever opened the worm.

use serde::{Deserialize, Serialize};

/// A worm between its opening and the delivery of its last flit; numbers are used again afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct WormId(pub u32);

impl WormId {
    /// As an index into arrays per worm.
    pub(crate) const fn idx(self) -> usize {
        self.0 as usize
    }
}

const TAIL: u32 = 1 << 31;

/// A flit of a worm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WormholeFlit {
    worm: u32,
    /// Its number in the worm, and [`TAIL`] if it is the last.
    place: u32,
}

impl WormholeFlit {
    pub(super) const NONE: Self = Self { worm: 0, place: 0 };

    pub(super) const fn new(worm: WormId, index: u32, is_tail: bool) -> Self {
        Self {
            worm: worm.0,
            place: index | if is_tail { TAIL } else { 0 },
        }
    }

    pub(crate) const fn worm(self) -> WormId {
        WormId(self.worm)
    }

    /// Its number in the worm, from 0.
    pub(crate) const fn index(self) -> u32 {
        self.place & !TAIL
    }

    pub(crate) const fn is_head(self) -> bool {
        self.index() == 0
    }

    pub(crate) const fn is_tail(self) -> bool {
        self.place & TAIL != 0
    }
}
