// SPDX-License-Identifier: Apache-2.0
//! Networks with wide beats of 8 to 256 bytes: bytes of every collective, lower bounds, the model, stress, traffic.

use crate::common::{
    asked, check_bytes_and_bounds, check_predicted, check_stress, lone_packets, rows_by,
};
use noccl_model::Calibration;
use noccl_net::Network;
use noccl_run::{Mode, Watch};
use noccl_studies::{TrafficRequest, calibrate, traffic};
use noccl_testkit::{network_with, one_in};
use noccl_workload::{CollectiveKind, Pattern};

const WIDTHS: [u32; 5] = [8, 16, 32, 128, 256];

fn network(preset: &str, width: u32) -> Network {
    network_with(preset, &[("ni.wide_beat_bytes", width)])
}

#[test]
fn every_algorithm_has_the_right_bytes_and_none_is_faster_than_its_lower_bound() {
    for width in WIDTHS.into_iter().step_by(one_in(4)) {
        for preset in [
            "collective_noc_4x4",
            "collective_noc_4x4_published",
            "ideal_4x4",
        ] {
            let net = network(preset, width);
            for case in [
                (CollectiveKind::Multicast, "row", 1024),
                (CollectiveKind::Multicast, "all", 1000),
                (CollectiveKind::Reduce, "row", 5 * 1024),
                (CollectiveKind::Reduce, "all", 520),
                (CollectiveKind::AllReduce, "0,0,2,2", 2048),
                (CollectiveKind::AllGather, "row", 136),
                (CollectiveKind::ReduceScatter, "0,0,2,2", 64),
                (CollectiveKind::AllToAll, "0,0,2,2", 72),
                (CollectiveKind::Barrier, "all", 0),
            ] {
                check_bytes_and_bounds(&net, &(preset, width), case);
            }
        }
    }
}

#[test]
fn long_payloads_take_a_cycle_per_beat_whatever_it_holds() {
    let bytes = 32 << 10;
    for width in WIDTHS {
        let net = network("collective_noc_4x4", width);
        let what = ("row", &[bytes][..]);
        let request = asked(&net, CollectiveKind::Multicast, what, "in_network");
        let row = &rows_by(&net, &request)[0];
        let beats = bytes / u64::from(width);
        let most = beats + 64;
        assert!((beats..most).contains(&row.cycles), "{width}: {row:?}");
    }
}

#[test]
fn overlapping_transactions_of_all_kinds_complete_with_the_right_bytes() {
    for width in WIDTHS {
        let net = network("collective_noc_4x4", width);
        check_stress(&net, &width, 10);
    }
}

/// Constants are per beat, and additions of wide beats take the FPUs several cycles by a law.
#[test]
fn the_models_constants_hold_for_every_width() {
    let shipped = Calibration::shipped().unwrap();
    for width in WIDTHS.into_iter().step_by(one_in(4)) {
        let net = network("collective_noc_4x4", width);
        let fitted = calibrate(&net, "a test", Watch::quiet()).unwrap();
        let same = shipped.constants_for(net.spec()).unwrap();
        assert_eq!(fitted.constants, same, "{width}");
    }
}

#[test]
fn the_model_expects_the_cycles_of_collectives_in_the_network() {
    for width in WIDTHS {
        let net = network("collective_noc_4x4", width);
        for collective in [CollectiveKind::Multicast, CollectiveKind::Reduce] {
            let what = ("row", &[512, 4096, 16 << 10][..]);
            let request = asked(&net, collective, what, "in_network");
            check_predicted(&net, &request, &format!("{width}"));
        }
    }
}

/// Two cycles per hop and two for the first router's stages, then a beat per cycle; published interfaces send an address flit first.
#[test]
fn latency_of_lone_packets_counts_their_beats_and_not_their_bytes() {
    for width in WIDTHS {
        for (preset, address_flits) in [
            ("collective_noc_2x2", 0),
            ("collective_noc_2x2_published", 1),
        ] {
            for beats in [1, 16] {
                // Every packet goes two hops.
                let request = lone_packets(Pattern::BitComplement, beats);
                let net = network(preset, width);
                let report = traffic(&net, &request, Watch::quiet()).unwrap();
                let point = &report.points[0];
                let cycles = f64::from(2 * 2 + 2 + address_flits + beats - 1);
                assert!(point.packets > 0, "{preset}, {width}: {point:?}");
                let found = (
                    point.mean_latency_cycles.unwrap(),
                    report.zero_load_latency_cycles,
                );
                assert_eq!(found, (cycles, cycles), "{preset}, {width}: {point:?}");
            }
        }
    }
}

#[test]
fn low_loads_are_accepted_as_offered_and_their_bytes_are_those_of_the_beats() {
    let offered = 0.05;
    for width in WIDTHS {
        for pattern in [Pattern::Uniform, Pattern::Neighbour] {
            let mut request = TrafficRequest::new(pattern);
            request.beats = Some(8);
            request.loads = Some(vec![offered]);
            request.measure_cycles = 40_000;
            request.has_saturation = false;
            let net = network("collective_noc_4x4", width);
            let report = traffic(&net, &request, Watch::quiet()).unwrap();
            let point = &report.points[0];
            let accepted = point.accepted_beats_per_cycle;
            assert!(
                (accepted - offered).abs() < 0.1 * offered && !point.saturated,
                "{width}, {pattern}: {point:?}"
            );
            let bytes_per_cycle = point.accepted_gb_per_s / net.spec().clock_ghz;
            assert!(
                (bytes_per_cycle - accepted * f64::from(width)).abs() < 1e-9,
                "{width}, {pattern}: {point:?}"
            );
            request.mode = Mode::Value;
            let moved = traffic(&net, &request, Watch::quiet()).unwrap();
            assert_eq!(moved, report, "{width}, {pattern}");
        }
    }
}
