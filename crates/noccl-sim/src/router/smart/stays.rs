// SPDX-License-Identifier: Apache-2.0
//! How long contributions stand in routers: from the cycle in which one asks for its output to the grant of that.
//!
//! Sums of cycles and no cycle per channel, so that a stay costs two additions. By Little's law the sums at two cycles say how long the
//! stays between them are in the mean.

/// Stays of all routers, of contributions that are combined: those of others go by as any packet.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stays {
    begun: u64,
    ended: u64,
    /// Sums of the cycles in which they have begun and ended, modulo 2^64: only differences matter.
    begun_cycles: u64,
    ended_cycles: u64,
}

/// Stays up to a cycle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stayed {
    ended: u64,
    /// Cycles of all of them, of those that have not ended up to then.
    cycles: u64,
}

impl Stays {
    #[inline]
    pub(super) const fn begin(&mut self, cycle: u64) {
        self.begun += 1;
        self.begun_cycles = self.begun_cycles.wrapping_add(cycle);
    }

    #[inline]
    pub(super) const fn end(&mut self, cycle: u64) {
        self.ended += 1;
        self.ended_cycles = self.ended_cycles.wrapping_add(cycle);
    }

    /// What has been by the beginning of a cycle, that after the last one of the run so far or later.
    pub(super) const fn before(&self, cycle: u64) -> Stayed {
        let open = self.begun.wrapping_sub(self.ended).wrapping_mul(cycle);
        let over = self.ended_cycles.wrapping_sub(self.begun_cycles);
        Stayed {
            ended: self.ended,
            cycles: over.wrapping_add(open),
        }
    }
}

impl Stayed {
    /// Mean cycles of the stays since an earlier cycle; none without any.
    pub(super) fn mean_since(self, before: Self) -> Option<f64> {
        let (ended, cycles) = self.since(before);
        (ended > 0).then(|| cycles as f64 / ended as f64)
    }

    /// Stays that have ended since an earlier cycle, and cycles of all since then.
    pub(super) const fn since(self, before: Self) -> (u64, u64) {
        let cycles = self.cycles.wrapping_sub(before.cycles);
        (self.ended - before.ended, cycles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stays_between_two_cycles_last_as_long_in_the_mean_as_each_does() {
        let mut stays = Stays::default();
        // From 2 to 5 before the first cycle, from 8 to 12 and from 9 to 9 behind it.
        stays.begin(2);
        stays.end(5);
        let first = stays.before(7);
        stays.begin(8);
        stays.begin(9);
        stays.end(9);
        stays.end(12);
        let second = stays.before(20);
        assert_eq!(second.mean_since(first), Some(2.0));
        assert_eq!(second.mean_since(stays.before(30)), None);
        // One that has not ended counts for its cycles so far.
        stays.begin(20);
        stays.begin(22);
        stays.end(22);
        assert_eq!(stays.before(23).mean_since(second), Some(3.0));
    }
}
