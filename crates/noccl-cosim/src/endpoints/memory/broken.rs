// SPDX-License-Identifier: Apache-2.0
//! Bytes of a memory that fail (`docs/errors.md`): a burst that touches one of them fails as a whole.
//!
//! A network interface hands a burst of writes to the memory beat by beat, so the memory learns from the managers' commands which
//! lines are of one burst.

use super::line::line_of;
use std::collections::BTreeSet;
use std::ops::Range;

/// Bursts that a network interface remembers as failed until their last beat: `Entries` of `noccl_ni_failed`.
const MAX_REMEMBERED: usize = 4;

/// What of a memory fails.
#[derive(Debug, Clone, Default)]
pub(crate) struct Broken {
    bytes: Vec<Range<u64>>,
    /// Lines of bursts that are refused.
    bursts: Vec<Range<u64>>,
    /// First lines of those that have begun to fail and are not over.
    remembered: BTreeSet<u64>,
    has_overflowed: bool,
}

impl Broken {
    /// These bytes fail.
    pub(crate) fn add(&mut self, bytes: Range<u64>) {
        self.bytes.push(bytes);
    }

    /// Does an access touch a byte that fails? One without bytes is of one.
    pub(crate) fn touches(&self, address: u64, bytes: u64) -> bool {
        let end = address + bytes.max(1);
        self.bytes.iter().any(|b| address < b.end && b.start < end)
    }

    /// A burst that will be written.
    pub(crate) fn expect(&mut self, address: u64, bytes: u64) {
        if self.touches(address, bytes) {
            let last = line_of(address + bytes.max(1) - 1);
            self.bursts.push(line_of(address)..last + 1);
        }
    }

    /// Lines of the burst that is refused with this line.
    pub(crate) fn burst_of(&self, line: u64) -> Option<&Range<u64>> {
        self.bursts.iter().find(|lines| lines.contains(&line))
    }

    /// The network interface takes the response to a line's beat.
    pub(crate) fn responded(&mut self, line: u64) {
        let Some(lines) = self.burst_of(line).cloned() else {
            return;
        };
        if line + 1 == lines.end {
            self.remembered.remove(&lines.start);
        } else {
            self.remembered.insert(lines.start);
            self.has_overflowed |= self.remembered.len() > MAX_REMEMBERED;
        }
    }

    /// Have more bursts failed at a time than a network interface remembers? It then responds to everything with an error.
    pub(crate) const fn has_overflowed(&self) -> bool {
        self.has_overflowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_that_touches_a_broken_byte_is_refused_in_all_its_lines() {
        let mut broken = Broken::default();
        broken.add(4200..4201);
        broken.expect(0, 4096);
        broken.expect(4096, 256);
        let refused: Vec<u64> = (0..80).filter(|l| broken.burst_of(*l).is_some()).collect();
        assert_eq!(refused, [64, 65, 66, 67]);
        assert!(broken.touches(4200, 0) && !broken.touches(4201, 8));
    }

    #[test]
    fn a_fifth_burst_that_fails_at_a_time_is_noticed() {
        let mut broken = Broken::default();
        broken.add(0..1 << 20);
        for burst in 0..5 {
            broken.expect(4096 * burst, 128);
            broken.responded(64 * burst);
            assert_eq!(broken.has_overflowed(), burst == 4);
        }
        let mut broken = Broken::default();
        broken.add(0..1 << 20);
        for burst in 0..5 {
            broken.expect(4096 * burst, 128);
            broken.responded(64 * burst);
            broken.responded(64 * burst + 1);
        }
        assert!(!broken.has_overflowed());
    }
}
