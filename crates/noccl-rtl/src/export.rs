// SPDX-License-Identifier: Apache-2.0
//! A folder that can be dropped into a chip: package, sources, file list, README.

use crate::integration::{BENDER, CONSTRAINTS, FUSESOC, REGISTERS, integration_files};
use crate::{
    PACKAGE_FILE, Package, RtlConfig, RtlError, RtlNumbers, SMART_PACKAGE_FILE, SmartRtlConfig,
};
use std::collections::BTreeSet;
use std::fmt::Write;

/// List of the folder's other files with their SHA-256, as `sha256sum` writes it; whoever writes the folder adds it.
pub const DIGEST_FILE: &str = "noccl.sha256";
pub(crate) const FILE_LIST: &str = "noccl.f";
/// The module that an integrator instantiates.
pub(crate) const TOP: &str = "noccl_system";
/// The same of routers with bypass, and the folder of all that serves nobody else.
pub(crate) const SMART_TOP: &str = "noccl_smart_mesh";
const SMART_FOLDER: &str = "src/router/smart/";

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
    numbers: &RtlNumbers,
    folder: &str,
    sources: &[SourceFile],
) -> Result<Vec<ExportFile>, RtlError> {
    let (top, readme) = match numbers {
        RtlNumbers::Axi(config) => (TOP, readme(config)),
        RtlNumbers::Smart(config) => (SMART_TOP, smart_readme(config)),
    };
    let has = |name: &str| sources.iter().any(|s| s.name() == name);
    for (name, path) in [(top, "src"), ("noccl_assert", "include")] {
        if !has(name) {
            return Err(RtlError::Sources {
                folder: folder.to_owned(),
                missing: format!("{path}/**/{name}"),
            });
        }
    }
    let package = numbers.package();
    let needed = needed(numbers, folder, sources)?;
    let compiled = needed.iter().filter(|s| s.path.ends_with(".sv"));
    let compiled: Vec<SourceFile> = compiled.cloned().chain([package.clone()]).collect();
    let ordered = in_order(&compiled)?;
    let top = ordered.iter().find(|s| s.name() == top);
    let mut files: Vec<ExportFile> = top
        .map(|top| integration_files(numbers, top, &ordered))
        .into_iter()
        .flatten()
        .collect();
    files.extend([
        file(FILE_LIST, &file_list(&ordered)),
        file(&package.path, &package.text),
        file("README.md", &readme),
    ]);
    files.extend(needed.iter().map(|s| file(&s.path, &s.text)));
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// What a folder holds besides its package: the parts from which a chip is built, or the modules of routers with bypass alone.
fn needed(
    numbers: &RtlNumbers,
    folder: &str,
    sources: &[SourceFile],
) -> Result<Vec<SourceFile>, RtlError> {
    Ok(match numbers {
        RtlNumbers::Axi(_) => {
            let is_of_others = |s: &&SourceFile| !s.path.starts_with(SMART_FOLDER);
            sources.iter().filter(is_of_others).cloned().collect()
        }
        RtlNumbers::Smart(_) => {
            let headers = sources.iter().filter(|s| !s.path.ends_with(".sv"));
            let modules = closure(sources, SMART_TOP).ok_or_else(|| RtlError::Sources {
                folder: folder.to_owned(),
                missing: format!("src/**/{SMART_TOP}"),
            })?;
            headers.cloned().chain(modules).collect()
        }
    })
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

// READMEs of exported folders.

/// Title and table of files; `of` says which networks share the modules.
fn files(network: &str, package_file: &str, of: &str) -> String {
    let registers = if package_file == PACKAGE_FILE {
        format!("| `{REGISTERS}` | registers of the DMA engines in SystemRDL |\n")
    } else {
        String::new()
    };
    format!(
        "# Hardware of the network {network}\n\
         \n\
         Written by `noccl rtl`. SystemVerilog (IEEE 1800-2017), one clock, asynchronous active-low reset.\n\
         \n\
         | file | holds |\n\
         |---|---|\n\
         | `{FILE_LIST}` | all files in the order in which tools read them, and the include folder |\n\
         | `{package_file}` | the numbers of this network, and the only file that depends on it |\n\
         | `src/` | modules and packages, the same for every network{of} |\n\
         | `include/` | assertion macros: active in simulation, nothing under `SYNTHESIS` |\n\
         | `{BENDER}`, `{FUSESOC}` | the same list as manifests of Bender and of FuseSoC |\n\
         | `{CONSTRAINTS}` | clock of the spec, reset, and the part of a cycle that passes outside the ports |\n{registers}\
         | `{DIGEST_FILE}` | digests of all these files (`sha256sum -c`); `noccl rtl` replaces the folder only while they are right |\n"
    )
}

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
        "{files}\
         \n\
         Top: `{TOP}`, {w} × {h} tiles with network interfaces and, in clusters, DMA engines; its ports are documented line\n\
         by line in its source, their bundles in `src/system/noccl_endpoint_pkg.sv`. Tiles with endpoints of their own: `noccl_mesh`.\n\
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
         | operand store of a tile | five banks of {words} words of {wide} bits, {store} bytes |\n\
         | cycles of a link of the planes req, rsp and wide | {req}, {rsp}, {wide_link} |\n\
         | reduction unit | {operands} operands per cycle |\n\
         | wide write channels, ids of each | {channels}, {ids} |\n\
         \n\
         A bank of the operand store is `src/collective/noccl_store_bank.sv`: one write and one read per cycle, read data a cycle later. This\n\
         file is its behavioural model; a chip replaces the file by a wrapper of a memory macro with the same ports.\n",
        files = files(&c.network, PACKAGE_FILE, ""),
        w = c.mesh_width,
        h = c.mesh_height,
        addr_bits = c.addr_bits,
        wide = c.wide_bits,
        narrow = c.narrow_bits,
        fifo_in = c.input_fifo_flits,
        fifo_out = c.output_fifo_flits,
        merge = c.merge_entries,
        words = c.operand_bank_words(),
        store = c.operand_store_bytes(),
        req = c.req_link_cycles,
        rsp = c.rsp_link_cycles,
        wide_link = c.wide_link_cycles,
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
        "{files}\
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
        files = files(&c.network, SMART_PACKAGE_FILE, " of such routers"),
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

// The order in which tools read the sources: packages before whoever names them.
//
// A file holds one module or package and bears its name; all names begin with `noccl_`. So what a
// file needs can be seen from the names in its code.

/// Paths and texts of the hardware that this crate was built with.
const EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/sources.rs"));

/// The hardware that this program was built with: the [`crate::PARTS`] of the project's `rtl`.
#[must_use]
pub fn hardware_sources() -> Vec<SourceFile> {
    let owned = |(path, text): &(&str, &str)| SourceFile {
        path: (*path).to_owned(),
        text: (*text).to_owned(),
    };
    EMBEDDED.iter().map(owned).collect()
}

/// A SystemVerilog source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Path relative to the folder of sources, with `/`.
    pub path: String,
    /// Its text.
    pub text: String,
}

impl SourceFile {
    /// Name of the module or package.
    #[must_use]
    pub fn name(&self) -> &str {
        let file = self.path.rsplit('/').next().unwrap_or(&self.path);
        file.split('.').next().unwrap_or(file)
    }

    fn is_package(&self) -> bool {
        self.name().ends_with("_pkg")
    }
}

/// A module or package and all that it needs, by path; `None` if a name is missing: that of the top.
#[must_use]
pub fn closure(files: &[SourceFile], top: &str) -> Option<Vec<SourceFile>> {
    let modules = || files.iter().filter(|f| f.path.ends_with(".sv"));
    let names: BTreeSet<&str> = modules().map(SourceFile::name).collect();
    let mut needed = BTreeSet::new();
    let mut open = vec![*names.get(top)?];
    while let Some(name) = open.pop() {
        if needed.insert(name) {
            let of_name = modules().filter(|f| f.name() == name);
            open.extend(of_name.flat_map(|f| needs(f, &names)));
        }
    }
    let is_needed = |f: &&SourceFile| needed.contains(f.name());
    Some(modules().filter(is_needed).cloned().collect())
}

/// Packages in the order of their needs, then modules by path.
///
/// # Errors
/// [`RtlError::Circle`] if packages need each other.
pub fn in_order(files: &[SourceFile]) -> Result<Vec<&SourceFile>, RtlError> {
    let (packages, mut modules): (Vec<_>, Vec<_>) = files.iter().partition(|f| f.is_package());
    modules.sort_by(|a, b| a.path.cmp(&b.path));
    let names: BTreeSet<&str> = packages.iter().map(|p| p.name()).collect();
    let mut open: Vec<(&SourceFile, BTreeSet<&str>)> = (packages.into_iter())
        .map(|p| (p, needs(p, &names)))
        .collect();
    open.sort_by(|a, b| a.0.path.cmp(&b.0.path));
    let mut ordered = Vec::with_capacity(files.len());
    while !open.is_empty() {
        let waiting: BTreeSet<&str> = open.iter().map(|(p, _)| p.name()).collect();
        let Some(next) = open.iter().position(|(_, n)| n.is_disjoint(&waiting)) else {
            let (first, second) = (&open[0], waiting.intersection(&open[0].1).next());
            return Err(RtlError::Circle {
                first: first.0.name().to_owned(),
                second: second.map_or_else(String::new, |s| (*s).to_owned()),
            });
        };
        ordered.push(open.remove(next).0);
    }
    ordered.extend(modules);
    Ok(ordered)
}

/// Others among these that the code of a file names.
fn needs<'n>(file: &SourceFile, names: &BTreeSet<&'n str>) -> BTreeSet<&'n str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let code = file.text.lines().map(|l| l.split("//").next().unwrap_or(l));
    let words = code.flat_map(|l| l.split(|c| !is_word(c)));
    words
        .filter_map(|word| names.get(word).copied())
        .filter(|name| *name != file.name())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> SourceFile {
        let (path, text) = (path.to_owned(), text.to_owned());
        SourceFile { path, text }
    }

    #[test]
    fn packages_come_before_whoever_names_them() {
        let files = [
            file("src/b/noccl_b.sv", "noccl_z_pkg::x"),
            file("src/a/noccl_a_pkg.sv", "noccl_z_pkg::x // not noccl_b_pkg"),
            file("src/b/noccl_b_pkg.sv", "noccl_a_pkg::x"),
            file("src/z/noccl_z_pkg.sv", ""),
        ];
        let names: Vec<_> = in_order(&files).unwrap().iter().map(|f| f.name()).collect();
        assert_eq!(
            names,
            ["noccl_z_pkg", "noccl_a_pkg", "noccl_b_pkg", "noccl_b"]
        );
    }

    #[test]
    fn packages_that_need_each_other_are_refused() {
        let files = [
            file("noccl_a_pkg.sv", "noccl_b_pkg::x"),
            file("noccl_b_pkg.sv", "noccl_a_pkg::x"),
        ];
        let refused = in_order(&files).unwrap_err().to_string();
        assert_eq!(refused, "noccl_a_pkg and noccl_b_pkg need each other");
    }
}
