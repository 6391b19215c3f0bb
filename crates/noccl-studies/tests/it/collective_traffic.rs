// SPDX-License-Identifier: Apache-2.0
//! Broadcasts, random multicasts and reductions as open-loop traffic: exact alone, below every bound, with intervals over seeds.

use crate::common::sweep;
use noccl_run::Watch;
use noccl_studies::{TrafficRequest, traffic};
use noccl_testkit::{assert_says, network, one_in};
use noccl_workload::Pattern;

const COLLECTIVE: [Pattern; 4] = [
    Pattern::Broadcast,
    Pattern::CornerBroadcast,
    Pattern::RandomMulticast,
    Pattern::ManyToOne,
];

fn request(pattern: Pattern) -> TrafficRequest {
    TrafficRequest {
        beats: Some(1),
        has_saturation: false,
        warmup_cycles: 500,
        measure_cycles: 2_000,
        ..TrafficRequest::new(pattern)
    }
}

#[test]
fn alone_the_last_copy_takes_what_the_closed_form_says() {
    for preset in ["smart_4x4", "smart_4x4_private", "smart_4x4_collective"] {
        for (pattern, tolerance) in [
            // From every corner the last copy is equally far.
            (Pattern::CornerBroadcast, 0.0),
            (Pattern::Broadcast, 0.03),
            (Pattern::RandomMulticast, 0.03),
        ] {
            let request = TrafficRequest {
                loads: Some(vec![0.000_1]),
                measure_cycles: 400_000,
                ..request(pattern)
            };
            let report = sweep(preset, &request);
            let (found, zero) = (
                report.points[0].mean_latency_cycles.unwrap(),
                report.zero_load_latency_cycles,
            );
            assert!(
                (found / zero - 1.0).abs() <= tolerance,
                "{preset} {pattern}: {found} {zero}"
            );
        }
    }
    let request = TrafficRequest {
        loads: Some(vec![0.001]),
        measure_cycles: 400_000,
        ..request(Pattern::ManyToOne)
    };
    let report = sweep("smart_4x4", &request);
    let point = &report.points[0];
    let difference = point.mean_latency_cycles.unwrap() - report.zero_load_latency_cycles;
    assert!(difference.abs() < 0.2, "{point:?}");
    assert_eq!(point.received_per_flow, Some(1.0));
}

#[test]
fn no_accepted_load_exceeds_the_bound_of_links_and_interfaces() {
    let presets = [
        "smart_4x3",
        "smart_8x8",
        "smart_8x8_baseline",
        "smart_8x8_private",
        "smart_8x8_collective",
    ];
    for preset in presets.into_iter().step_by(one_in(4)) {
        for pattern in COLLECTIVE {
            let mut request = request(pattern);
            let network = network(preset);
            let clusters = network.clusters().count() as f64;
            let (width, height) = (network.cluster_width(), network.cluster_height());
            let senders = pattern.num_senders(width, height) as f64;
            let capacity = request.loads(&network)[9];
            let parts = [0.5, 1.0, 1.2].map(|part| (part * capacity).min(1.0));
            request.loads = Some(parts.to_vec());
            for point in sweep(preset, &request).points {
                let accepted = point.accepted_flows_per_cycle.unwrap();
                // What was in flight when measuring began comes out besides.
                let bound = capacity * senders * 1.02;
                assert!(accepted <= bound, "{preset} {pattern} {bound}: {point:?}");
                assert!(point.accepted_beats_per_cycle <= 1.0, "{preset} {point:?}");
                let is_broadcast = matches!(pattern, Pattern::Broadcast | Pattern::CornerBroadcast);
                if is_broadcast {
                    let delivered = point.accepted_beats_per_cycle * clusters / (clusters - 1.0);
                    let most = clusters / (clusters - 1.0);
                    assert!(delivered <= most, "{preset} {point:?}");
                }
            }
        }
    }
}

#[test]
fn several_seeds_have_intervals_and_one_has_none() {
    let one = sweep("smart_4x4", &request(Pattern::Broadcast));
    assert!(
        one.points
            .iter()
            .all(|p| p.accepted_half_width_beats_per_cycle.is_none())
    );
    let several = TrafficRequest {
        seeds: 5,
        ..request(Pattern::Broadcast)
    };
    let report = sweep("smart_4x4", &several);
    let low = &report.points[2];
    let width = low.accepted_half_width_beats_per_cycle.unwrap();
    assert!(width > 0.0, "{low:?}");
    // What is offered lies within the interval, or hardly outside.
    let offered = low.offered_beats_per_cycle * 15.0;
    assert!(
        (low.accepted_beats_per_cycle - offered).abs() < 2.0 * width,
        "{low:?}"
    );
    assert!(low.mean_latency_half_width_cycles.unwrap() > 0.0);
    let seeds = (1..=5).map(|seed| {
        let request = TrafficRequest {
            seed,
            loads: Some(vec![low.offered_beats_per_cycle]),
            ..request(Pattern::Broadcast)
        };
        sweep("smart_4x4", &request).points[0].accepted_beats_per_cycle
    });
    let mean = seeds.sum::<f64>() / 5.0;
    assert!((mean - low.accepted_beats_per_cycle).abs() < 1e-12);
}

#[test]
fn the_load_at_a_limit_of_latency_lies_between_those_below_and_above_it() {
    let mut request = request(Pattern::Broadcast);
    request.has_saturation = true;
    request.latency_limit_cycles = Some(15.0);
    let report = sweep("smart_8x8", &request);
    let saturation = report.saturation_beats_per_cycle.unwrap();
    for point in &report.points {
        let is_below = point.mean_latency_cycles.unwrap() <= 15.0;
        assert_eq!(point.saturated, !is_below);
        if is_below {
            assert!(
                point.offered_beats_per_cycle < 1.02 * saturation,
                "{saturation} {point:?}"
            );
        } else {
            assert!(
                point.offered_beats_per_cycle > 0.98 * saturation,
                "{saturation} {point:?}"
            );
        }
    }
}

#[test]
fn latency_between_routers_is_the_one_between_interfaces_less_their_cycles() {
    let report = sweep("smart_4x4", &request(Pattern::ManyToOne));
    for point in &report.points {
        let routers = point.mean_router_latency_cycles.unwrap();
        assert_eq!(routers, point.mean_latency_cycles.unwrap() - 3.0);
    }
    let preset = "collective_noc_2x2";
    let machine = sweep(preset, &request(Pattern::Uniform));
    let json = serde_json::to_value(&machine.points[0]).unwrap();
    for absent in [
        "mean_router_latency_cycles",
        "accepted_flows_per_cycle",
        "open_flows",
    ] {
        assert!(json.get(absent).is_none(), "{absent}");
    }
}

/// A preset, what the message says, and the change that is refused.
type Refused<'a> = (&'a str, &'a str, &'a dyn Fn(&mut TrafficRequest));

#[test]
fn what_routers_cannot_carry_is_refused_with_what_is_accepted() {
    let cases: [Refused<'_>; 6] = [
        ("collective_noc_4x4", "any set", &|r| {
            r.pattern = Pattern::RandomMulticast
        }),
        ("collective_noc_4x4", "messages", &|r| {
            r.pattern = Pattern::ManyToOne
        }),
        ("smart_4x4", "1 to 5 (router.smart.vc_flits)", &|r| {
            r.beats = Some(6)
        }),
        ("smart_4x4", "at most 1", &|r| r.loads = Some(vec![1.01])),
        ("smart_4x4", "--seeds", &|r| r.seeds = 0),
        ("smart_4x4", "--latency-limit", &|r| {
            r.latency_limit_cycles = Some(f64::NAN)
        }),
    ];
    for (preset, part, change) in cases {
        let mut request = request(Pattern::Broadcast);
        change(&mut request);
        let refused = traffic(&network(preset), &request, Watch::quiet());
        assert_says(refused.unwrap_err(), &[part]);
    }
}
