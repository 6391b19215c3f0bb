// SPDX-License-Identifier: Apache-2.0
//! Numbers of routers with bypass, and what has no hardware, by its name.

use noccl_rtl::{RtlNumbers, SmartRtlConfig};

use noccl_testkit::assert_says;
use noccl_testkit::networks::smart as network;

fn numbers(preset: &str, overrides: &[(&str, &str)]) -> SmartRtlConfig {
    let network = network(preset, overrides);
    SmartRtlConfig::of(&network).unwrap().unwrap()
}

#[test]
fn no_path_is_longer_than_a_line_or_than_its_bound() {
    let of = |preset, overrides: &[_]| {
        let c = numbers(preset, overrides);
        (c.hpc_max, c.bitwise_hpc_max, c.arithmetic_hpc_max)
    };
    assert_eq!(of("smart_4x4", &[]), (3, 3, 2));
    assert_eq!(of("smart_8x2", &[]), (7, 7, 2));
    assert_eq!(of("smart_8x8", &[("hpc_max", "1")]), (1, 1, 1));
    assert_eq!(of("smart_1x1", &[]), (1, 1, 1));
    let bounds = [("bitwise_hpc_max", "4"), ("arithmetic_hpc_max", "3")];
    assert_eq!(of("smart_8x8", &bounds), (7, 4, 3));
}

#[test]
fn names_have_a_bit_where_one_tile_or_reduction_needs_none() {
    let least = numbers("smart_1x1", &[("reduction_table_entries", "1")]);
    assert_eq!((least.x_bits, least.y_bits, least.id_bits), (1, 1, 1));
    let odd = numbers("smart_5x3", &[("reduction_table_entries", "9")]);
    assert_eq!((odd.x_bits, odd.y_bits, odd.id_bits), (3, 2, 4));
    assert_eq!(odd.tag_bits, 8 + 3 + 2);
}

#[test]
fn features_are_those_of_the_spec() {
    let all = numbers(
        "smart_4x4",
        &[("priority", "\"bypass\""), ("is_pruned", "true")],
    );
    assert!(all.is_bypass_first && all.is_pruned && all.has_multicast && all.has_table);
    let none = [("multicast", "\"unicasts\""), ("reduction", "\"none\"")];
    let none = numbers("smart_4x4", &none);
    assert!(!none.is_bypass_first && !none.is_pruned && !none.has_multicast && !none.has_table);
}

/// Preset, overrides, and what the refusal says.
type Case<'c> = (&'c str, &'c [(&'c str, &'c str)], &'c str, &'c str);

#[test]
fn what_has_no_hardware_is_refused_by_its_field() {
    let complete = [("multicast", "\"complete\""), ("tree", "\"private\"")];
    let cases: [Case<'_>; 8] = [
        (
            "smart_4x4_connected",
            &[],
            "router.smart.is_connected = true",
            "false",
        ),
        (
            "smart_4x4",
            &[("tree", "\"private\"")],
            "router.smart.tree = \"private\"",
            "\"shared\"",
        ),
        (
            "smart_4x4",
            &[("tree", "\"by_load\"")],
            "router.smart.tree = \"by_load\"",
            "\"shared\"",
        ),
        (
            "smart_4x4",
            &complete,
            "router.smart.tree = \"private\"",
            "\"shared\"",
        ),
        (
            "smart_4x4",
            &[("reduction", "\"opportunistic\"")],
            "router.smart.reduction = \"opportunistic\"",
            "\"none\", \"complete\"",
        ),
        (
            "smart_4x4",
            &[("reduction", "\"greedy\"")],
            "router.smart.reduction = \"greedy\"",
            "\"none\", \"complete\"",
        ),
        ("smart_13x5", &[], "mesh = 13 x 5", "at most 64 tiles"),
        (
            "smart_10x2",
            &[("hpc_max", "9")],
            "router.smart.hpc_max = 9",
            "at most 8",
        ),
    ];
    for (preset, overrides, found, accepted) in cases {
        let refused = RtlNumbers::new(&network(preset, overrides))
            .unwrap_err()
            .to_string();
        assert!(
            refused.starts_with(&format!("{found}: there is no hardware")),
            "{refused}"
        );
        assert_says(&refused, &[&format!("accepted: {accepted}")]);
    }
    // A line of nine tiles has no path of nine hops.
    assert_eq!(numbers("smart_9x2", &[("hpc_max", "9")]).hpc_max, 8);
}
