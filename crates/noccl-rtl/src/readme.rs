// SPDX-License-Identifier: Apache-2.0
//! READMEs of exported folders.

use crate::export::{DIGEST_FILE, FILE_LIST, SMART_TOP, TOP};
use crate::{PACKAGE_FILE, RtlConfig, SMART_PACKAGE_FILE, SmartRtlConfig};
use std::fmt::Write;

pub(crate) fn readme(c: &RtlConfig) -> String {
    let mut regions = String::new();
    for (i, r) in c.regions.iter().enumerate() {
        let kind = if i as u32 == c.cluster_region {
            "clusters"
        } else {
            "memories"
        };
        let _ = writeln!(
            regions,
            "| {kind} | {},{} | {} × {} | {:#x} | {:#x} | {} |",
            r.x,
            r.y,
            r.width,
            r.height,
            r.base,
            1_u64 << r.offset_bits,
            r.memory_bytes
        );
    }
    format!(
        "# Hardware of the network {network}\n\
         \n\
         Written by `noccl rtl`. SystemVerilog (IEEE 1800-2017), one clock, asynchronous active-low reset.\n\
         \n\
         | file | holds |\n\
         |---|---|\n\
         | `{FILE_LIST}` | all files in the order in which tools read them, and the include folder |\n\
         | `{PACKAGE_FILE}` | the numbers of this network, and the only file that depends on it |\n\
         | `src/` | modules and packages, the same for every network |\n\
         | `include/` | assertion macros: active in simulation, nothing under `SYNTHESIS` |\n\
         | `{DIGEST_FILE}` | digests of all these files (`sha256sum -c`); `noccl rtl` replaces the folder only while they are right |\n\
         \n\
         Top: `{TOP}`, {w} × {h} tiles with network interfaces and, in clusters, DMA engines; its ports are documented line\n\
         by line in its source, their bundles in `src/system/noccl_endpoint_pkg.sv`. Tiles with endpoints of their own: `noccl_mesh`.\n\
         Wide reductions are combined in the network with `HasReduction = 1`.\n\
         Check that your tool reads it: `verilator --lint-only -Wno-fatal -f {FILE_LIST} --top-module {TOP}`\n\
         in this folder.\n\
         \n\
         ## Address map\n\
         \n\
         Addresses have {addr_bits} bits. Tile (x, y) of a region, counted from its south-west corner, begins at\n\
         base + (x × padded rows + y) × stride.\n\
         \n\
         | region | corner x,y | tiles | base | stride | bytes per tile |\n\
         |---|---|---|---|---|---|\n\
         {regions}\n\
         ## Sizes\n\
         \n\
         | what | value |\n\
         |---|---|\n\
         | beat of the wide and of the narrow port | {wide}, {narrow} bits |\n\
         | FIFO at an input and at an output of a router | {fifo_in}, {fifo_out} flits |\n\
         | merge table | {merge} entries |\n\
         | operand store, beside the tile's L1 | {store} bytes |\n\
         | reduction unit | {operands} operands per cycle |\n\
         | wide write channels, ids of each | {channels}, {ids} |\n",
        network = c.network,
        w = c.mesh_width,
        h = c.mesh_height,
        addr_bits = c.addr_bits,
        wide = c.wide_bits,
        narrow = c.narrow_bits,
        fifo_in = c.input_fifo_flits,
        fifo_out = c.output_fifo_flits,
        merge = c.merge_entries,
        store = c.operand_store_bytes(),
        operands = c.reduction_operands,
        channels = c.wide_channels,
        ids = 1 << c.wide_id_bits,
    )
}

/// Of routers with bypass.
pub(crate) fn smart_readme(c: &SmartRtlConfig) -> String {
    let (priority, multicast) = (
        if c.is_bypass_first { "bypass" } else { "local" },
        match (c.has_multicast, c.is_pruned) {
            (false, _) => "none: a packet to each destination",
            (true, false) => "forked by routers, over trees that span the mesh",
            (true, true) => "forked by routers, over trees of branches to destinations",
        },
    );
    let table = if c.has_table {
        format!("{} entries", c.table_entries)
    } else {
        "none: the root gets every contribution".to_owned()
    };
    format!(
        "# Hardware of the network {network}\n\
         \n\
         Written by `noccl rtl`. SystemVerilog (IEEE 1800-2017), one clock, asynchronous active-low reset.\n\
         \n\
         | file | holds |\n\
         |---|---|\n\
         | `{FILE_LIST}` | all files in the order in which tools read them, and the include folder |\n\
         | `{SMART_PACKAGE_FILE}` | the numbers of this network, and the only file that depends on it |\n\
         | `src/` | modules and packages, the same for every network of such routers |\n\
         | `include/` | assertion macros: active in simulation, nothing under `SYNTHESIS` |\n\
         | `{DIGEST_FILE}` | digests of all these files (`sha256sum -c`); `noccl rtl` replaces the folder only while they are right |\n\
         \n\
         Top: `{SMART_TOP}`, {w} × {h} routers that a flit passes without being latched, several in a cycle, with their network interfaces; its\n\
         ports are documented line by line in its source, packets and flits in `src/router/smart/noccl_smart_pkg.sv`.\n\
         Check that your tool reads it: `verilator --lint-only -Wno-fatal -f {FILE_LIST} --top-module {SMART_TOP}`\n\
         in this folder.\n\
         \n\
         ## Sizes\n\
         \n\
         | what | value |\n\
         |---|---|\n\
         | data of a flit | {flit_bits} bits |\n\
         | hops in a cycle, at most | {hpc_max} |\n\
         | the same of bitwise and of other reductions | {bitwise}, {arithmetic} |\n\
         | cycles of a path's setup | {setup} |\n\
         | who goes first at a link | {priority} |\n\
         | virtual channels of an input | {unicasts} for unicasts, {reductions} for reductions, {multicasts} for multicasts; \
         {vc_flits} flits each |\n\
         | multicasts | {multicast} |\n\
         | reduction table | {table} |\n\
         | names of packets | {tag_bits} bits |\n",
        network = c.network,
        w = c.mesh_width,
        h = c.mesh_height,
        flit_bits = c.flit_bits,
        hpc_max = c.hpc_max,
        bitwise = c.bitwise_hpc_max,
        arithmetic = c.arithmetic_hpc_max,
        setup = c.setup_cycles,
        unicasts = c.unicast_vcs,
        reductions = c.reduction_vcs,
        multicasts = c.multicast_vcs,
        vc_flits = c.vc_flits,
        tag_bits = c.tag_bits,
    )
}
