// SPDX-License-Identifier: Apache-2.0
//! Routers with bypass on 8×8 tiles, and on meshes that are no powers of two, in lock-step with their hardware (`make cosim-smart-8x8`).

mod smart;

use smart::takes_the_same_course;

/// Every path that a mesh of this size has, and two that are shorter.
#[test]
fn paths_of_any_length_take_the_same_course() {
    takes_the_same_course("smart_8x8", &[], 12);
    let overrides = [("hpc_max", "4"), ("setup_cycles", "2"), ("vcs", "2")];
    takes_the_same_course("smart_8x8", &overrides, 12);
    let overrides = [("hpc_max", "2"), ("is_pruned", "true"), ("vcs", "1")];
    takes_the_same_course("smart_8x8", &overrides, 12);
}

#[test]
fn flits_that_pass_first_take_the_same_course() {
    for (setup, hpc_max) in [("1", "7"), ("2", "4")] {
        let overrides = [
            ("priority", "\"bypass\""),
            ("setup_cycles", setup),
            ("hpc_max", hpc_max),
            ("vcs", "2"),
        ];
        takes_the_same_course("smart_8x8", &overrides, 12);
    }
}

/// Columns and rows that end before a power of two, and a single row.
#[test]
fn other_meshes_take_the_same_course() {
    let overrides = [("setup_cycles", "2"), ("vc_flits", "2"), ("flit_bits", "64")];
    takes_the_same_course("smart_5x3", &overrides, 20);
    takes_the_same_course("smart_8x1", &[("vcs", "1"), ("vc_flits", "9")], 20);
}
