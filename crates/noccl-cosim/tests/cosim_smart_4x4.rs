// SPDX-License-Identifier: Apache-2.0
//! Routers with bypass on 4×4 tiles in lock-step with their hardware (`make cosim-smart-4x4`; the first one alone: `make cosim-smart-quick`).

mod smart;

use smart::takes_the_same_course;

#[test]
fn the_preset_takes_the_same_course() {
    takes_the_same_course("smart_4x4", &[], 40);
}

/// Two cycles of setup, few channels and entries, so that they run out; trees of branches to destinations.
#[test]
fn two_cycles_of_setup_with_little_of_everything_take_the_same_course() {
    let overrides = [
        ("setup_cycles", "2"),
        ("vcs", "1"),
        ("reduction_table_entries", "3"),
        ("is_pruned", "true"),
    ];
    takes_the_same_course("smart_4x4", &overrides, 60);
}

#[test]
fn flits_that_pass_first_take_the_same_course() {
    let overrides = [
        ("priority", "\"bypass\""),
        ("vcs", "2"),
        ("hpc_max", "2"),
        ("reduction_table_entries", "6"),
    ];
    takes_the_same_course("smart_4x4", &overrides, 60);
}

#[test]
fn flits_that_pass_first_with_two_cycles_of_setup_take_the_same_course() {
    let overrides = [
        ("priority", "\"bypass\""),
        ("setup_cycles", "2"),
        ("vcs", "3"),
        ("is_pruned", "true"),
    ];
    takes_the_same_course("smart_4x4", &overrides, 60);
}

#[test]
fn a_mesh_without_bypass_takes_the_same_course() {
    takes_the_same_course("smart_4x4_baseline", &[], 40);
    takes_the_same_course("smart_4x4_collective", &[], 40);
}
