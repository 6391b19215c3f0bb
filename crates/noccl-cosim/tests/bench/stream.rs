// SPDX-License-Identifier: Apache-2.0
//! Random numbers of scenarios: the streams that the seeds of the tests were chosen for.

use noccl_workload::number::{GOLDEN_RATIO, mix};

/// A stream of numbers from a seed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stream(u64);

impl Stream {
    pub(super) const fn new(seed: u64) -> Self {
        Self(mix(seed))
    }

    pub(super) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN_RATIO);
        mix(self.0)
    }

    /// Uniform in 0..n.
    pub(super) const fn below(&mut self, n: u64) -> u64 {
        ((self.next() as u128 * n as u128) >> 64) as u64
    }
}
