// SPDX-License-Identifier: Apache-2.0
//! Small deterministic random streams.

use noccl_workload::number::GOLDEN_RATIO;
pub(crate) use noccl_workload::number::{is_drawn, mix};

/// A stream of numbers from a seed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stream(u64);

impl Stream {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(mix(seed))
    }

    pub(crate) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN_RATIO);
        mix(self.0)
    }

    /// Uniform in 0..n.
    pub(crate) const fn below(&mut self, n: u64) -> u64 {
        ((self.next() as u128 * n as u128) >> 64) as u64
    }

    /// Uniform in (0, 1].
    pub(crate) fn unit(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }
}
