// SPDX-License-Identifier: Apache-2.0
//! The committed packages are those of their networks; what has no hardware is refused by name.

use noccl_net::{Network, elaborate};
use noccl_rtl::{Package, RtlConfig, RtlNumbers, package_text};
use noccl_spec::{RouterBypass, RouterFlow, Spec, WideReductionKind};
use noccl_testkit::{assert_says, network_of, preset};
use std::path::Path;

fn network(change: impl FnOnce(&mut Spec)) -> Network {
    network_of("collective_noc_4x4", change)
}

#[test]
fn committed_packages_are_fresh() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rtl/gen");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let numbers = RtlNumbers::new(&elaborate(&preset(&name)).unwrap()).unwrap();
        let fresh = numbers.package();
        let found = std::fs::read_to_string(path.join(&fresh.path)).unwrap();
        assert_eq!(found, fresh.text, "{name}: run make gen");
        count += 1;
    }
    assert!(count > 0);
}

#[test]
fn the_published_router_is_refused_by_its_field() {
    let network = network(|spec| {
        spec.axi_mut().unwrap().router.flow = RouterFlow::Published;
        spec.axi_mut().unwrap().router.wide_reduction.kind = WideReductionKind::TwoOperand;
    });
    let refused = RtlConfig::new(&network).unwrap_err().to_string();
    assert_says(&refused, &["router.flow", "published", "non_blocking"]);
}

#[test]
fn a_memory_beyond_32_bits_is_refused_by_its_field() {
    let network = network(|spec| {
        spec.axi_mut().unwrap().memory.bytes = 1 << 32;
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
fn what_the_modules_do_not_implement_is_refused_by_its_field() {
    type Change = fn(&mut Spec);
    let cases: [(&str, &str, Change); 13] = [
        ("router.bypass = a table", "no such table", |s| {
            s.axi_mut().unwrap().router.bypass = Some(RouterBypass {
                hpc_max: 2,
                setup_cycles: 1,
            });
        }),
        ("ni.wide_beat_bytes = 32", "accepted: 64", |s| {
            s.axi_mut().unwrap().ni.wide_beat_bytes = 32
        }),
        ("cluster.num_cores = 7", "at least 8", |s| {
            s.axi_mut().unwrap().cluster.num_cores = 7
        }),
        ("cluster.fpu.bits64_cycles = 4", "accepted: 3", |s| {
            s.axi_mut().unwrap().cluster.fpu.bits64_cycles = 4
        }),
        ("cluster.fpu.bits32_cycles = 1", "accepted: 2", |s| {
            s.axi_mut().unwrap().cluster.fpu.bits32_cycles = 1
        }),
        ("cluster.fpu.bits16_cycles = 2", "accepted: 1", |s| {
            s.axi_mut().unwrap().cluster.fpu.bits16_cycles = 2
        }),
        ("cluster.fpu.bits8_cycles = 3", "accepted: 1", |s| {
            s.axi_mut().unwrap().cluster.fpu.bits8_cycles = 3
        }),
        ("router.wide_reduction.cut_cycles = 3", "accepted: 2", |s| {
            s.axi_mut().unwrap().router.wide_reduction.cut_cycles = 3;
        }),
        (
            "router.wide_reduction.window_beats = 4",
            "at least 5",
            |s| {
                s.axi_mut().unwrap().router.wide_reduction.window_beats = 4;
            },
        ),
        ("router.merge_table_entries = 1", "at least 2", |s| {
            s.axi_mut().unwrap().router.merge_table_entries = 1
        }),
        ("cluster.dma.buffer_beats = 49", "at least 64", |s| {
            (
                s.axi_mut().unwrap().cluster.dma.buffer_beats,
                s.axi_mut().unwrap().ni.max_burst_beats,
            ) = (49, 48);
        }),
        ("cluster.dma.max_transfers = 1", "at least 2", |s| {
            s.axi_mut().unwrap().cluster.dma.max_transfers = 1
        }),
        ("cluster.dma.max_transfers = 3", "a power of two", |s| {
            s.axi_mut().unwrap().cluster.dma.max_transfers = 3
        }),
    ];
    for (field, accepted, change) in cases {
        let refused = RtlConfig::new(&network(change)).unwrap_err().to_string();
        assert!(
            refused.starts_with(&format!("{field}: there is no hardware")),
            "{refused}"
        );
        assert!(refused.contains(accepted), "{refused}");
    }
    assert!(RtlConfig::new(&network(|s| s.axi_mut().unwrap().cluster.num_cores = 9)).is_ok());
}

#[test]
fn a_unit_of_two_operands_differs_in_one_number() {
    let text = |kind| {
        let network = network(|s| s.axi_mut().unwrap().router.wide_reduction.kind = kind);
        package_text(&RtlConfig::new(&network).unwrap())
    };
    let (two, three) = (
        text(WideReductionKind::TwoOperand),
        text(WideReductionKind::ThreeOperand),
    );
    let differing = two.lines().zip(three.lines()).filter(|(a, b)| a != b);
    let number = "  localparam int unsigned REDUCTION_OPERANDS";
    assert_eq!(
        differing.collect::<Vec<_>>(),
        [(
            format!("{number} = 2;").as_str(),
            format!("{number} = 3;").as_str()
        )]
    );
    assert_eq!(two.lines().count(), three.lines().count());
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
