// SPDX-License-Identifier: Apache-2.0
//! Collectives over routers that flits pass in flight: the right bytes, no faster than the lower bound, no slower than without bypass.
#![allow(clippy::unwrap_used)]

use noccl_net::{Network, elaborate};
use noccl_run::Watch;
use noccl_spec::{parse_spec, preset_text};
use noccl_studies::{CompareRequest, CompareRow, compare, parse_algorithms, parse_group};
use noccl_workload::CollectiveKind;

fn network(preset: &str, numbers: &[(&str, u32)]) -> Network {
    let numbers = numbers
        .iter()
        .map(|(f, n)| ((*f).to_owned(), n.to_string()));
    let numbers: Vec<(String, String)> = numbers.collect();
    let text = preset_text(preset).unwrap();
    elaborate(&parse_spec(preset, &text, &numbers).unwrap()).unwrap()
}

fn rows(
    net: &Network,
    kind: CollectiveKind,
    (group, bytes): (&str, u64),
    algorithms: &str,
) -> Vec<CompareRow> {
    let group = parse_group(net, group).unwrap();
    let mut request = CompareRequest::new(kind, group, vec![64, bytes]);
    request.algorithms = parse_algorithms(algorithms).unwrap();
    compare(net, &request, Watch::quiet()).unwrap().rows
}

#[test]
fn every_algorithm_is_right_and_no_run_is_faster_than_its_bound() {
    for (hpc_max, setup_cycles) in [(2, 1), (3, 2), (4, 1)] {
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

/// A multicast from a corner's memory tile crosses 15 links in two paths: its bound is one round trip over them.
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
    assert_eq!(multicast[0], (30, 5 + 4 * 2));
    for kind in [CollectiveKind::Multicast, CollectiveKind::Reduce] {
        let pairs = cycles(&with, kind).into_iter().zip(cycles(&without, kind));
        for ((with, _), (without, _)) in pairs {
            assert!(with < without, "{}: {with} {without}", kind.name());
        }
    }
}
