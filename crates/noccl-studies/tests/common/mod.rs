// SPDX-License-Identifier: Apache-2.0
//! What tests of several parameters of a network ask of each value.
#![allow(clippy::unwrap_used)]

use noccl_net::Network;
use noccl_run::Watch;
use noccl_studies::{StressKind, StressRequest, stress};

/// Overlapping transactions of all kinds complete with the right bytes, by so many seeds; `value` is that of the parameter.
pub fn check_stress(network: &Network, value: &dyn std::fmt::Debug, seeds: u64) {
    let request = StressRequest {
        spec_arguments: format!("{value:?}"),
        seeds,
        first_seed: 0,
        kinds: StressKind::ALL.to_vec(),
        transactions: noccl_studies::MIN_STRESS_TRANSACTIONS,
        has_variants: false,
    };
    let report = stress(network, &request, Watch::quiet()).unwrap();
    assert!(report.failures.is_empty(), "{:?}", report.failures);
    assert_eq!(report.completed, report.runs);
}
