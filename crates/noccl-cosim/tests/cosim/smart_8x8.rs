// SPDX-License-Identifier: Apache-2.0
//! Routers with bypass on 8×8 tiles, and on meshes that are no powers of two, in lock-step with their hardware (`make cosim-smart-8x8`).

use crate::messages::{Overrides, matches_the_simulator};

/// Short packets and few entries: less to build.
const SMALL: Overrides = &[
    ("flit_bits", "64"),
    ("vc_flits", "2"),
    ("vcs", "2"),
    ("reduction_table_entries", "6"),
];

/// Paths of up to 2, 4 and 7 hops, which is the longest one of such a mesh.
fn paths_match_the_simulator(setup_cycles: &str, priority: &str) {
    for (hpc_max, more) in [
        ("2", &[("vcs", "1"), ("is_pruned", "true")][..]),
        ("4", &[][..]),
        ("7", &[("is_pruned", "true")][..]),
    ] {
        let overrides: Overrides = &[
            ("hpc_max", hpc_max),
            ("setup_cycles", setup_cycles),
            ("priority", priority),
        ];
        matches_the_simulator("smart_8x8", &[SMALL, overrides, more], 12);
    }
}

#[test]
fn one_cycle_of_setup_matches_the_simulator() {
    paths_match_the_simulator("1", "\"local\"");
}

#[test]
fn two_cycles_of_setup_match_the_simulator() {
    paths_match_the_simulator("2", "\"local\"");
}

#[test]
fn flits_that_pass_first_match_the_simulator() {
    paths_match_the_simulator("1", "\"bypass\"");
}

#[test]
fn flits_that_pass_first_with_two_cycles_of_setup_match_the_simulator() {
    paths_match_the_simulator("2", "\"bypass\"");
}

/// Columns and rows that end before a power of two, and a single row.
#[test]
fn other_meshes_match_the_simulator() {
    matches_the_simulator("smart_5x3", &[SMALL, &[("setup_cycles", "2")]], 20);
    matches_the_simulator(
        "smart_8x1",
        &[SMALL, &[("vcs", "1"), ("vc_flits", "9")]],
        20,
    );
}
