// SPDX-License-Identifier: Apache-2.0
//! Open-loop traffic: exact at zero load, ordered by load, saturated where the mesh is full.
#![allow(clippy::unwrap_used)]

use noccl::{Pattern, TrafficReport, TrafficRequest, Watch, load, traffic};

fn sweep(preset: &str, request: &TrafficRequest) -> TrafficReport {
    let network = load(preset, &[]).unwrap().network;
    traffic(&network, request, Watch::quiet()).unwrap()
}

/// Loads so low that packets hardly ever meet.
fn alone(pattern: Pattern, beats: u32) -> TrafficRequest {
    TrafficRequest {
        beats,
        loads: vec![0.000_2],
        has_saturation: false,
        measure_cycles: 200_000,
        ..TrafficRequest::new(pattern)
    }
}

#[test]
fn latency_in_an_empty_network_equals_the_formula_where_all_packets_go_equally_far() {
    // All packets of these cases take the same number of hops, so the mean is exact.
    for (preset, pattern) in [
        ("collective_noc_2x1", Pattern::Uniform),
        ("collective_noc_2x2", Pattern::BitComplement),
        ("collective_noc_2x2", Pattern::Neighbour),
        ("collective_noc_2x1_peer", Pattern::Uniform),
    ] {
        for beats in [1, 16] {
            let report = sweep(preset, &alone(pattern, beats));
            let point = &report.points[0];
            assert!(point.packets > 0);
            assert_eq!(
                point.mean_latency_cycles, report.zero_load_latency_cycles,
                "{preset} {pattern:?} {beats} beats: {point:?}"
            );
        }
    }
}

#[test]
fn latency_never_falls_below_zero_load_and_grows_with_the_load() {
    for pattern in [Pattern::Uniform, Pattern::Transpose, Pattern::RowMulticast] {
        let mut request = TrafficRequest::new(pattern);
        request.loads = vec![0.02, 0.06, 0.1];
        request.has_saturation = false;
        let report = sweep("collective_noc_4x4", &request);
        let latencies: Vec<f64> = report
            .points
            .iter()
            .map(|p| p.mean_latency_cycles)
            .collect();
        assert!(latencies.is_sorted(), "{pattern:?}: {latencies:?}");
    }
}

#[test]
fn below_saturation_the_offered_load_is_accepted_and_above_it_is_not() {
    let mut request = TrafficRequest::new(Pattern::Uniform);
    request.loads = vec![0.05, 1.0];
    let report = sweep("collective_noc_4x4", &request);
    let saturation = report.saturation_beats_per_cycle.unwrap();
    assert!((0.05..1.0).contains(&saturation), "{saturation}");
    let [low, high] = report.points.as_slice() else {
        panic!("two points were asked for");
    };
    assert!(
        (low.accepted_beats_per_cycle - 0.05).abs() < 0.005,
        "{low:?}"
    );
    assert!(high.accepted_beats_per_cycle < 0.9, "{high:?}");
    assert!(report.max_accepted_beats_per_cycle >= high.accepted_beats_per_cycle);
}
