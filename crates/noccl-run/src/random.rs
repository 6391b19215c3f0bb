// SPDX-License-Identifier: Apache-2.0
//! Seeded random numbers for inputs and stress cases; every stream has a name and a seed.

use noccl_workload::number::{GOLDEN_RATIO, mix};

/// SplitMix64: one multiply-xor chain per number, good enough to choose test inputs.
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    /// The stream `name` of `seed`: streams with different names are unrelated.
    #[must_use]
    pub fn new(seed: u64, name: &str) -> Self {
        let hashed = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        let mut rng = Self(hashed ^ seed.wrapping_mul(GOLDEN_RATIO));
        rng.draw();
        rng
    }

    /// Next 64 bits.
    pub fn draw(&mut self) -> u64 {
        let drawn = mix(self.0);
        self.0 = self.0.wrapping_add(GOLDEN_RATIO);
        drawn
    }

    /// A number below `limit`, which is not zero.
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.draw()) * u128::from(limit)) >> 64) as u64
    }

    /// True once in `n` on average.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// One of the items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u64) as usize]
    }
}
