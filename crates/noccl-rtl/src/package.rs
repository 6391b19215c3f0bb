// SPDX-License-Identifier: Apache-2.0
//! The configuration packages: the numbers of [`RtlConfig`] and of [`SmartRtlConfig`] as SystemVerilog, nothing else.

use crate::config::AddressRegion;
use crate::{RtlConfig, SmartRtlConfig};
use std::fmt::Write;

/// Text of `noccl_cfg_pkg.sv`.
///
/// The order and the names of the constants are a format: modules name them.
#[must_use]
pub fn package_text(config: &RtlConfig) -> String {
    let sections = [
        mesh(config),
        widths(config),
        names(config),
        address_map(config),
        collectives(config),
        endpoints(config),
    ];
    package("noccl_cfg_pkg", &config.network, &sections)
}

/// Text of `noccl_smart_cfg_pkg.sv`.
///
/// The order and the names of the constants are a format: modules name them.
#[must_use]
pub fn smart_package_text(config: &SmartRtlConfig) -> String {
    let sections = [
        numbers(&[
            ("MESH_WIDTH", config.mesh_width),
            ("MESH_HEIGHT", config.mesh_height),
            ("X_BITS", config.x_bits),
            ("Y_BITS", config.y_bits),
        ]),
        paths(config),
        channels(config),
        numbers(&[
            ("HAS_MULTICAST", config.has_multicast.into()),
            ("IS_PRUNED", config.is_pruned.into()),
        ]),
        "  // Reduction table, and names of its reductions.\n".to_owned()
            + &numbers(&[
                ("HAS_TABLE", config.has_table.into()),
                ("TABLE_ENTRIES", config.table_entries),
                ("ID_BITS", config.id_bits),
            ]),
        "  // Names of packets.\n".to_owned() + &numbers(&[("TAG_BITS", config.tag_bits)]),
    ];
    package("noccl_smart_cfg_pkg", &config.network, &sections)
}

fn package(name: &str, network: &str, sections: &[String]) -> String {
    let mut text = format!(
        "// SPDX-License-Identifier: Apache-2.0\n\
         //\n\
         // Numbers of the network {network}. Written by `noccl rtl`; do not edit.\n\
         \n\
         package {name};\n"
    );
    for section in sections {
        text.push('\n');
        text += section;
    }
    text + "\nendpackage\n"
}

fn paths(c: &SmartRtlConfig) -> String {
    "  // Most hops in a cycle: of a flit, of a contribution to a bitwise reduction, of one to another reduction.\n"
        .to_owned()
        + &numbers(&[
            ("HPC_MAX", c.hpc_max),
            ("BITWISE_HPC_MAX", c.bitwise_hpc_max),
            ("ARITHMETIC_HPC_MAX", c.arithmetic_hpc_max),
            ("SETUP_CYCLES", c.setup_cycles),
            ("IS_BYPASS_FIRST", c.is_bypass_first.into()),
        ])
}

fn channels(c: &SmartRtlConfig) -> String {
    "  // Virtual channels of an input by message class, flits of a channel, bits of a flit's data.\n"
        .to_owned()
        + &numbers(&[
            ("UNICAST_VCS", c.unicast_vcs),
            ("REDUCTION_VCS", c.reduction_vcs),
            ("MULTICAST_VCS", c.multicast_vcs),
            ("VC_FLITS", c.vc_flits),
            ("FLIT_BITS", c.flit_bits),
        ])
}

/// Lines of `localparam int unsigned`.
fn numbers(constants: &[(&str, u32)]) -> String {
    constants.iter().fold(String::new(), |mut text, (name, n)| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  localparam int unsigned {name} = {n};");
        text
    })
}

fn mesh(c: &RtlConfig) -> String {
    numbers(&[
        ("MESH_WIDTH", c.mesh_width),
        ("MESH_HEIGHT", c.mesh_height),
        ("X_BITS", c.x_bits),
        ("Y_BITS", c.y_bits),
    ]) + "  // South-west tile and size of the cluster region.\n"
        + &numbers(&[
            ("REGION_X", c.region_x),
            ("REGION_Y", c.region_y),
            ("REGION_WIDTH", c.region_width),
            ("REGION_HEIGHT", c.region_height),
            ("REGION_X_BITS", c.region_x_bits),
            ("REGION_Y_BITS", c.region_y_bits),
        ])
}

fn widths(c: &RtlConfig) -> String {
    numbers(&[
        ("WIDE_BITS", c.wide_bits),
        ("NARROW_BITS", c.narrow_bits),
        ("INPUT_FIFO_FLITS", c.input_fifo_flits),
        ("OUTPUT_FIFO_FLITS", c.output_fifo_flits),
    ]) + "  // Cycles of a link between two routers; each beyond the first is a register stage.\n"
        + &numbers(&[
            ("REQ_LINK_CYCLES", c.req_link_cycles),
            ("RSP_LINK_CYCLES", c.rsp_link_cycles),
            ("WIDE_LINK_CYCLES", c.wide_link_cycles),
        ])
}

fn names(c: &RtlConfig) -> String {
    "  // Names of transactions; lines of a beat and bytes of the largest memory; beats of a burst;\n  \
     // leaves of a join.\n"
        .to_owned()
        + &numbers(&[
            ("TAG_BITS", c.tag_bits),
            ("LINE_BITS", c.line_bits),
            ("OFFSET_BITS", c.offset_bits),
            ("BURST_BITS", c.burst_bits),
            ("COUNT_BITS", c.count_bits),
        ])
}

fn address_map(c: &RtlConfig) -> String {
    let list = |value: fn(&AddressRegion) -> u32| {
        let values: Vec<String> = c.regions.iter().map(|r| value(r).to_string()).collect();
        values.join(", ")
    };
    let bases: Vec<String> = (c.regions.iter())
        .map(|r| format!("{}'h{}", c.addr_bits, hexadecimal(r.base)))
        .collect();
    let mut text =
        "  // Address map: an address in a region is, from the top, base, bits of x, bits of y, offset.\n"
            .to_owned();
    text += &numbers(&[
        ("ADDR_BITS", c.addr_bits),
        ("NUM_REGIONS", c.regions.len() as u32),
        ("CLUSTER_REGION", c.cluster_region),
    ]);
    text += &format!(
        "  localparam logic [ADDR_BITS-1:0] MAP_BASE[NUM_REGIONS] = '{{{}}};\n",
        bases.join(", ")
    );
    for (name, values) in [
        ("MAP_OFFSET_BITS", list(|r| r.offset_bits)),
        ("MAP_Y_BITS", list(|r| r.y_bits)),
        ("MAP_X_BITS", list(|r| r.x_bits)),
        ("MAP_X", list(|r| r.x)),
        ("MAP_Y", list(|r| r.y)),
        ("MAP_WIDTH", list(|r| r.width)),
        ("MAP_HEIGHT", list(|r| r.height)),
        ("MAP_MEMORY_BYTES", list(|r| r.memory_bytes)),
    ] {
        text += &format!("  localparam int unsigned {name}[NUM_REGIONS] = '{{{values}}};\n");
    }
    text
}

fn collectives(c: &RtlConfig) -> String {
    let [add64, add32, add16, add8] = c.add_cycles;
    numbers(&[
        ("MERGE_ENTRIES", c.merge_entries),
        ("MERGE_CYCLES", c.merge_cycles),
        ("MERGE_TIMEOUT_CYCLES", c.merge_timeout_cycles),
    ]) + "\n"
        + &numbers(&[
            ("REDUCTION_FLOWS", c.reduction_flows),
            ("STORE_BEATS", c.store_beats),
            ("WINDOW_BEATS", c.window_beats),
            ("WINDOW_BEATS_PER_HOP", c.window_beats_per_hop),
            ("MAX_WINDOW_BEATS", c.max_window_beats),
            ("CREDIT_BEATS", c.credit_beats),
            ("REDUCTION_OPERANDS", c.reduction_operands),
            ("CUT_CYCLES", c.cut_cycles),
            ("ADD_CYCLES_64", add64),
            ("ADD_CYCLES_32", add32),
            ("ADD_CYCLES_16", add16),
            ("ADD_CYCLES_8", add8),
        ])
}

fn endpoints(c: &RtlConfig) -> String {
    "  // Write channels of the wide port; ids of one channel, and those of the read and the narrow port.\n"
        .to_owned()
        + &numbers(&[
            ("WIDE_CHANNELS", c.wide_channels),
            ("WIDE_ID_BITS", c.wide_id_bits),
            ("READ_ID_BITS", c.read_id_bits),
            ("NARROW_ID_BITS", c.narrow_id_bits),
            ("MAX_WIDE_OUTSTANDING", c.max_wide_outstanding),
            ("MAX_NARROW_OUTSTANDING", c.max_narrow_outstanding),
            ("MAX_OPEN_REDUCTIONS", c.max_open_reductions),
            ("BURST_BOUNDARY_BYTES", c.burst_boundary_bytes),
            ("DMA_BUFFER_BEATS", c.dma_buffer_beats),
        ])
}

/// Digits in groups of four.
fn hexadecimal(value: u64) -> String {
    let digits = format!("{value:x}");
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 4 == 0 {
            text.push('_');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::hexadecimal;

    #[test]
    fn digits_stand_in_groups_of_four_from_the_right() {
        assert_eq!(hexadecimal(0), "0");
        assert_eq!(hexadecimal(0x7000_0000), "7000_0000");
        assert_eq!(hexadecimal(0x1_0000), "1_0000");
    }
}
