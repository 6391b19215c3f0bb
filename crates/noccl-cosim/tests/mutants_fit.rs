// SPDX-License-Identifier: Apache-2.0
//! Faults for lock-step fit the hardware: a change of layout leaves none that cannot be built. And tiles of the tests are the
//! libraries of runs, so that both are built once.
#![allow(clippy::unwrap_used)]

mod libraries;

use libraries::{MUTANTS, Options, inputs_of};
use noccl_cosim::{Arithmetic, Boundary, BuildInputs};
use noccl_rtl::{RtlConfig, hardware_sources};
use noccl_studies::load;

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

#[test]
fn tiles_are_those_of_runs() {
    let network = load("collective_noc_2x2", &[]).unwrap().network;
    let config = RtlConfig::new(&network).unwrap();
    for (name, boundary) in [
        ("2x2-reducing-tiles", Boundary::Router),
        ("2x2-endpoints-tiles", Boundary::Axi),
        ("2x2-engines-tiles", Boundary::Dma),
    ] {
        let arithmetic = Arithmetic::default();
        let of_run = BuildInputs::new(&config, boundary, arithmetic, "rtl", &hardware_sources());
        let (folder, inputs) = inputs_of(name, &Options::default());
        assert_eq!(folder, format!("collective_noc_2x2-{}", boundary.name()));
        assert!(inputs == of_run.unwrap(), "{name}");
    }
}
