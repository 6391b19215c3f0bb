// SPDX-License-Identifier: Apache-2.0
//! Faults for lock-step fit the hardware: a change of layout leaves none that cannot be built. And tiles of the tests are the
//! libraries of runs, so that both are built once.

use crate::libraries::smart_mutants::{self, Routers};
use crate::libraries::{MUTANTS, Options, inputs_of};
use noccl_cosim::{Arithmetic, Boundary, BuildInputs};
use noccl_rtl::{RtlConfig, hardware_sources};
use noccl_studies::load;

#[test]
fn what_a_fault_replaces_stands_in_its_module_once() {
    for mutant in MUTANTS {
        assert_ne!(mutant.fault.right, mutant.fault.wrong, "{}", mutant.name);
        mutant.apply(&mut hardware_sources());
    }
    for mutant in smart_mutants::MUTANTS {
        assert_ne!(mutant.fault.right, mutant.fault.wrong, "{}", mutant.name);
        mutant.apply(&mut hardware_sources());
    }
}

#[test]
fn faults_have_names_of_their_own() {
    let of_smart = smart_mutants::MUTANTS.iter().map(|m| m.name);
    let names: Vec<&str> = MUTANTS.iter().map(|m| m.name).chain(of_smart).collect();
    for (i, name) in names.iter().enumerate() {
        assert!(!names[..i].contains(name), "{name}");
    }
}

#[test]
fn every_kind_of_router_with_bypass_has_faults() {
    for routers in [Routers::Preset, Routers::TwoCycles, Routers::BypassFirst] {
        let mut faults = smart_mutants::MUTANTS.iter();
        assert!(faults.any(|m| m.routers == routers), "{routers:?}");
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
