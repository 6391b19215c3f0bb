// SPDX-License-Identifier: Apache-2.0
//! A library is made from the sources that its boundary needs and from the numbers of its network, and from nothing else.

use noccl_cosim::{Arithmetic, Boundary, BuildInputs};
use noccl_net::elaborate;
use noccl_rtl::{RtlConfig, RtlError, SourceFile, hardware_sources};
use noccl_spec::{parse_spec, preset_text};
use noccl_testkit::assert_says;
use noccl_workload::{Difference, ElementType, Fault, Trace};
use std::path::Path;

fn config(preset: &str) -> RtlConfig {
    let spec = parse_spec(preset, &preset_text(preset).unwrap(), &[]).unwrap();
    RtlConfig::new(&elaborate(&spec).unwrap()).unwrap()
}

fn inputs(preset: &str, boundary: Boundary, arithmetic: Arithmetic) -> BuildInputs {
    let sources = hardware_sources();
    BuildInputs::new(&config(preset), boundary, arithmetic, "rtl", &sources).unwrap()
}

fn package(inputs: &BuildInputs) -> &str {
    let is_package = |f: &&noccl_rtl::ExportFile| f.path == noccl_rtl::PACKAGE_FILE;
    &inputs.files.iter().find(is_package).unwrap().text
}

#[test]
fn the_program_holds_the_hardware_of_its_checkout() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rtl");
    let sources = hardware_sources();
    for SourceFile { path, text } in &sources {
        assert!(
            *text == std::fs::read_to_string(root.join(path)).unwrap(),
            "{path} is stale"
        );
    }
    for path in [
        "src/mesh/noccl_mesh.sv",
        "include/noccl_assert.svh",
        "cosim/verilator.f",
    ] {
        assert!(sources.iter().any(|s| s.path == path), "{path}");
    }
}

#[test]
fn every_argument_that_is_a_file_is_written() {
    for boundary in Boundary::ALL {
        let made = inputs("collective_noc_4x4", boundary, Arithmetic::default());
        let is_written = |path: &String| made.files.iter().any(|f| f.path == *path);
        let named = made
            .arguments
            .iter()
            .filter(|a| a.contains('.') && !a.ends_with(".so"));
        let missing: Vec<_> = named.filter(|a| !is_written(a)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}

#[test]
fn a_library_holds_what_its_boundary_needs() {
    let has = |boundary, name: &str| {
        let made = inputs("collective_noc_2x2", boundary, Arithmetic::default());
        made.files.iter().any(|f| f.path.ends_with(name))
    };
    assert!(has(Boundary::Axi, "/noccl_ni.sv") && !has(Boundary::Router, "/noccl_ni.sv"));
    assert!(has(Boundary::Router, "/noccl_reduction.sv"));
    assert!(!has(Boundary::Router, "/noccl_torrent.sv"));
}

#[test]
fn elements_of_a_workload_are_added_to_the_smallest_slice() {
    let elements = |arithmetic| {
        let made = inputs("collective_noc_2x2", Boundary::Router, arithmetic);
        let mut given = made
            .arguments
            .into_iter()
            .filter(|a| a.starts_with("-GElements="));
        given.next().unwrap()
    };
    // FP64 and INT64: bits 0 and 9.
    assert_eq!(elements(Arithmetic::default()), "-GElements=513");
    let member = Fault::Disagree {
        transaction: 0,
        member: 0,
        difference: Difference::Element(ElementType::Fp32),
    };
    let trace = Trace {
        faults: vec![member],
        ..Trace::default()
    };
    assert_eq!(
        elements(Arithmetic::of_trace(&Trace::default())),
        "-GElements=513"
    );
    assert_eq!(elements(Arithmetic::of_trace(&trace)), "-GElements=515");
}

#[test]
fn names_are_wide_and_memories_large_where_the_comparison_needs_it() {
    let router = inputs(
        "collective_noc_4x4",
        Boundary::Router,
        Arithmetic::default(),
    );
    assert_says(package(&router), &["TAG_BITS = 16;", "OFFSET_BITS = 20;"]);
    let axi = inputs("collective_noc_4x4", Boundary::Axi, Arithmetic::default());
    let large = package(&axi);
    let lines = [
        "LINE_BITS = 24;",
        "OFFSET_BITS = 30;",
        "MAP_BASE[NUM_REGIONS] = '{48'h10_0000_0000, 48'h20_0000_0000};",
        "MAP_OFFSET_BITS[NUM_REGIONS] = '{30, 30};",
        "MAP_MEMORY_BYTES[NUM_REGIONS] = '{1073741824, 1073741824};",
    ];
    assert_says(large, &lines);
}

#[test]
fn a_mesh_that_no_word_holds_is_refused() {
    let sources = hardware_sources();
    let (config, none) = (config("collective_noc_8x8"), Arithmetic::default());
    let refused = BuildInputs::new(&config, Boundary::Router, none, "rtl", &sources).unwrap_err();
    assert_says(refused, &["mesh = 9 x 8", "at most 64 tiles"]);
}

#[test]
fn a_missing_source_is_named() {
    let mut sources = hardware_sources();
    sources.retain(|s| s.path != "cosim/noccl_tile_cosim.cpp");
    let (config, none) = (config("collective_noc_2x2"), Arithmetic::default());
    let refused = BuildInputs::new(&config, Boundary::Router, none, "here", &sources);
    let missing = "cosim/noccl_tile_cosim.cpp".to_owned();
    let folder = "here".to_owned();
    assert_eq!(refused.unwrap_err(), RtlError::Sources { folder, missing });
}
