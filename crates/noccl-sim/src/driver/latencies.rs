// SPDX-License-Identifier: Apache-2.0
//! Latencies of deliveries, counted by value: what they need grows with the largest of them, not with their number.

/// How often each latency has been seen.
#[derive(Debug, Default)]
pub(crate) struct Latencies {
    /// By latency in cycles.
    counts: Vec<u64>,
    count: u64,
}

impl Latencies {
    #[inline]
    pub(crate) fn add(&mut self, cycles: u64) {
        let at = cycles as usize;
        if at >= self.counts.len() {
            self.counts.resize(at + 1, 0);
        }
        self.counts[at] += 1;
        self.count += 1;
    }

    /// Zero if there are none, as of the others.
    pub(crate) fn mean(&self) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        let sum: u128 = self.seen().map(|(at, n)| at as u128 * u128::from(n)).sum();
        sum as f64 / self.count as f64
    }

    /// The latency at place `count * percent / 100` in ascending order.
    pub(crate) fn percentile(&self, percent: u64) -> u64 {
        let place = u128::from(self.count) * u128::from(percent) / 100;
        let mut before = 0;
        let found = self.seen().find(|(_, n)| {
            before += u128::from(*n);
            before > place
        });
        // 0: as of the others; results say of how many deliveries they are.
        found.map_or(0, |(at, _)| at as u64)
    }

    pub(crate) fn max(&self) -> u64 {
        self.counts.len().saturating_sub(1) as u64
    }

    fn seen(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.counts.iter().copied().enumerate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn counts_say_what_a_sorted_list_says(mut list in proptest::collection::vec(0_u64..300, 0..400)) {
            let mut latencies = Latencies::default();
            list.iter().for_each(|cycles| latencies.add(*cycles));
            list.sort_unstable();
            let mean = list.iter().sum::<u64>() as f64 / list.len().max(1) as f64;
            let p99 = list.get(list.len() * 99 / 100).copied().unwrap_or(0);
            let found = (latencies.mean(), latencies.percentile(99), latencies.max());
            prop_assert_eq!(found, (mean, p99, list.last().copied().unwrap_or(0)));
        }
    }
}
