// SPDX-License-Identifier: Apache-2.0
//! Routers with bypass on 4×4 tiles in lock-step with their hardware (`make cosim-smart-4x4`; the first two alone: `make cosim-smart-quick`).

use crate::messages::{Overrides, takes_the_same_course};

/// Short packets and few entries: less to build.
const SMALL: Overrides = &[
    ("flit_bits", "64"),
    ("vc_flits", "3"),
    ("vcs", "2"),
    ("reduction_table_entries", "6"),
];

#[test]
fn quick_paths_of_one_cycle_take_the_same_course() {
    takes_the_same_course("smart_4x4", &[SMALL], 60);
}

/// Few channels and entries, so that they run out.
#[test]
fn quick_flits_that_pass_first_take_the_same_course() {
    let overrides: Overrides = &[("priority", "\"bypass\""), ("setup_cycles", "2")];
    takes_the_same_course("smart_4x4", &[SMALL, overrides], 60);
}

#[test]
fn the_preset_takes_the_same_course() {
    takes_the_same_course("smart_4x4", &[], 60);
}

#[test]
fn two_cycles_of_setup_with_little_of_everything_take_the_same_course() {
    let overrides: Overrides = &[
        ("setup_cycles", "2"),
        ("vcs", "1"),
        ("reduction_table_entries", "3"),
        ("is_pruned", "true"),
    ];
    takes_the_same_course("smart_4x4", &[SMALL, overrides], 100);
}

#[test]
fn flits_that_pass_first_take_the_same_course() {
    let overrides: Overrides = &[
        ("priority", "\"bypass\""),
        ("hpc_max", "2"),
        ("vcs", "3"),
        ("is_pruned", "true"),
    ];
    takes_the_same_course("smart_4x4", &[SMALL, overrides], 100);
}

#[test]
fn a_mesh_without_bypass_takes_the_same_course() {
    takes_the_same_course("smart_4x4_baseline", &[SMALL], 60);
    // Its own reductions are opportunistic, which is not built.
    let counted: Overrides = &[("reduction", "\"complete\"")];
    takes_the_same_course("smart_4x4_collective", &[SMALL, counted], 60);
}
