// SPDX-License-Identifier: Apache-2.0
//! Routers with bypass on 8×8 tiles, and on meshes that are no powers of two, in lock-step with their hardware (`make cosim-smart-8x8`).

use crate::messages::{Overrides, takes_the_same_course};

/// Short packets and few entries: less to build.
const SMALL: Overrides = &[
    ("flit_bits", "64"),
    ("vc_flits", "2"),
    ("vcs", "2"),
    ("reduction_table_entries", "6"),
];

/// Paths of up to 2, 4 and 7 hops, which is the longest one of such a mesh.
fn paths_take_the_same_course(setup_cycles: &str, priority: &str) {
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
        takes_the_same_course("smart_8x8", &[SMALL, overrides, more], 12);
    }
}

#[test]
fn one_cycle_of_setup_takes_the_same_course() {
    paths_take_the_same_course("1", "\"local\"");
}

#[test]
fn two_cycles_of_setup_take_the_same_course() {
    paths_take_the_same_course("2", "\"local\"");
}

#[test]
fn flits_that_pass_first_take_the_same_course() {
    paths_take_the_same_course("1", "\"bypass\"");
}

#[test]
fn flits_that_pass_first_with_two_cycles_of_setup_take_the_same_course() {
    paths_take_the_same_course("2", "\"bypass\"");
}

/// Columns and rows that end before a power of two, and a single row.
#[test]
fn other_meshes_take_the_same_course() {
    takes_the_same_course("smart_5x3", &[SMALL, &[("setup_cycles", "2")]], 20);
    takes_the_same_course(
        "smart_8x1",
        &[SMALL, &[("vcs", "1"), ("vc_flits", "9")]],
        20,
    );
}
