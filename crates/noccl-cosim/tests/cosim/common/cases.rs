// SPDX-License-Identifier: Apache-2.0
//! What meshes of several networks are compared by: random traces of each kind, and more responses than a merge table holds.

use super::{
    ALL, COLLECTIVE, REDUCING, UNICAST, agree_on, agree_with, first, multicasts_of_all_to_all,
    without_reductions,
};
use noccl_net::Network;
use noccl_testkit::random::{random_narrow_trace, random_trace};
use noccl_workload::check_trace_limits;
use std::ops::Range;

/// A library, and the network that it is of.
pub struct Cases {
    pub library: &'static str,
    pub network: Network,
}

impl Cases {
    pub const fn new(library: &'static str, network: Network) -> Self {
        Self { library, network }
    }

    pub fn unicasts(&self, seeds: Range<u64>) {
        agree_with(self.library, &self.network, &UNICAST, seeds);
    }

    pub fn multicasts_and_barriers(&self, seeds: Range<u64>) {
        agree_with(self.library, &self.network, &COLLECTIVE, seeds);
    }

    pub fn reductions_between_writes(&self, seeds: Range<u64>) {
        agree_with(self.library, &self.network, &REDUCING, seeds);
    }

    pub fn overlapping_transactions(&self, seeds: Range<u64>) {
        agree_with(self.library, &self.network, &ALL, seeds);
    }

    /// More transactions at a time than merge tables have entries, within the limits that the check of traces knows.
    pub fn congested_traces(&self, seeds: Range<u64>) {
        for seed in first(seeds) {
            let (count, window_cycles) = (10 + seed as usize * 7 % 60, 1 + seed * 13 % 97);
            for random in [random_narrow_trace, random_trace] {
                let mut trace = random(&self.network, seed, count, window_cycles);
                if !self.library.contains("reducing") {
                    trace = without_reductions(trace);
                }
                if check_trace_limits(&self.network, &trace).is_ok() {
                    agree_on(self.library, &self.network, trace.transactions);
                }
            }
        }
    }

    /// More responses in flight than a table has entries: new ones pass unmerged, old entries leave by timeout.
    pub fn multicasts_of_all_to_all(&self) {
        let all = multicasts_of_all_to_all(&self.network);
        let compared = agree_on(self.library, &self.network, all);
        assert!(compared > 1_000, "{compared}");
    }
}

/// Tests of these cases, each with a range of seeds.
macro_rules! matches_the_simulator {
    ($cases:expr; $($case:ident($($seeds:expr)?)),+ $(,)?) => {
        $(
            #[test]
            fn $case() {
                $cases.$case($($seeds)?);
            }
        )+
    };
}
pub(crate) use matches_the_simulator;
