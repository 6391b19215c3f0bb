// SPDX-License-Identifier: Apache-2.0
//! Open-loop traffic: exact at zero load, ordered by load, saturated where the mesh is full.

use crate::common::{lone_packets, sweep};
use noccl_run::Watch;
use noccl_studies::{TrafficRequest, traffic};
use noccl_testkit::network_with;
use noccl_workload::Pattern;

#[test]
fn latency_in_an_empty_network_equals_the_formula_where_all_packets_go_equally_far() {
    // All packets of these cases take the same number of hops, so the mean is exact.
    for (preset, pattern) in [
        ("collective_noc_2x1", Pattern::Uniform),
        ("collective_noc_2x2", Pattern::BitComplement),
        ("collective_noc_2x2", Pattern::Neighbour),
        ("collective_noc_2x1_published", Pattern::Uniform),
        ("ideal_2x2", Pattern::Uniform),
        ("ideal_4x4", Pattern::BitComplement),
    ] {
        for beats in [1, 16] {
            let report = sweep(preset, &lone_packets(pattern, beats));
            let point = &report.points[0];
            assert!(point.packets > 0);
            assert_eq!(
                point.mean_latency_cycles.unwrap(),
                report.zero_load_latency_cycles,
                "{preset} {pattern:?} {beats} beats: {point:?}"
            );
        }
    }
}

#[test]
fn latency_never_falls_below_zero_load_and_grows_with_the_load() {
    for pattern in [Pattern::Uniform, Pattern::Transpose, Pattern::RowMulticast] {
        let mut request = TrafficRequest::new(pattern);
        request.loads = Some(vec![0.02, 0.06, 0.1]);
        request.has_saturation = false;
        let report = sweep("collective_noc_4x4", &request);
        let latencies: Vec<f64> = report
            .points
            .iter()
            .map(|p| p.mean_latency_cycles.unwrap())
            .collect();
        assert!(latencies.is_sorted(), "{pattern:?}: {latencies:?}");
    }
}

#[test]
fn saturation_does_not_depend_on_the_loads_of_the_sweep_and_stays_below_the_capacity() {
    // All to one of 64 clusters: a beat per cycle in all.
    let of = |loads: &[f64]| {
        let request = TrafficRequest {
            beats: Some(1),
            loads: Some(loads.to_vec()),
            ..TrafficRequest::new(Pattern::Hotspot)
        };
        sweep("collective_noc_8x8", &request)
    };
    let (few, many) = (of(&[0.001]), of(&[0.001, 0.003, 0.02]));
    assert_eq!(
        few.saturation_beats_per_cycle,
        many.saturation_beats_per_cycle
    );
    assert_eq!(few.capacity_beats_per_cycle, 1.0 / 64.0);
    let saturation = few.saturation_beats_per_cycle.unwrap();
    assert!(
        (0.9 / 64.0..1.0 / 64.0).contains(&saturation),
        "{saturation}"
    );
    assert!(!many.points[1].saturated && many.points[2].saturated);
}

#[test]
fn a_load_beyond_the_capacity_is_saturated_though_its_packets_arrive_in_the_end() {
    let mut request = TrafficRequest::new(Pattern::Uniform);
    (request.loads, request.has_saturation) = (Some(vec![0.9]), false);
    let point = &sweep("collective_noc_4x4", &request).points[0];
    assert!(point.accepted_beats_per_cycle < 0.85, "{point:?}");
    assert!(point.saturated, "{point:?}");
}

#[test]
fn every_pattern_is_saturated_above_its_capacity() {
    for preset in ["collective_noc_4x4", "collective_noc_4x4_published"] {
        for pattern in Pattern::ALL {
            // Published routers deadlock on overlapping multicasts; neighbours have a link each, and in four columns a tornado is one; the
            // last two patterns need other routers.
            let is_published = preset.ends_with("published");
            let overlaps = pattern == Pattern::RowMulticast || pattern.is_collective();
            let needs_others = matches!(pattern, Pattern::RandomMulticast | Pattern::ManyToOne);
            let is_alone = matches!(pattern, Pattern::Neighbour | Pattern::Tornado);
            if is_published && overlaps || needs_others || is_alone {
                continue;
            }
            let mut request = TrafficRequest {
                beats: Some(4),
                loads: Some(vec![0.001]),
                has_saturation: false,
                ..TrafficRequest::new(pattern)
            };
            let capacity = sweep(preset, &request).capacity_beats_per_cycle;
            request.loads = Some(vec![(1.2 * capacity).min(1.0)]);
            let report = sweep(preset, &request);
            assert!(report.points[0].saturated, "{preset} {pattern}: {report:?}");
        }
    }
}

/// Saturation of row multicasts of one or more beats on 8x8, with so many entries in the merge tables.
fn row_saturation(entries: u32, beats: u32) -> f64 {
    let entries = [("router.merge_table_entries", entries)];
    let network = network_with("collective_noc_8x8", &entries);
    let request = TrafficRequest {
        beats: Some(beats),
        loads: Some(vec![0.01]),
        warmup_cycles: 1_000,
        measure_cycles: 3_000,
        ..TrafficRequest::new(Pattern::RowMulticast)
    };
    let report = traffic(&network, &request, Watch::quiet()).unwrap();
    report.saturation_beats_per_cycle.unwrap()
}

/// The law of docs/timing.md: 2 W entries for one beat, 4 W / n for n; and every documented number of entries merges.
#[test]
fn merge_tables_of_two_entries_per_column_keep_the_rate_of_small_multicasts() {
    let one_beat = [8, 16, 256].map(|entries| row_saturation(entries, 1));
    assert!(one_beat[1] > 1.6 * one_beat[0], "{one_beat:?}");
    assert!(one_beat[2] > one_beat[1], "{one_beat:?}");
    if !noccl_testkit::is_long() {
        return;
    }
    let four_beats = [8, 256].map(|entries| row_saturation(entries, 4));
    assert!(four_beats[1] < 1.03 * four_beats[0], "{four_beats:?}");
}

#[test]
fn below_saturation_the_offered_load_is_accepted_and_above_it_is_not() {
    let mut request = TrafficRequest::new(Pattern::Uniform);
    request.loads = Some(vec![0.05, 1.0]);
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
