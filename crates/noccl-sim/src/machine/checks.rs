// SPDX-License-Identifier: Apache-2.0
//! What a run counts and checks.

use noccl_run::Counters;

/// Counts and checks of a run so far.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    pub counters: Counters,
    /// Sum over all payload that has arrived anywhere.
    pub checksum: u64,
    /// Beats that arrived where they do not belong, or with other contents than they should have.
    pub wrong_beats: u64,
}

impl Checks {
    /// Payload has arrived.
    #[inline]
    pub(crate) const fn add_to_checksum(&mut self, sum: u64) {
        self.checksum = self.checksum.wrapping_add(sum);
    }
}
