// SPDX-License-Identifier: Apache-2.0
//! What an exchange of messages takes at least, if every block goes to its receiver directly: words over the busiest link, and the
//! instructions and words of the busiest core.

use super::Work;
use super::plan_links::Links;

/// Cycles that no order of an exchange can do without.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Bounds {
    /// Of the busiest link between routers.
    pub(super) link_cycles: u64,
    /// Of the busiest core, which sends or receives one word at a time.
    pub(super) core_cycles: u64,
}

impl Work<'_> {
    /// Of the exchange of all blocks.
    pub(super) fn exchange_bounds(&self) -> Bounds {
        let Some(tiles) = self.network.cores() else {
            return Bounds::default();
        };
        let core = &tiles.core;
        let links = Links::new(&tiles.router.udn, &self.members);
        let mut loads = vec![0; links.num_outputs()];
        let mut busy = vec![0; self.members.len()];
        for (from, at) in self.members.iter().enumerate() {
            for (to, other) in self.members.iter().enumerate() {
                if from == to {
                    continue;
                }
                let bytes = self.collective.block_bytes(from, to);
                let words = core.message_words(bytes);
                links.between((*at, *other), |link| loads[link] += words);
                let cycles = words * u64::from(core.word_cycles)
                    + core.units(bytes) * u64::from(core.unit_cycles);
                busy[from] += cycles + u64::from(core.send_cycles);
                busy[to] += cycles + u64::from(core.receive_cycles);
            }
        }
        Bounds {
            link_cycles: loads.into_iter().max().unwrap_or(0),
            core_cycles: busy.into_iter().max().unwrap_or(0),
        }
    }
}
