// SPDX-License-Identifier: Apache-2.0
//! `noccl rtl`

use crate::args::SpecArgs;
use crate::verbs::Verb;
use crate::{Outcome, output};
use clap::Args;
use noccl::Error;
use std::path::PathBuf;

/// Write the hardware of a network as SystemVerilog
///
/// Its numbers as a SystemVerilog package, next to the modules.
///
/// The modules are the same for every network; they are part of this program. Routers with bypass (smart_WxH) have modules of their own. The folder that is written holds a file list and a README for those who integrate it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl rtl --spec collective_noc_4x4 -o out/hardware
  noccl rtl --spec my_noc.toml --package noccl_cfg_pkg.sv
  noccl rtl --spec collective_noc_8x8 --vectors out/vectors_8x8.txt
  noccl rtl --spec smart_4x4 -o out/smart
  noccl rtl -P mesh.width=5 --json")]
#[group(id = "what", multiple = true, required = true, args = ["output", "package", "vectors", "json"])]
pub struct Rtl {
    #[command(flatten)]
    spec: SpecArgs,
    /// Write package, modules, file list and README into this folder; new, empty, or as this verb wrote it
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Folder rtl of a checkout, to be copied from instead of the modules in this program
    #[arg(long, value_name = "DIR")]
    sources: Option<PathBuf>,
    /// Write the package alone
    #[arg(long, value_name = "FILE")]
    package: Option<PathBuf>,
    /// Write what every router must decide, for all positions, ports and sets
    #[arg(long, value_name = "FILE")]
    vectors: Option<PathBuf>,
    /// Print the numbers as JSON
    #[arg(long)]
    json: bool,
}

impl Verb for Rtl {
    fn run(&self) -> Result<Outcome, Error> {
        for path in [&self.package, &self.vectors].into_iter().flatten() {
            noccl::files::check_output(path)?;
        }
        if let Some(folder) = &self.output {
            noccl::hardware::check_rtl_folder(folder)?;
        }
        let network = self.spec.load()?;
        let config = noccl::hardware::rtl_numbers(&network)?;
        if let Some(path) = &self.package {
            noccl::hardware::write_rtl_package(&network, path)?;
        }
        if let Some(path) = &self.vectors {
            noccl::hardware::write_rtl_vectors(&network, path)?;
        }
        if let Some(folder) = &self.output {
            let files = noccl::hardware::write_rtl(&network, self.sources.as_deref(), folder)?;
            let folder = folder.display();
            output::log(&format!("{} files in {folder}", files.len()));
        }
        if self.json {
            output::json(&config)?;
        }
        Ok(Outcome::Fine)
    }
}
