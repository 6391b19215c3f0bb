// SPDX-License-Identifier: Apache-2.0
//! Accesses to the memory of a window between two fences that conflict: MPI permits them, but leaves the values undefined. The same rules as
//! `python/noccl/programs/window_races.py`: two accesses of the same bytes conflict unless both read or both accumulate, with one operator or in
//! the order of one origin's calls.

use noccl_program::RankId;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What an access does to its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Use {
    Read,
    Write,
    /// An accumulate, with the number of its operator.
    Combine(u8),
}

/// `MPI_NO_OP`, which reads.
const NO_OP: u8 = 13;

/// Accesses of a rank that do not conflict with each other, unless they write.
type Kind = (Use, RankId);

fn conflict(first: Kind, second: Kind) -> bool {
    let is_read = |one: Use| matches!(one, Use::Read | Use::Combine(NO_OP));
    if is_read(first.0) && is_read(second.0) {
        return false;
    }
    match (first.0, second.0) {
        (Use::Combine(NO_OP), Use::Combine(_)) | (Use::Combine(_), Use::Combine(NO_OP)) => false,
        (Use::Combine(one), Use::Combine(other)) => one != other && first.1 != second.1,
        (Use::Read | Use::Write, _) | (_, Use::Read | Use::Write) => true,
    }
}

/// Two accesses that conflict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Race {
    pub(crate) ranks: [RankId; 2],
    /// Addresses of their calls.
    pub(crate) sites: [u64; 2],
    pub(crate) bytes: Range<usize>,
}

/// Accesses to a window of a rank since a fence.
#[derive(Debug, Default)]
pub(crate) struct Races {
    fence: u8,
    /// Ranges by their first byte, disjoint, with the last byte (excluded) and the address of the call.
    known: BTreeMap<Kind, BTreeMap<usize, (usize, u64)>>,
    reported: BTreeSet<[u64; 2]>,
}

impl Races {
    /// Compares an access with those since the same fence; the first conflict that is not known.
    pub(crate) fn note(
        &mut self,
        fence: u8,
        kind: Kind,
        site: u64,
        places: &[Range<usize>],
    ) -> Option<Race> {
        if fence != self.fence {
            self.fence = fence;
            self.known.clear();
        }
        let mut found = None;
        for place in places {
            for (other, ranges) in &self.known {
                let earlier = ranges.range(..place.end).next_back();
                let Some((first, (end, earlier))) =
                    earlier.filter(|(_, (end, _))| *end > place.start)
                else {
                    continue;
                };
                if conflict(*other, kind) && self.reported.insert([*earlier, site]) {
                    found = found.or(Some(Race {
                        ranks: [other.1, kind.1],
                        sites: [*earlier, site],
                        bytes: place.start.max(*first)..place.end.min(*end),
                    }));
                }
            }
            self.add(kind, place.clone(), site);
        }
        found
    }

    /// Ranges that overlap become one, of the last call.
    fn add(&mut self, kind: Kind, place: Range<usize>, site: u64) {
        let ranges = self.known.entry(kind).or_default();
        let (mut first, mut end) = (place.start, place.end);
        while let Some((&low, &(high, _))) = ranges.range(..end).next_back()
            && high > first
        {
            ranges.remove(&low);
            first = first.min(low);
            end = end.max(high);
        }
        ranges.insert(first, (end, site));
    }
}
