// SPDX-License-Identifier: Apache-2.0
//! Faults in the routers with bypass do not survive lock-step (`make cosim-smart-mutants`): each is a library of its own.

use crate::messages::{MUTANTS, Overrides, Routers, is_noticed};

/// Few of everything: paths of two hops run into each other, and libraries are small.
const SMALL: Overrides<'_> = &[
    ("flit_bits", "64"),
    ("vc_flits", "3"),
    ("vcs", "2"),
    ("reduction_table_entries", "3"),
    ("is_pruned", "true"),
];

fn are_noticed(routers: Routers, own: Overrides<'_>) {
    for mutant in MUTANTS.iter().filter(|m| m.routers == routers) {
        is_noticed(mutant, "smart_4x4", &[SMALL, own]);
    }
}

#[test]
fn faults_of_the_preset_are_noticed() {
    are_noticed(Routers::Preset, &[]);
}

#[test]
fn faults_with_two_cycles_of_setup_are_noticed() {
    are_noticed(Routers::TwoCycles, &[("setup_cycles", "2"), ("vcs", "1")]);
}

#[test]
fn faults_with_priority_bypass_are_noticed() {
    are_noticed(Routers::BypassFirst, &[("priority", "\"bypass\"")]);
}
