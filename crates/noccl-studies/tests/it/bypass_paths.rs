// SPDX-License-Identifier: Apache-2.0
//! Collectives over routers that flits pass in flight: the right bytes, no faster than the lower bound, no slower than without bypass;
//! the model counts paths in place of hops.

use crate::common::{asked, check_predicted, rows_by};
use noccl_model::Calibration;
use noccl_net::Network;
use noccl_run::Watch;
use noccl_studies::{CompareRow, calibrate, compare_by_model};
use noccl_testkit::{network_with, one_in};
use noccl_workload::CollectiveKind;

/// The preset of this size with paths of so many links and so many cycles for their setup.
fn network(size: &str, (hpc_max, setup_cycles): (u32, u32)) -> Network {
    let numbers = [
        ("router.bypass.hpc_max", hpc_max),
        ("router.bypass.setup_cycles", setup_cycles),
    ];
    network_with(&format!("collective_noc_{size}_bypass"), &numbers)
}

fn rows(
    net: &Network,
    kind: CollectiveKind,
    (group, bytes): (&str, u64),
    algorithms: &str,
) -> Vec<CompareRow> {
    rows_by(net, &asked(net, kind, (group, &[64, bytes]), algorithms))
}

#[test]
fn every_algorithm_is_right_and_no_run_is_faster_than_its_bound() {
    let paths = [(3, 2), (2, 1), (4, 1)];
    for path in paths.into_iter().step_by(one_in(3)) {
        let net = network("4x4", path);
        for kind in CollectiveKind::ALL {
            for group in ["row", "all"] {
                for row in rows(&net, kind, (group, 4096), "all") {
                    let what = format!("{path:?} {} {} in {group}", kind.name(), row.algorithm);
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
        ["collective_noc_8x8_bypass", "collective_noc_8x8"].map(noccl_testkit::network);
    let cycles = |net: &Network, kind| {
        let rows = rows(net, kind, ("all", 32 << 10), "in_network");
        let of = rows.iter().map(|row| (row.cycles, row.lower_bound_cycles));
        of.collect::<Vec<(u64, u64)>>()
    };
    let multicast = cycles(&with, CollectiveKind::Multicast);
    // A memory is the root: request of the cluster beside it, its latency, and two paths with bypass.
    assert_eq!(multicast[0], (30, (2 + 2) + 1 + 2 + 2 * 2));
    for kind in [CollectiveKind::Multicast, CollectiveKind::Reduce] {
        let pairs = cycles(&with, kind).into_iter().zip(cycles(&without, kind));
        for ((with, _), (without, _)) in pairs {
            assert!(with < without, "{}: {with} {without}", kind.name());
        }
    }
}

#[test]
fn auto_takes_the_networks_tree_for_multicasts_and_reductions() {
    let net = noccl_testkit::network("collective_noc_8x8_bypass");
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
        let setup = [("router.bypass.setup_cycles", setup_cycles)];
        let net = network_with("collective_noc_8x8_bypass", &setup);
        let sums = rows(&net, CollectiveKind::Reduce, ("all", 64), "in_network");
        assert_eq!(sums[0].cycles, expected);
    }
}

#[test]
fn the_models_constants_are_those_of_the_network_without_bypass_and_move_with_setup() {
    let shipped = Calibration::shipped().unwrap();
    let paths = [(3, 2), (8, 1), (2, 1)];
    for path in paths.into_iter().step_by(one_in(3)) {
        let net = network("8x8", path);
        let fitted = calibrate(&net, "a test", Watch::quiet()).unwrap();
        let moved = shipped.constants_for(net.spec()).unwrap();
        assert_eq!(fitted.constants, moved, "{path:?}");
        assert!(fitted.held_out.max_error < 0.014, "{:?}", fitted.held_out);
    }
}

#[test]
fn the_model_is_exact_for_multicasts_reductions_and_barriers_over_paths() {
    let shipped = Calibration::shipped().unwrap();
    for path in [(8, 1), (3, 2)] {
        let net = network("8x8", path);
        for kind in [
            CollectiveKind::Multicast,
            CollectiveKind::Reduce,
            CollectiveKind::Barrier,
        ] {
            for group in ["row", "0,0,4,2", "all"] {
                let request = asked(&net, kind, (group, &[64, 4096]), "in_network");
                check_predicted(&net, &request, &format!("{path:?} {}", kind.name()));
            }
        }
        let (kind, what) = (CollectiveKind::AllReduce, ("all", &[64, 4096][..]));
        let request = asked(&net, kind, what, "in_network_once");
        let sums = rows_by(&net, &request);
        let predicted = compare_by_model(&net, &request, &shipped).unwrap().rows;
        let apart = predicted[0].cycles.abs_diff(sums[0].cycles);
        assert!(
            apart <= 1,
            "one beat of an all-reduce: {predicted:?} {sums:?}"
        );
    }
}
