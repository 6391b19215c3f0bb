// SPDX-License-Identifier: Apache-2.0
//! Open-loop traffic over the dynamic network between cores: exact when empty, saturated where a mesh of wormholes is.

use noccl_run::Watch;
use noccl_studies::{Error, TrafficReport, TrafficRequest, traffic};
use noccl_testkit::{assert_says, network, network_with};
use noccl_workload::Pattern;

/// A unit of 128 bytes, with header and tag.
const UNIT_WORDS: u32 = 34;

fn sweep_with(
    preset: &str,
    fields: &[(&str, u32)],
    change: impl Fn(TrafficRequest) -> TrafficRequest,
    pattern: Pattern,
) -> Result<TrafficReport, Error> {
    let network = network_with(preset, fields);
    let request = change(TrafficRequest::new(pattern));
    traffic(&network, &request, Watch::quiet())
}

fn sweep(preset: &str, pattern: Pattern, loads: &[f64]) -> TrafficReport {
    let at_loads = |request| TrafficRequest {
        loads: Some(loads.to_vec()),
        has_saturation: false,
        ..request
    };
    sweep_with(preset, &[], at_loads, pattern).unwrap()
}

/// Highest load that is not saturated, as a share of the capacity.
fn saturation(preset: &str, pattern: Pattern, beats: u32) -> f64 {
    let searched = |request| TrafficRequest {
        beats: Some(beats),
        loads: Some(vec![0.01]),
        ..request
    };
    let report = sweep_with(preset, &[], searched, pattern).unwrap();
    report.saturation_beats_per_cycle.unwrap() / report.capacity_beats_per_cycle
}

#[test]
fn a_unit_in_an_empty_network_takes_its_hops_its_corner_and_its_words() {
    // One hop; and two with a corner between them.
    for (preset, pattern, hops, corner) in [
        ("tilepro64_2x1", Pattern::Uniform, 1, 0),
        ("tilepro64_2x2", Pattern::BitComplement, 2, 1),
    ] {
        for (hop_cycles, turn_cycles) in [(1, 1), (2, 0)] {
            let fields = [
                ("router.udn.hop_cycles", hop_cycles),
                ("router.udn.turn_cycles", turn_cycles),
            ];
            let alone = |request| TrafficRequest {
                loads: Some(vec![0.001]),
                has_saturation: false,
                measure_cycles: 1_000_000,
                ..request
            };
            let report = sweep_with(preset, &fields, alone, pattern).unwrap();
            let cycles = (hops + 1) * hop_cycles + corner * turn_cycles + UNIT_WORDS - 1;
            assert_eq!(report.zero_load_latency_cycles, f64::from(cycles));
            // Packets of one source can follow each other at once.
            let point = &report.points[0];
            assert!(point.packets > 20);
            let mean = point.mean_latency_cycles.unwrap();
            assert!(
                (f64::from(cycles)..1.02 * f64::from(cycles)).contains(&mean),
                "{preset}, {hop_cycles}, {turn_cycles}: {mean}, expected {cycles}"
            );
        }
    }
}

#[test]
fn uniform_traffic_saturates_where_wormholes_without_virtual_channels_do() {
    // The bisection lets 4 / width words per core and cycle pass (Dally and Towles, 3.3.1). Packets that are longer than the FIFOs on their
    // path block several links at once: with one channel a mesh reaches a third to two thirds of that (Dally, 1992; section 13.2 there).
    for preset in ["tilepro64_4x4", "tilepro64_8x8"] {
        let share = saturation(preset, Pattern::Uniform, UNIT_WORDS);
        assert!((0.33..0.67).contains(&share), "{preset}: {share}");
        // Packets of one word wait behind heads of FIFOs only.
        let short = saturation(preset, Pattern::Uniform, 1);
        assert!(
            (share + 0.1..0.9).contains(&short),
            "{preset}: {short} of one word, {share} of {UNIT_WORDS}"
        );
    }
}

#[test]
fn words_beyond_saturation_are_accepted_at_the_pace_of_the_network() {
    let report = sweep("tilepro64_8x8", Pattern::Uniform, &[0.05, 0.3, 0.6]);
    let accepted: Vec<f64> = (report.points.iter())
        .map(|point| point.accepted_beats_per_cycle)
        .collect();
    assert!((accepted[0] - 0.05).abs() < 0.005, "{accepted:?}");
    assert!(!report.points[0].saturated && report.points[1].saturated);
    // No collapse: twice the load moves as much.
    assert!(
        (accepted[2] / accepted[1] - 1.0).abs() < 0.05,
        "{accepted:?}"
    );
    assert!(accepted[1] < report.capacity_beats_per_cycle);
}

#[test]
fn a_port_or_link_that_one_packet_after_the_other_wants_is_never_idle() {
    // All to one core: its port takes a word in every cycle, and no cycle is lost between tail and head.
    let report = sweep("tilepro64_4x4", Pattern::Hotspot, &[0.2]);
    let accepted = report.points[0].accepted_beats_per_cycle * 16.0;
    assert!(accepted > 0.999, "{accepted}");
    // Each to its neighbour in the row, the last one to the first: a flow per link. Packets of one word come without gaps.
    let full = |request| TrafficRequest {
        beats: Some(1),
        loads: Some(vec![1.0]),
        has_saturation: false,
        ..request
    };
    let report = sweep_with("tilepro64_4x4", &[], full, Pattern::Neighbour).unwrap();
    let accepted = report.points[0].accepted_beats_per_cycle;
    assert!(accepted > 0.999, "{accepted}");
}

#[test]
fn packets_are_units_unless_asked_otherwise_and_no_longer() {
    let network = network("tilepro64_4x4");
    let request = TrafficRequest::new(Pattern::Uniform);
    assert_eq!(request.beats(&network), UNIT_WORDS);
    let refused = |beats, pattern| {
        let change = |request| TrafficRequest {
            beats: Some(beats),
            ..request
        };
        sweep_with("tilepro64_4x4", &[], change, pattern).unwrap_err()
    };
    for beats in [0, UNIT_WORDS + 1] {
        let parts = ["--beats", &beats.to_string(), "core.unit_bytes", "34"];
        assert_says(refused(beats, Pattern::Uniform), &parts);
    }
    let collective = Pattern::ALL.into_iter().filter(|p| !p.is_unicast());
    for pattern in collective {
        assert_says(refused(1, pattern), &["accepted: uniform", "hotspot"]);
    }
}
