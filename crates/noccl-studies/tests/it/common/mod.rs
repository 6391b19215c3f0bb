// SPDX-License-Identifier: Apache-2.0
//! What tests of several parameters of a network ask of each value, and rows of a comparison.
#![allow(
    clippy::unwrap_used,
    dead_code,
    reason = "every test file uses its own part"
)]

use noccl_net::Network;
use noccl_run::Watch;
use noccl_studies::{
    CompareRequest, CompareRow, StressKind, StressRequest, compare, load, parse_algorithms,
    parse_group, stress,
};
use noccl_workload::CollectiveKind;

/// Rows of one collective over a group of a preset; no algorithms: all there are.
pub fn rows_of(
    (preset, overrides): (&str, &[(&str, &str)]),
    (kind, group, bytes): (CollectiveKind, &str, Vec<u64>),
    algorithms: &str,
    change: impl FnOnce(&mut CompareRequest),
) -> Vec<CompareRow> {
    let set = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let overrides: Vec<(String, String)> = overrides.iter().map(set).collect();
    let network = load(preset, &overrides).unwrap().network;
    let group = parse_group(&network, group).unwrap();
    let mut request = CompareRequest::new(kind, group, bytes);
    if !algorithms.is_empty() {
        request.algorithms = parse_algorithms(algorithms).unwrap();
    }
    change(&mut request);
    compare(&network, &request, Watch::quiet()).unwrap().rows
}

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

/// Every algorithm for a collective among a group has the right bytes, and is not faster than its lower bound; `value` as above.
pub fn check_bytes_and_bounds(
    network: &Network,
    value: &dyn std::fmt::Debug,
    (collective, group, bytes): (CollectiveKind, &str, u64),
) {
    let group = parse_group(network, group).unwrap();
    let request = CompareRequest::new(collective, group, vec![bytes]);
    let rows = compare(network, &request, Watch::quiet()).unwrap().rows;
    assert!(!rows.is_empty());
    for row in rows {
        let has_bytes = collective != CollectiveKind::Barrier;
        assert!(row.verified.is_yes() || !has_bytes, "{value:?}: {row:?}");
        let (cycles, bound) = (row.cycles, row.lower_bound_cycles);
        assert!(cycles >= bound, "{value:?}: {row:?}");
    }
}
