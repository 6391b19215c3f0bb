// SPDX-License-Identifier: Apache-2.0
//! Routers with bypass on 4×4 tiles in lock-step with their hardware (`make cosim-smart-4x4`; the first two alone: `make cosim-smart-quick`).

use crate::messages::{Overrides, matches_the_simulator};

/// Short packets and few entries: less to build.
const SMALL: Overrides = &[
    ("flit_bits", "64"),
    ("vc_flits", "3"),
    ("vcs", "2"),
    ("reduction_table_entries", "6"),
];

#[test]
fn quick_paths_of_one_cycle_match_the_simulator() {
    matches_the_simulator("smart_4x4", &[SMALL], 60);
}

/// Few channels and entries, so that they run out.
#[test]
fn quick_flits_that_pass_first_match_the_simulator() {
    let overrides: Overrides = &[("priority", "\"bypass\""), ("setup_cycles", "2")];
    matches_the_simulator("smart_4x4", &[SMALL, overrides], 60);
}

#[test]
fn the_preset_matches_the_simulator() {
    matches_the_simulator("smart_4x4", &[], 60);
}

#[test]
fn two_cycles_of_setup_with_little_of_everything_match_the_simulator() {
    let overrides: Overrides = &[
        ("setup_cycles", "2"),
        ("vcs", "1"),
        ("reduction_table_entries", "3"),
        ("is_pruned", "true"),
    ];
    matches_the_simulator("smart_4x4", &[SMALL, overrides], 100);
}

#[test]
fn flits_that_pass_first_match_the_simulator() {
    let overrides: Overrides = &[
        ("priority", "\"bypass\""),
        ("hpc_max", "2"),
        ("vcs", "3"),
        ("is_pruned", "true"),
    ];
    matches_the_simulator("smart_4x4", &[SMALL, overrides], 100);
}

#[test]
fn a_mesh_without_bypass_matches_the_simulator() {
    matches_the_simulator("smart_4x4_baseline", &[SMALL], 60);
    // Its own reductions are opportunistic, which is not built.
    let counted: Overrides = &[("reduction", "\"complete\"")];
    matches_the_simulator("smart_4x4_collective", &[SMALL, counted], 60);
}
