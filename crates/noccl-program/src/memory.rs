// SPDX-License-Identifier: Apache-2.0
//! Which bytes of a tile's memory messages and collectives lie in: the lowest free range that is long enough.

use std::collections::BTreeMap;

/// Ranges of a memory that are in use.
#[derive(Debug, Clone)]
pub(crate) struct Ranges {
    start: u64,
    end: u64,
    align: u64,
    /// End of each range in use, by its start.
    used: BTreeMap<u64, u64>,
    used_bytes: u64,
    most_bytes: u64,
}

impl Ranges {
    /// Nothing is in use between two offsets; ranges begin at multiples of `align`.
    pub(crate) const fn new(start: u64, end: u64, align: u64) -> Self {
        Self {
            start,
            end,
            align,
            used: BTreeMap::new(),
            used_bytes: 0,
            most_bytes: 0,
        }
    }

    /// Bytes that there are.
    pub(crate) const fn capacity(&self) -> u64 {
        self.end - self.start
    }

    /// Most bytes that have been in use at once.
    pub(crate) const fn most_bytes(&self) -> u64 {
        self.most_bytes
    }

    /// Takes a range of that many bytes; `None` if there is none.
    pub(crate) fn take(&mut self, bytes: u64) -> Option<u64> {
        let bytes = bytes.max(1);
        let mut at = self.start.next_multiple_of(self.align);
        for (start, end) in &self.used {
            if at.checked_add(bytes)? <= *start {
                break;
            }
            at = at.max(end.next_multiple_of(self.align));
        }
        let end = at.checked_add(bytes).filter(|end| *end <= self.end)?;
        self.used.insert(at, end);
        self.used_bytes += bytes;
        self.most_bytes = self.most_bytes.max(self.used_bytes);
        Some(at)
    }

    /// Gives a range back that was taken.
    pub(crate) fn give_back(&mut self, start: u64) {
        if let Some(end) = self.used.remove(&start) {
            self.used_bytes -= end - start;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_lowest_range_that_is_free_is_taken() {
        let mut ranges = Ranges::new(100, 1000, 64);
        assert_eq!(ranges.take(10), Some(128));
        assert_eq!(ranges.take(200), Some(192));
        assert_eq!(ranges.take(64), Some(448));
        ranges.give_back(192);
        assert_eq!(ranges.take(300), Some(512));
        assert_eq!(ranges.take(100), Some(192));
        assert_eq!(ranges.take(200), None);
        assert_eq!(ranges.most_bytes(), 10 + 64 + 300 + 100);
    }

    proptest! {
        #[test]
        fn ranges_never_meet(bytes in prop::collection::vec((1u64..300, any::<bool>()), 1..80)) {
            let mut ranges = Ranges::new(0, 4096, 64);
            let mut taken: Vec<(u64, u64)> = Vec::new();
            for (bytes, gives_back) in bytes {
                if gives_back && !taken.is_empty() {
                    ranges.give_back(taken.swap_remove(0).0);
                }
                if let Some(start) = ranges.take(bytes) {
                    prop_assert!(start + bytes <= 4096 && start.is_multiple_of(64));
                    let meets = |(other, length): &(u64, u64)| start < other + length && *other < start + bytes;
                    prop_assert!(!taken.iter().any(meets));
                    taken.push((start, bytes));
                }
            }
        }
    }
}
