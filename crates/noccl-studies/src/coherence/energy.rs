// SPDX-License-Identifier: Apache-2.0
//! Energy of the network by counts of events.
//!
//! S2 gives one number: a crossbar of routers with bypass takes 1.58 times that of the baseline, per flit. All others are ours, of the order
//! that models of 45 nm give for 128 bits; what depends on them is shown by halving and doubling each.

use noccl_coherence::machine::Counts;
use noccl_net::Network;

/// Picojoules per flit: written into a buffer, read from it, through a crossbar, over a link of 1 mm.
pub const ENERGY_UNITS: [(&str, f64); 4] = [
    ("buffer write", 1.5),
    ("buffer read", 1.0),
    ("crossbar", 2.0),
    ("link", 4.0),
];
/// Of a crossbar with bypass over one without (S2 V.C).
const BYPASS_CROSSBAR: f64 = 1.58;

/// Energy by unit.
pub(super) struct Energy {
    parts_pj: [f64; 4],
}

impl Energy {
    /// Of a run; none where wires stand in place of routers.
    pub(super) fn of(network: &Network, counts: &Counts) -> Option<Self> {
        let smart = network.axi().router.smart.as_ref()?;
        if smart.is_connected {
            return None;
        }
        let crossbar = if smart.hpc_max > 1 {
            BYPASS_CROSSBAR
        } else {
            1.0
        };
        let crossings = (counts.flit_hops + counts.delivered_flits) as f64;
        let buffered = counts.buffered_flits as f64;
        let events = [
            buffered,
            buffered,
            crossbar * crossings,
            counts.flit_hops as f64,
        ];
        let part = |at: usize| events[at] * ENERGY_UNITS[at].1;
        Some(Self {
            parts_pj: std::array::from_fn(part),
        })
    }

    pub(super) fn total_pj(&self) -> f64 {
        self.parts_pj.iter().sum()
    }

    fn scaled(&self, part: usize, factor: f64) -> f64 {
        self.total_pj() + (factor - 1.0) * self.parts_pj[part]
    }

    pub(super) fn over(&self, first: &Self) -> f64 {
        self.total_pj() / first.total_pj()
    }

    /// Least and most if one unit is half or twice as large.
    pub(super) fn range_over(&self, first: &Self) -> [f64; 2] {
        let mut range = [self.over(first); 2];
        for part in 0..self.parts_pj.len() {
            for factor in [0.5, 2.0] {
                let ratio = self.scaled(part, factor) / first.scaled(part, factor);
                range = [range[0].min(ratio), range[1].max(ratio)];
            }
        }
        range
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_holds_the_ratio_of_every_unit_alone() {
        let (ours, first) = (
            Energy {
                parts_pj: [1.0, 1.0, 2.0, 4.0],
            },
            Energy {
                parts_pj: [4.0, 4.0, 2.0, 4.0],
            },
        );
        let [least, most] = ours.range_over(&first);
        assert!((ours.over(&first) - 8.0 / 14.0).abs() < 1e-12);
        // Writes twice as large: 9 over 18. Links twice as large: 12 over 18.
        assert!((least - 0.5).abs() < 1e-12 && (most - 12.0 / 18.0).abs() < 1e-12);
    }
}
