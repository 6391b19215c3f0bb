// SPDX-License-Identifier: Apache-2.0
//! What tests of several parameters of a network ask of each value, and rows of a comparison.
#![allow(
    clippy::unwrap_used,
    dead_code,
    reason = "every test file uses its own part"
)]

use noccl_model::Calibration;
use noccl_net::Network;
use noccl_run::Watch;
use noccl_studies::{
    CompareRequest, CompareRow, StressKind, StressRequest, TrafficReport, TrafficRequest, compare,
    compare_by_model, parse_algorithms, parse_group, stress, traffic,
};
use noccl_testkit::network_with;
use noccl_workload::{CollectiveKind, Pattern};

/// Rows of one collective over a group of a preset; no algorithms: all there are.
pub fn rows_of(
    (preset, overrides): (&str, &[(&str, &str)]),
    (kind, group, bytes): (CollectiveKind, &str, Vec<u64>),
    algorithms: &str,
    change: impl FnOnce(&mut CompareRequest),
) -> Vec<CompareRow> {
    let network = network_with(preset, overrides);
    let mut request = asked(&network, kind, (group, &bytes), algorithms);
    change(&mut request);
    rows_by(&network, &request)
}

/// A collective of a group by some algorithms, at some sizes; no algorithms: all there are.
pub fn asked(
    network: &Network,
    kind: CollectiveKind,
    (group, bytes): (&str, &[u64]),
    algorithms: &str,
) -> CompareRequest {
    let group = parse_group(network, group).unwrap();
    let mut request = CompareRequest::new(kind, group, bytes.to_vec());
    if !algorithms.is_empty() {
        request.algorithms = parse_algorithms(algorithms).unwrap();
    }
    request
}

/// Rows of a comparison.
pub fn rows_by(network: &Network, request: &CompareRequest) -> Vec<CompareRow> {
    compare(network, request, Watch::quiet()).unwrap().rows
}

/// The model expects the cycles that are simulated, in every row.
pub fn check_predicted(network: &Network, request: &CompareRequest, what: &str) {
    let shipped = Calibration::shipped().unwrap();
    let predicted = compare_by_model(network, request, &shipped).unwrap().rows;
    let cycles = |rows: Vec<CompareRow>| -> Vec<_> {
        let rows = rows.into_iter();
        rows.map(|row| (row.group, row.algorithm, row.cycles))
            .collect()
    };
    let simulated = rows_by(network, request);
    assert_eq!(cycles(predicted), cycles(simulated), "{what}");
}

/// A sweep of loads over a preset.
pub fn sweep(preset: &str, request: &TrafficRequest) -> TrafficReport {
    traffic(&noccl_testkit::network(preset), request, Watch::quiet()).unwrap()
}

/// Loads so low that packets hardly ever meet.
pub fn lone_packets(pattern: Pattern, beats: u32) -> TrafficRequest {
    TrafficRequest {
        beats: Some(beats),
        loads: Some(vec![0.000_2]),
        has_saturation: false,
        measure_cycles: 200_000,
        ..TrafficRequest::new(pattern)
    }
}

/// So many seeds of the fewest transactions of some kinds.
pub fn stress_request(spec_arguments: String, kinds: &[StressKind], seeds: u64) -> StressRequest {
    StressRequest {
        spec_arguments,
        seeds,
        first_seed: 0,
        kinds: kinds.to_vec(),
        transactions: noccl_studies::MIN_STRESS_TRANSACTIONS,
        has_variants: false,
    }
}

/// Overlapping transactions of all kinds complete with the right bytes, by so many seeds; `value` is that of the parameter.
pub fn check_stress(network: &Network, value: &dyn std::fmt::Debug, seeds: u64) {
    all_complete(
        network,
        &stress_request(format!("{value:?}"), &StressKind::ALL, seeds),
    );
}

/// Every run of a request completes with the right bytes.
pub fn all_complete(network: &Network, request: &StressRequest) {
    let report = stress(network, request, Watch::quiet()).unwrap();
    assert!(report.failures.is_empty(), "{:?}", report.failures);
    assert_eq!(report.completed, report.runs);
}

/// Every algorithm for a collective among a group has the right bytes, and is not faster than its lower bound; `value` as above.
pub fn check_bytes_and_bounds(
    network: &Network,
    value: &dyn std::fmt::Debug,
    (collective, group, bytes): (CollectiveKind, &str, u64),
) {
    let rows = rows_by(network, &asked(network, collective, (group, &[bytes]), ""));
    assert!(!rows.is_empty());
    for row in rows {
        let has_bytes = collective != CollectiveKind::Barrier;
        assert!(row.verified.is_yes() || !has_bytes, "{value:?}: {row:?}");
        let (cycles, bound) = (row.cycles, row.lower_bound_cycles);
        assert!(cycles >= bound, "{value:?}: {row:?}");
    }
}
