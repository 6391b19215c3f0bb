// SPDX-License-Identifier: Apache-2.0
//! The flits of a plane, each stored once.
//!
//! FIFOs hold a [`FlitEntry`] per flit, half as large as the flit: what a router needs to route it, and its number here. So a
//! move copies 8 bytes, and twice as many routers fit into a cache. The copies of a multicast are one flit with several entries:
//! as many as interfaces will take, whatever forks make of them.

use crate::transport::flit::{Flit, Packed};
use serde::{Deserialize, Serialize};

/// A flit in a FIFO. Lower half: packed destination, whose coordinates have 15 bits each, or the transaction of a multicast in the same
/// bits, and in the sign bits how the flit is routed. Upper half: its number in the [`FlitStore`], and whether it is only delivered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FlitEntry(pub(crate) u64);

/// How the flit of a [`FlitEntry`] finds its outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RoutedBy {
    /// By its destination.
    Destination,
    /// A contribution: not before others are there.
    Contributions,
    /// A multicast: by its set.
    Set,
}

/// So many empty slots. The system hands out zeroed pages for plain integers, which no loop then writes; `vec![FlitEntry::default(); len]`
/// would touch all pages of a large mesh.
pub(crate) fn empty_slots(len: usize) -> Vec<FlitEntry> {
    vec![0; len].into_iter().map(FlitEntry).collect()
}

impl FlitEntry {
    const SET: u64 = 1 << 31;
    const CONTRIBUTIONS: u64 = 1 << 15;
    const ONLY_DELIVERED: u64 = 1 << 63;

    fn new(number: u32, flit: Packed) -> Self {
        debug_assert!(number >> 31 == 0);
        let route = if Flit::is_plain(flit) {
            u64::from(flit[0] as u32)
        } else if Flit::forks(flit) {
            let txn = flit[0] >> 32;
            debug_assert!(txn >> 30 == 0);
            Self::SET | txn & 0x7fff | (txn & 0x3fff_8000) << 1
        } else {
            Self::CONTRIBUTIONS | u64::from(flit[0] as u32)
        };
        let only_delivered = u64::from(Flit::is_only_delivered(flit)) << 63;
        Self(only_delivered | u64::from(number) << 32 | route)
    }

    /// How the flit finds its outputs.
    #[inline]
    pub(crate) const fn routed_by(self) -> RoutedBy {
        if self.0 & (Self::SET | Self::CONTRIBUTIONS) == 0 {
            RoutedBy::Destination
        } else if self.0 & Self::SET != 0 {
            RoutedBy::Set
        } else {
            RoutedBy::Contributions
        }
    }

    /// Packed destination of a flit that is routed by it.
    #[inline]
    pub(crate) const fn destination(self) -> u32 {
        self.0 as u32
    }

    /// Transaction of a multicast.
    #[inline]
    pub(crate) const fn txn(self) -> u32 {
        self.0 as u32 & 0x7fff | (self.0 as u32 & 0x7fff_0000) >> 1
    }

    /// See [`Flit::is_only_delivered`].
    #[inline]
    pub(crate) const fn is_only_delivered(self) -> bool {
        self.0 & Self::ONLY_DELIVERED != 0
    }

    #[inline]
    const fn number(self) -> u32 {
        (self.0 >> 32) as u32 & 0x7fff_ffff
    }
}

/// A flit, and how often it will still leave the network.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct StoredFlit {
    flit: Packed,
    leaves: u32,
}

/// The flits of a plane by number. Numbers are dense and given out again, so that memory follows the flits in the network.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct FlitStore {
    stored: Vec<StoredFlit>,
    free: Vec<u32>,
    /// Numbers given out again after this cycle; until then their flits may be read.
    leaving: Vec<u32>,
}

impl FlitStore {
    /// Stores a flit that will leave the network so often.
    #[inline]
    pub(crate) fn put(&mut self, flit: Packed, leaves: u32) -> FlitEntry {
        let stored = StoredFlit { flit, leaves };
        let number = if let Some(number) = self.free.pop() {
            self.stored[number as usize] = stored;
            number
        } else {
            self.stored.push(stored);
            (self.stored.len() - 1) as u32
        };
        FlitEntry::new(number, flit)
    }

    /// The flit of an entry.
    #[inline]
    pub(crate) fn get(&self, entry: FlitEntry) -> Packed {
        self.stored[entry.number() as usize].flit
    }

    /// Is there a flit of this number?
    pub(crate) fn holds(&self, entry: FlitEntry) -> bool {
        (entry.number() as usize) < self.stored.len()
    }

    /// An entry has left the network. Returns its flit.
    #[inline]
    pub(crate) fn release(&mut self, entry: FlitEntry) -> Packed {
        let stored = &mut self.stored[entry.number() as usize];
        stored.leaves -= 1;
        if stored.leaves == 0 {
            self.free.push(entry.number());
        }
        stored.flit
    }

    /// An entry leaves its FIFO, and the network, at the end of this cycle.
    pub(crate) fn release_later(&mut self, entry: FlitEntry) {
        let stored = &mut self.stored[entry.number() as usize];
        stored.leaves -= 1;
        if stored.leaves == 0 {
            self.leaving.push(entry.number());
        }
    }

    /// The end of a cycle. Numbers are given out again in the order in which they became free, which is that of the routers: so
    /// neighbours' flits share cache lines.
    pub(crate) fn end_cycle(&mut self) {
        self.free.extend(self.leaving.drain(..).rev());
    }

    /// Is no flit stored?
    #[cfg(test)]
    pub(crate) const fn is_empty(&self) -> bool {
        self.stored.len() == self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use super::{FlitEntry, FlitStore, RoutedBy};
    use crate::transport::flit::{Flit, FlitKind, LAST, MULTICAST, pack};
    use noccl_net::Coord;

    #[test]
    fn an_entry_keeps_what_routes_need_at_both_ends_of_the_ranges() {
        for (x, y) in [(0, 0), (32_767, 0), (0, 32_767), (32_767, 32_767)] {
            let dst = pack(Coord::new(x, y));
            let flit = Flit {
                dst,
                kind: FlitKind::Write,
                flags: LAST,
                ..Flit::default()
            };
            for number in [0, (1 << 31) - 1] {
                let entry = FlitEntry::new(number, flit.packed());
                assert_eq!(entry.routed_by(), RoutedBy::Destination);
                assert_eq!((entry.destination(), entry.number()), (dst, number));
                assert!(!entry.is_only_delivered());
            }
            let inside = Flit { flags: 0, ..flit };
            assert!(FlitEntry::new(7, inside.packed()).is_only_delivered());
        }
        for txn in [0, 1, 0x7fff, 0x8000, (1 << 30) - 1] {
            let flags = MULTICAST;
            let flit = Flit {
                txn,
                flags,
                ..Flit::default()
            };
            let entry = FlitEntry::new(3, flit.packed());
            assert_eq!((entry.routed_by(), entry.txn()), (RoutedBy::Set, txn));
        }
        let kind = FlitKind::Barrier;
        let flit = Flit {
            kind,
            ..Flit::default()
        };
        let entry = FlitEntry::new(3, flit.packed());
        assert_eq!(entry.routed_by(), RoutedBy::Contributions);
    }

    #[test]
    fn a_number_is_given_out_again_after_the_last_copy_has_left() {
        let mut store = FlitStore::default();
        let (one, two) = (store.put([1, 2], 1), store.put([3, 4], 2));
        assert_eq!(store.release(two), [3, 4]);
        assert_eq!(store.get(two), [3, 4]);
        store.release_later(one);
        assert_eq!(store.get(one), [1, 2], "until the end of the cycle");
        store.end_cycle();
        assert_eq!(store.put([5, 6], 1).number(), one.number());
        assert_eq!(store.release(two), [3, 4]);
        assert!(!store.is_empty());
        assert_eq!(store.release(one), [5, 6]);
        assert!(store.is_empty());
    }
}
