// SPDX-License-Identifier: Apache-2.0
//! Routers with bypass on 8×8 tiles, and on meshes that are no powers of two, in lock-step with their hardware (`make cosim-smart-8x8`).

mod smart;

use smart::{Overrides, takes_the_same_course};

/// Short packets and few entries: less to build.
const SMALL: Overrides = &[
    ("flit_bits", "64"),
    ("vc_flits", "2"),
    ("vcs", "2"),
    ("reduction_table_entries", "6"),
];

/// The longest path of such a mesh, and shorter ones.
#[test]
fn paths_of_any_length_take_the_same_course() {
    takes_the_same_course("smart_8x8", &[SMALL], 12);
    for more in [
        &[("hpc_max", "4"), ("setup_cycles", "2")][..],
        &[("hpc_max", "2"), ("is_pruned", "true"), ("vcs", "1")],
    ] {
        takes_the_same_course("smart_8x8", &[SMALL, more], 12);
    }
}

#[test]
fn flits_that_pass_first_take_the_same_course() {
    for (setup, hpc_max) in [("1", "7"), ("2", "4")] {
        let overrides: Overrides = &[
            ("priority", "\"bypass\""),
            ("setup_cycles", setup),
            ("hpc_max", hpc_max),
        ];
        takes_the_same_course("smart_8x8", &[SMALL, overrides], 12);
    }
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
