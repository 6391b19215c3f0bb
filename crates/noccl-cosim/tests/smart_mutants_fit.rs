// SPDX-License-Identifier: Apache-2.0
//! Faults for lock-step of routers with bypass fit the hardware: a change of layout leaves none that cannot be built.
#![allow(clippy::unwrap_used)]

#[path = "smart/mutants.rs"]
mod mutants;

use mutants::{MUTANTS, Routers};
use noccl_rtl::hardware_sources;

#[test]
fn what_a_fault_replaces_stands_in_its_module_once() {
    for mutant in MUTANTS {
        assert_ne!(mutant.right, mutant.wrong, "{}", mutant.name);
        mutant.apply(&mut hardware_sources());
    }
}

#[test]
fn every_kind_of_router_has_faults() {
    for routers in [Routers::Preset, Routers::TwoCycles, Routers::BypassFirst] {
        assert!(MUTANTS.iter().any(|m| m.routers == routers), "{routers:?}");
    }
}
