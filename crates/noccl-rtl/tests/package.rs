// SPDX-License-Identifier: Apache-2.0
//! The committed packages are those of their networks; what has no hardware is refused by name.
#![allow(clippy::unwrap_used)]

use noccl_net::{Network, elaborate};
use noccl_rtl::{RtlConfig, package_text};
use noccl_spec::{RouterFlow, Spec, WideReductionKind, parse_spec, preset_text};
use std::path::Path;

fn preset(name: &str) -> Spec {
    parse_spec(name, &preset_text(name).unwrap(), &[]).unwrap()
}

fn network(change: impl FnOnce(&mut Spec)) -> Network {
    let mut spec = preset("collective_noc_4x4");
    change(&mut spec);
    elaborate(&spec).unwrap()
}

#[test]
fn committed_packages_are_fresh() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rtl/gen");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let config = RtlConfig::new(&elaborate(&preset(&name)).unwrap()).unwrap();
        let found = std::fs::read_to_string(path.join("noccl_cfg_pkg.sv")).unwrap();
        assert_eq!(found, package_text(&config), "{name}: run make gen");
        count += 1;
    }
    assert!(count > 0);
}

#[test]
fn the_published_router_is_refused_by_its_field() {
    let network = network(|spec| {
        spec.router.flow = RouterFlow::PeerCompatible;
        spec.router.wide_reduction.kind = WideReductionKind::TwoOperand;
    });
    let refused = RtlConfig::new(&network).unwrap_err().to_string();
    for word in ["router.flow", "peer_compatible", "non_blocking"] {
        assert!(refused.contains(word), "{refused}");
    }
}

#[test]
fn a_memory_beyond_32_bits_is_refused_by_its_field() {
    let network = network(|spec| {
        spec.memory.bytes = 1 << 32;
        spec.mesh.regions[0].stride_bytes = 1 << 32;
        spec.mesh.regions[0].base_address = 1 << 40;
    });
    let refused = RtlConfig::new(&network).unwrap_err().to_string();
    assert!(
        refused.starts_with("memory.bytes = 4294967296"),
        "{refused}"
    );
}

#[test]
fn one_row_of_tiles_still_has_a_bit_for_its_rows() {
    let network = network(|spec| {
        spec.mesh.height = 1;
        spec.mesh.regions.iter_mut().for_each(|r| r.height = 1);
    });
    let config = RtlConfig::new(&network).unwrap();
    assert_eq!((config.y_bits, config.region_y_bits), (1, 1));
    assert_eq!(config.regions[1].y_bits, 0);
}
