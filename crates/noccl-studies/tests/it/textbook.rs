// SPDX-License-Identifier: Apache-2.0
//! The mesh of `smart_8x8_baseline` beside a textbook mesh that somebody else simulates: BookSim2.
//!
//! BookSim2: 8x8, X then Y, one class, 8 flits of buffer per input, allocation of channel and switch in one cycle, a router of two cycles and a link
//! of one, uniform destinations, the source among them. Its latency in an empty mesh is 3 (h + 1) + 2 + (L - 1) for h hops and L flits. With a
//! setup of two cycles a hop takes three here too, and the path out of the interface one cycle less. Sources send nothing to themselves here, so
//! loads and latencies are converted.

use noccl_run::Watch;
use noccl_studies::{TrafficReport, TrafficRequest, traffic};
use noccl_testkit::networks::smart;
use noccl_workload::Pattern;

/// Share of BookSim2's packets that leave their source.
const LEAVING: f64 = 63.0 / 64.0;

fn mesh(vcs: u32, vc_flits: u32, request: &TrafficRequest) -> TrafficReport {
    let fields = [("vcs", vcs), ("vc_flits", vc_flits), ("setup_cycles", 2)];
    let network = smart("smart_8x8_baseline", &fields);
    traffic(&network, request, Watch::quiet()).unwrap()
}

fn request(beats: u32, loads: &[f64]) -> TrafficRequest {
    TrafficRequest {
        beats: Some(beats),
        loads: Some(loads.iter().map(|load| load * LEAVING).collect()),
        has_saturation: false,
        warmup_cycles: 2_000,
        measure_cycles: 8_000,
        ..TrafficRequest::new(Pattern::Uniform)
    }
}

/// As BookSim2 counts: a cycle more, and packets to their own source, which meet nobody.
fn as_textbook(latency_cycles: f64, beats: u32) -> f64 {
    let to_itself = 5.0 + f64::from(beats - 1);
    LEAVING * (latency_cycles + 1.0) + (1.0 - LEAVING) * to_itself
}

#[test]
fn an_empty_mesh_takes_the_cycles_of_the_textbook_exactly() {
    // 5.25 hops in the mean.
    for (beats, textbook) in [(1, 20.75), (8, 27.75)] {
        let report = mesh(8, 8, &request(beats, &[0.001]));
        let found = as_textbook(report.zero_load_latency_cycles, beats);
        assert!((found - textbook).abs() < 1e-9, "{beats} flits: {found}");
    }
}

#[test]
fn packets_of_a_flit_have_the_curve_and_saturation_of_the_textbook() {
    let textbook = [(0.05, 20.88), (0.1, 21.01), (0.2, 21.57)];
    let loads = textbook.map(|(load, _)| load);
    let request = TrafficRequest {
        has_saturation: true,
        latency_limit_cycles: Some(3.0 * 20.75),
        ..request(1, &loads)
    };
    // A channel holds one packet here, so that 8 flits of buffer are 8 channels.
    let report = mesh(8, 1, &request);
    for (point, (load, latency)) in report.points.iter().zip(textbook) {
        let ours = as_textbook(point.mean_latency_cycles.unwrap(), 1);
        assert!(
            (ours / latency - 1.0).abs() < 0.03,
            "{load}: {ours} {latency}"
        );
    }
    let saturation = report.saturation_beats_per_cycle.unwrap() / LEAVING;
    assert!((saturation / 0.377 - 1.0).abs() < 0.05, "{saturation}");
}

/// BookSim2's channel is a FIFO in which the next packet follows the last flit of the one before. Here a channel holds one packet, so that one channel
/// of eight flits accepts less and two share a link flit by flit, which makes both packets late.
#[test]
fn packets_of_eight_flits_lie_around_the_textbook_where_channels_of_whole_packets_differ_from_a_fifo()
 {
    if !noccl_testkit::is_long() {
        return;
    }
    let textbook = [(0.05, 28.8), (0.1, 30.3), (0.2, 36.4)];
    let loads = textbook.map(|(load, _)| load);
    let request = TrafficRequest {
        has_saturation: true,
        latency_limit_cycles: Some(3.0 * 27.75),
        ..request(8, &loads)
    };
    let saturation = |report: &TrafficReport| report.saturation_beats_per_cycle.unwrap() / LEAVING;
    let [one, two, three] = [1, 2, 3].map(|vcs| mesh(vcs, 8, &request));
    for (point, (load, latency)) in three.points.iter().zip(textbook) {
        let ours = as_textbook(point.mean_latency_cycles.unwrap(), 8);
        assert!(
            (ours / latency - 1.0).abs() < 0.08,
            "{load}: {ours} {latency}"
        );
    }
    let found = [&one, &two, &three].map(saturation);
    assert!(found.is_sorted(), "{found:?}");
    assert!(found[1] < 0.294 && 0.294 < found[2], "{found:?}");
}
