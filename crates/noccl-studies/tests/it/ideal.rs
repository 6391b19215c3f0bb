// SPDX-License-Identifier: Apache-2.0
//! The ideal crossbar as a baseline: every algorithm of every collective delivers the right bytes, no faster than the lower
//! bound; it is never slower than the mesh where distance is all that differs; what it does not do is refused by name.

use crate::common::{all_complete, asked, rows_by as rows, stress_request};
use noccl_net::{Network, elaborate};
use noccl_run::Watch;
use noccl_spec::parse_spec;
use noccl_studies::{CompareRequest, Error, compare, parse_algorithms};
use noccl_studies::{StressKind, TrafficRequest, traffic};
use noccl_testkit::{assert_says, cluster, network};
use noccl_workload::{CollectiveKind, ElementType, Operator, Pattern};

fn request(net: &Network, kind: CollectiveKind, group: &str) -> CompareRequest {
    asked(net, kind, (group, &[64, 4096]), "")
}

#[test]
fn every_algorithm_is_right_and_no_run_is_faster_than_its_bound() {
    let net = network("ideal_4x4");
    for kind in CollectiveKind::ALL {
        for group in ["row", "all", "0,0,2,2"] {
            for row in rows(&net, &request(&net, kind, group)) {
                let what = format!("{} {} in {group}", kind.name(), row.algorithm);
                assert!(row.verified.is_yes(), "{what}: {row:?}");
                assert!(row.cycles >= row.lower_bound_cycles, "{what}: {row:?}");
            }
        }
    }
}

/// Floats are added in the order of the mesh: the same bytes, so the same error against the exact sum.
#[test]
fn sums_of_floats_equal_those_of_the_mesh() {
    let [ideal, mesh] = ["ideal_4x4", "collective_noc_4x4"].map(network);
    for element in [ElementType::Fp64, ElementType::Bf16, ElementType::Fp8E4m3] {
        let error = |net: &Network| {
            let mut request = request(net, CollectiveKind::Reduce, "all");
            (request.operator, request.element) = (Operator::Sum, element);
            request.algorithms = parse_algorithms("in_network").unwrap();
            let rows = rows(net, &request);
            assert!(rows.iter().all(|row| row.verified.is_yes()), "{rows:?}");
            let errors = rows.into_iter().map(|row| row.sum_error);
            errors.collect::<Vec<_>>()
        };
        assert_eq!(error(&ideal), error(&mesh), "{element:?}");
    }
}

#[test]
fn without_topology_the_networks_own_collectives_are_faster() {
    let [ideal, mesh] = ["ideal_4x4", "collective_noc_4x4"].map(network);
    for kind in [
        CollectiveKind::Multicast,
        CollectiveKind::Reduce,
        CollectiveKind::Barrier,
    ] {
        let cycles = |net: &Network| {
            let mut request = request(net, kind, "all");
            request.algorithms = parse_algorithms("in_network").unwrap();
            let rows = rows(net, &request);
            rows.into_iter().map(|row| row.cycles).collect::<Vec<_>>()
        };
        for (ideal, mesh) in cycles(&ideal).into_iter().zip(cycles(&mesh)) {
            assert!(ideal < mesh, "{}: {ideal} {mesh}", kind.name());
        }
    }
}

#[test]
fn an_all_reduce_in_one_transaction_is_refused() {
    let net = network("ideal_4x4");
    let mut request = request(&net, CollectiveKind::AllReduce, "all");
    request.algorithms = parse_algorithms("in_network_once").unwrap();
    let error: Error = compare(&net, &request, Watch::quiet()).unwrap_err();
    assert_says(&error, &["accepted: in_network"]);
}

/// Interfaces are all that limits open-loop traffic: half of what they can pass is accepted with every pattern. A mesh has a third of it for
/// a transposition.
#[test]
fn traffic_is_limited_by_interfaces_alone() {
    let net = network("ideal_4x4");
    for (pattern, capacity, targets) in [
        (Pattern::Transpose, 1.0, 1.0),
        (Pattern::Uniform, 1.0, 1.0),
        (Pattern::Hotspot, 1.0 / 16.0, 1.0),
        // Every target of a multicast accepts its beats.
        (Pattern::RowMulticast, 1.0 / 3.0, 4.0),
    ] {
        let request = TrafficRequest {
            loads: Some(vec![0.5 * capacity]),
            has_saturation: false,
            measure_cycles: 4_000,
            ..TrafficRequest::new(pattern)
        };
        let report = traffic(&net, &request, Watch::quiet()).unwrap();
        assert_eq!(report.capacity_beats_per_cycle, capacity, "{pattern:?}");
        let point = &report.points[0];
        let accepted = point.accepted_beats_per_cycle / targets;
        assert!(
            !point.saturated && accepted <= capacity,
            "{pattern:?}: {point:?}"
        );
        assert!(accepted > 0.4 * capacity, "{pattern:?}: {point:?}");
    }
}

/// Chains of endpoints are algorithms as any other there, in every order of destinations.
#[test]
fn torrent_endpoints_deliver_the_right_bytes_over_the_crossbar() {
    let ideal = include_str!("../../../noccl-spec/presets/ideal/ideal.toml");
    for preset in [
        "torrent_3x3",
        "torrent_3x3_published",
        "torrent_3x3_parallel",
    ] {
        let text = format!("base = \"{preset}\"\nname = \"ideal_torrent\"\n{ideal}");
        let net = elaborate(&parse_spec("ideal_torrent.toml", &text, &[]).unwrap()).unwrap();
        let mut request = request(&net, CollectiveKind::Multicast, "all");
        request.root = Some(cluster(0, 0));
        let rows = rows(&net, &request);
        let mut chains = rows.iter().map(|row| &row.algorithm);
        assert!(
            chains.any(|name| name.starts_with("chainwrite")),
            "{rows:?}"
        );
        for row in rows {
            assert!(row.verified.is_yes(), "{preset}: {row:?}");
            assert!(row.cycles >= row.lower_bound_cycles, "{preset}: {row:?}");
        }
        if preset == "torrent_3x3_published" {
            continue; // Several of its chains may wait for each other.
        }
        let request = stress_request(preset.to_owned(), &[StressKind::Chain], 20);
        all_complete(&net, &request);
    }
}
