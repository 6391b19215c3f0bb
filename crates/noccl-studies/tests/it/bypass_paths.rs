// SPDX-License-Identifier: Apache-2.0
//! Collectives over routers that flits pass in flight: the right bytes, no faster than the lower bound, no slower than without bypass;
//! the model counts paths in place of hops.

use noccl_model::Calibration;
use noccl_net::{Network, elaborate};
use noccl_run::Watch;
use noccl_spec::{parse_spec, preset_text};
use noccl_studies::{
    CompareRequest, CompareRow, calibrate, compare, compare_by_model, parse_algorithms, parse_group,
};
use noccl_testkit::one_in;
use noccl_workload::CollectiveKind;

fn network(preset: &str, numbers: &[(&str, u32)]) -> Network {
    let numbers = numbers
        .iter()
        .map(|(f, n)| ((*f).to_owned(), n.to_string()));
    let numbers: Vec<(String, String)> = numbers.collect();
    let text = preset_text(preset).unwrap();
    elaborate(&parse_spec(preset, &text, &numbers).unwrap()).unwrap()
}

fn request(
    net: &Network,
    kind: CollectiveKind,
    (group, bytes): (&str, u64),
    algorithms: &str,
) -> CompareRequest {
    let group = parse_group(net, group).unwrap();
    let mut request = CompareRequest::new(kind, group, vec![64, bytes]);
    request.algorithms = parse_algorithms(algorithms).unwrap();
    request
}

fn rows(
    net: &Network,
    kind: CollectiveKind,
    what: (&str, u64),
    algorithms: &str,
) -> Vec<CompareRow> {
    let request = request(net, kind, what, algorithms);
    compare(net, &request, Watch::quiet()).unwrap().rows
}

#[test]
fn every_algorithm_is_right_and_no_run_is_faster_than_its_bound() {
    let paths = [(3, 2), (2, 1), (4, 1)];
    for (hpc_max, setup_cycles) in paths.into_iter().step_by(one_in(3)) {
        let numbers = [
            ("router.bypass.hpc_max", hpc_max),
            ("router.bypass.setup_cycles", setup_cycles),
        ];
        let net = network("collective_noc_4x4_bypass", &numbers);
        for kind in CollectiveKind::ALL {
            for group in ["row", "all"] {
                for row in rows(&net, kind, (group, 4096), "all") {
                    let what = format!("{hpc_max} {} {} in {group}", kind.name(), row.algorithm);
                    assert!(row.verified.is_yes(), "{what}: {row:?}");
                    assert!(row.cycles >= row.lower_bound_cycles, "{what}: {row:?}");
                }
            }
        }
    }
}

/// A multicast from a corner's memory tile crosses 15 links in two paths: its bound is one path over them.
#[test]
fn collectives_of_the_network_gain_what_their_hops_cost() {
    let [with, without] =
        ["collective_noc_8x8_bypass", "collective_noc_8x8"].map(|name| network(name, &[]));
    let cycles = |net: &Network, kind| {
        let rows = rows(net, kind, ("all", 32 << 10), "in_network");
        let of = rows.iter().map(|row| (row.cycles, row.lower_bound_cycles));
        of.collect::<Vec<(u64, u64)>>()
    };
    let multicast = cycles(&with, CollectiveKind::Multicast);
    assert_eq!(multicast[0], (30, 2 + 2 * 2));
    for kind in [CollectiveKind::Multicast, CollectiveKind::Reduce] {
        let pairs = cycles(&with, kind).into_iter().zip(cycles(&without, kind));
        for ((with, _), (without, _)) in pairs {
            assert!(with < without, "{}: {with} {without}", kind.name());
        }
    }
}

#[test]
fn auto_takes_the_networks_tree_for_multicasts_and_reductions() {
    let net = network("collective_noc_8x8_bypass", &[]);
    for kind in [CollectiveKind::Multicast, CollectiveKind::Reduce] {
        let chosen = rows(&net, kind, ("all", 32 << 10), "auto");
        let algorithms: Vec<&str> = chosen.iter().map(|row| row.algorithm.as_str()).collect();
        assert_eq!(algorithms, ["in_network"; 2], "{}", kind.name());
        let software = rows(&net, kind, ("all", 32 << 10), "tree:8,row_column:8:tree");
        for (tree, other) in chosen.iter().zip(software.chunks(2)) {
            let least = other.iter().map(|row| row.cycles).min().unwrap();
            assert!(tree.cycles < least, "{tree:?} {least}");
        }
    }
}

/// A sum of 64 bytes into a corner of 8×8, instructions included; see `docs/design/0012-bypass.md`.
#[test]
fn a_sum_of_one_beat_into_a_corner_takes_its_closed_form_with_instructions() {
    for (setup_cycles, expected) in [(1, 57), (2, 65)] {
        let net = network(
            "collective_noc_8x8_bypass",
            &[("router.bypass.setup_cycles", setup_cycles)],
        );
        let sums = rows(&net, CollectiveKind::Reduce, ("all", 64), "in_network");
        assert_eq!(sums[0].cycles, expected);
    }
}

#[test]
fn the_models_constants_are_those_of_the_network_without_bypass_and_move_with_setup() {
    let shipped = Calibration::shipped().unwrap();
    let paths = [(3, 2), (8, 1), (2, 1)];
    for (hpc_max, setup_cycles) in paths.into_iter().step_by(one_in(3)) {
        let numbers = [
            ("router.bypass.hpc_max", hpc_max),
            ("router.bypass.setup_cycles", setup_cycles),
        ];
        let net = network("collective_noc_8x8_bypass", &numbers);
        let fitted = calibrate(&net, "a test", Watch::quiet()).unwrap();
        let moved = shipped.constants_for(net.spec()).unwrap();
        assert_eq!(fitted.constants, moved, "{numbers:?}");
        assert!(fitted.held_out.max_error < 0.014, "{:?}", fitted.held_out);
    }
}

#[test]
fn the_model_is_exact_for_multicasts_reductions_and_barriers_over_paths() {
    let shipped = Calibration::shipped().unwrap();
    for (hpc_max, setup_cycles) in [(8, 1), (3, 2)] {
        let numbers = [
            ("router.bypass.hpc_max", hpc_max),
            ("router.bypass.setup_cycles", setup_cycles),
        ];
        let net = network("collective_noc_8x8_bypass", &numbers);
        for kind in [
            CollectiveKind::Multicast,
            CollectiveKind::Reduce,
            CollectiveKind::Barrier,
        ] {
            for group in ["row", "0,0,4,2", "all"] {
                let request = request(&net, kind, (group, 4096), "in_network");
                let simulated = compare(&net, &request, Watch::quiet()).unwrap().rows;
                let predicted = compare_by_model(&net, &request, &shipped).unwrap().rows;
                let cycles =
                    |rows: &[CompareRow]| rows.iter().map(|r| r.cycles).collect::<Vec<_>>();
                let what = format!("{numbers:?} {} {group}", kind.name());
                assert_eq!(cycles(&predicted), cycles(&simulated), "{what}");
            }
        }
        let sums = rows(
            &net,
            CollectiveKind::AllReduce,
            ("all", 4096),
            "in_network_once",
        );
        let request = request(
            &net,
            CollectiveKind::AllReduce,
            ("all", 4096),
            "in_network_once",
        );
        let predicted = compare_by_model(&net, &request, &shipped).unwrap().rows;
        let apart = predicted[0].cycles.abs_diff(sums[0].cycles);
        assert!(
            apart <= 1,
            "one beat of an all-reduce: {predicted:?} {sums:?}"
        );
    }
}
