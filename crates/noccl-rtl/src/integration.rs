// SPDX-License-Identifier: Apache-2.0
//! Files of an exported folder for tools of a chip: manifests of Bender and FuseSoC, timing constraints, registers in SystemRDL.

use crate::export::ExportFile;
use crate::{RtlConfig, RtlNumbers, SourceFile};
use std::fmt::Write;

/// Manifest of Bender, whose format is `https://github.com/pulp-platform/bender`.
pub(crate) const BENDER: &str = "Bender.yml";
/// Core file of FuseSoC, format CAPI2.
pub(crate) const FUSESOC: &str = "noccl.core";
/// Clock and reset of the top module.
pub(crate) const CONSTRAINTS: &str = "noccl.sdc";
/// Registers of the DMA engines in SystemRDL 2.0.
pub(crate) const REGISTERS: &str = "noccl_dma.rdl";

/// All of them. `compiled` are the folder's sources in the order in which tools read them.
pub(crate) fn integration_files(
    numbers: &RtlNumbers,
    top: &SourceFile,
    compiled: &[&SourceFile],
) -> Vec<ExportFile> {
    let paths: Vec<&str> = compiled.iter().map(|s| s.path.as_str()).collect();
    let (network, period_ps) = match numbers {
        RtlNumbers::Axi(config) => (&config.network, config.clock_period_ps),
        RtlNumbers::Smart(config) => (&config.network, config.clock_period_ps),
    };
    let mut files = vec![
        (BENDER, bender(network, &paths)),
        (FUSESOC, fusesoc(network, top.name(), &paths)),
        (CONSTRAINTS, constraints(network, top, period_ps)),
    ];
    if let RtlNumbers::Axi(config) = numbers {
        files.push((REGISTERS, dma_registers(config, compiled)));
    }
    let file = |(path, text): (&str, String)| ExportFile {
        path: path.to_owned(),
        text,
    };
    files.into_iter().map(file).collect()
}

/// Name of a network as tools accept it: letters, digits and underscores.
fn identifier(network: &str) -> String {
    let accepted = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '_'
        }
    };
    format!(
        "noccl_{}",
        network.chars().map(accepted).collect::<String>()
    )
}

fn bender(network: &str, compiled: &[&str]) -> String {
    let mut text = format!(
        "# Hardware of the network {network} for Bender. Written by `noccl rtl`; do not edit.\n\
         package:\n  name: {}\n\n\
         export_include_dirs:\n  - include\n\n\
         sources:\n  - include_dirs:\n      - include\n    files:\n",
        identifier(network)
    );
    for path in compiled {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "      - {path}");
    }
    text
}

fn fusesoc(network: &str, top: &str, compiled: &[&str]) -> String {
    let mut text = format!(
        "CAPI=2:\n\
         # Written by `noccl rtl`; do not edit.\n\
         # Network {network}.\n\
         name: ::{}:{}\n\
         description: Hardware of a network on chip with collectives\n\n\
         filesets:\n  rtl:\n    files:\n\
         \x20     - include/noccl_assert.svh: {{is_include_file: true, include_path: include}}\n",
        identifier(network),
        env!("CARGO_PKG_VERSION"),
    );
    for path in compiled {
        let _ = writeln!(text, "      - {path}");
    }
    text += "    file_type: systemVerilogSource\n  constraints:\n    files:\n";
    let _ = writeln!(text, "      - {CONSTRAINTS}: {{file_type: SDC}}");
    let _ = write!(
        text,
        "\ntargets:\n  default:\n    filesets: [rtl]\n    toplevel: {top}\n\
         \x20 synth:\n    filesets: [rtl, constraints]\n    toplevel: {top}\n\
         \x20 lint:\n    filesets: [rtl]\n    toplevel: {top}\n    default_tool: verilator\n\
         \x20   tools:\n      verilator:\n        mode: lint-only\n        verilator_options: [-Wno-fatal]\n"
    );
    text
}

/// Part of a cycle that is assumed to pass outside the ports; the chip's constraints replace it.
const OUTSIDE: f64 = 0.3;

fn constraints(network: &str, top: &SourceFile, period_ps: u32) -> String {
    let inputs = inputs_of(&top.text).map(|name| format!("{name}*"));
    let inputs = inputs.collect::<Vec<_>>().join(" ");
    let top = top.name();
    let nanoseconds = f64::from(period_ps) / 1000.0;
    format!(
        "# Timing constraints of the network {network}, top {top}. Written by `noccl rtl`; units: ns.\n\
         # The period is that of the spec's clock_ghz; whether the modules reach it depends on the process.\n\
         set clock_period {nanoseconds:.3}\n\
         create_clock -name clk_i -period $clock_period [get_ports clk_i]\n\
         # The reset is asynchronous; the chip releases it in step with the clock.\n\
         set_false_path -from [get_ports rst_ni]\n\
         # Part of a cycle that is assumed to pass outside, in front of inputs and behind outputs.\n\
         set outside [expr {{{OUTSIDE} * $clock_period}}]\n\
         set_input_delay -clock clk_i $outside [get_ports {{{inputs}}}]\n\
         set_output_delay -clock clk_i $outside [all_outputs]\n"
    )
}

/// Inputs of a module but for clock and reset; the names of inputs end in `_i`.
fn inputs_of(source: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let declarations = source
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("input "));
    declarations
        .filter_map(move |line| {
            line.split(|c| !is_word(c))
                .rfind(|word| word.ends_with("_i"))
        })
        .filter(|name| *name != "clk_i")
}

/// A register: name, what it holds, its fields as SystemRDL.
type Register = (&'static str, &'static str, String);

/// Registers at multiples of eight bytes, in the order of `register_e` in `noccl_dma_pkg`.
fn dma_registers(config: &RtlConfig, compiled: &[&SourceFile]) -> String {
    let address = || format!("field {{}} address[{}:0] = 0;", config.addr_bits - 1);
    let status = || "field { sw = r; hw = w; } transfers[15:0] = 0;".to_owned();
    let registers: [Register; 11] = [
        ("SRC", "First byte of the source.", address()),
        (
            "DST",
            "First byte of the destination, of a member of the set, or of the root.",
            address(),
        ),
        (
            "BYTES",
            "Bytes of a row; not 0.",
            "field {} bytes[31:0] = 0;".to_owned(),
        ),
        (
            "ROWS",
            "Rows; not 0.",
            "field {} rows[15:0] = 0;".to_owned(),
        ),
        (
            "SRC_STRIDE",
            "Bytes from row to row at the source.",
            address(),
        ),
        (
            "DST_STRIDE",
            "Bytes from row to row at the destination.",
            address(),
        ),
        (
            "KIND",
            "Kind of transfer, and what a reduction does.",
            kind(config.tag_bits),
        ),
        (
            "MASK",
            "Bits of the destination's address that differ between the members of a set.",
            address(),
        ),
        (
            "START",
            "A read starts the described transfer and returns its id, 0 to 15, or all ones if none can be started.",
            "field { sw = r; hw = w; } id[63:0];".to_owned(),
        ),
        (
            "OPEN",
            "Bit i: the transfer with id i is not over.",
            status(),
        ),
        (
            "ERROR",
            "Bit i: the last transfer with id i ended with an error.",
            status(),
        ),
    ];
    let mut text = format!(
        "// Registers of the DMA engine of each cluster of the network {}, in SystemRDL 2.0. Written by `noccl rtl`; do not edit.\n\
         // Address: 8 x register number, from where the chip maps the tile's dma_i and dma_o.\n\n{}\n\
         addrmap noccl_dma {{\n  name = \"DMA engine\";\n  default regwidth = 64;\n  default accesswidth = 64;\n  \
         default sw = rw;\n  default hw = r;\n",
        config.network,
        enumerations(compiled)
    );
    for (number, (name, holds, fields)) in registers.iter().enumerate() {
        let _ = write!(
            text,
            "\n  reg {{\n    desc = \"{holds}\";\n    {fields}\n  }} {name} @ {:#04x};\n",
            8 * number
        );
    }
    text + "};\n"
}

/// The enumerations of the fields of `KIND`, as the packages of the hardware have them.
fn enumerations(compiled: &[&SourceFile]) -> String {
    let of = |(name, package, prefix)| {
        let source = compiled.iter().filter(|s| s.name() == package);
        let lines = source.flat_map(|s| s.text.lines().map(str::trim));
        let code = |line: &str| {
            let (name, code) = line.strip_prefix(prefix)?.split_once('=')?;
            let code = code.trim().trim_end_matches(',');
            Some(format!("  {} = {code};\n", name.trim()))
        };
        let codes: String = lines.filter_map(code).collect();
        format!("enum {name} {{\n{codes}}};\n")
    };
    let all = [
        ("opcode_e", "noccl_axi_pkg", "OPCODE_"),
        ("element_e", "noccl_number_pkg", "ELEM_"),
        ("operator_e", "noccl_number_pkg", "OP_"),
    ];
    all.map(of).join("\n")
}

fn kind(tag_bits: u32) -> String {
    format!(
        "field {{ encode = opcode_e; }} opcode[1:0] = 0;\n    \
         field {{ encode = element_e; }} element[11:8] = 0;\n    \
         field {{ encode = operator_e; }} op[18:16] = 0;\n    \
         field {{}} tag[{}:32] = 0;",
        31 + tag_bits
    )
}
