// SPDX-License-Identifier: Apache-2.0
//! A folder that can be dropped into a chip: package, sources, file list, README.

use crate::sources::in_order;
use crate::{RtlConfig, RtlError, SourceFile, package_text};
use std::fmt::Write;

/// Name of the package's file.
pub const PACKAGE_FILE: &str = "noccl_cfg_pkg.sv";
/// List of the folder's other files with their SHA-256, as `sha256sum` writes it; whoever writes the folder adds it.
pub const DIGEST_FILE: &str = "noccl.sha256";
const FILE_LIST: &str = "noccl.f";
/// The module that an integrator instantiates.
const TOP: &str = "noccl_system";

/// One file of the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportFile {
    /// Path relative to the folder, with `/`.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// All files of the folder. `sources` are those below `src` and `include` of the project's `rtl`, which
/// stands at `folder`.
///
/// # Errors
/// [`RtlError::Sources`] if the top or the assertion header is missing, [`RtlError::Circle`] if packages
/// need each other.
pub fn export(
    config: &RtlConfig,
    folder: &str,
    sources: &[SourceFile],
) -> Result<Vec<ExportFile>, RtlError> {
    let has = |name: &str| sources.iter().any(|s| s.name() == name);
    for (name, path) in [(TOP, "src"), ("noccl_assert", "include")] {
        if !has(name) {
            return Err(RtlError::Sources {
                folder: folder.to_owned(),
                missing: format!("{path}/**/{name}"),
            });
        }
    }
    let package = SourceFile {
        path: PACKAGE_FILE.to_owned(),
        text: package_text(config),
    };
    let compiled = sources.iter().filter(|s| s.path.ends_with(".sv"));
    let compiled: Vec<SourceFile> = compiled.cloned().chain([package.clone()]).collect();
    let ordered = in_order(&compiled)?;
    let mut files = vec![
        file(FILE_LIST, &file_list(&ordered)),
        file(PACKAGE_FILE, &package.text),
        file("README.md", &readme(config)),
    ];
    files.extend(sources.iter().map(|s| file(&s.path, &s.text)));
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn file(path: &str, text: &str) -> ExportFile {
    let (path, text) = (path.to_owned(), text.to_owned());
    ExportFile { path, text }
}

fn file_list(ordered: &[&SourceFile]) -> String {
    let head = "// Files in the order in which tools read them, relative to this folder.\n+incdir+include\n";
    ordered.iter().fold(head.to_owned(), |mut text, source| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", source.path);
        text
    })
}

fn readme(c: &RtlConfig) -> String {
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
