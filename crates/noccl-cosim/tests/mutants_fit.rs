// SPDX-License-Identifier: Apache-2.0
//! Faults for lock-step fit the hardware: a change of layout leaves none that cannot be built.

mod libraries;

use libraries::MUTANTS;
use noccl_rtl::hardware_sources;

#[test]
fn what_a_fault_replaces_stands_in_its_module_once() {
    for mutant in MUTANTS {
        assert_ne!(mutant.right, mutant.wrong, "{}", mutant.name);
        mutant.apply(&mut hardware_sources());
    }
}

#[test]
fn faults_have_names_of_their_own() {
    for (i, mutant) in MUTANTS.iter().enumerate() {
        assert!(
            MUTANTS[..i].iter().all(|m| m.name != mutant.name),
            "{}",
            mutant.name
        );
    }
}
