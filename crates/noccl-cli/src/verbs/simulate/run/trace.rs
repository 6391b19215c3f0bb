// SPDX-License-Identifier: Apache-2.0
//! `noccl run trace`

use super::report;
use super::simulation::SimulationArgs;
use crate::Outcome;
use crate::args::SpecArgs;
use crate::progress::watched;
use clap::Args;
use noccl::Error;
use std::path::PathBuf;

/// A trace of AXI transactions
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl run trace transactions.json --links --json
  noccl run trace transactions.json --backend rtl --boundary axi --stalls 60,60 --stall-seed 7")]
pub struct RunTrace {
    /// Trace (JSON)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    spec: SpecArgs,
    #[command(flatten)]
    pub simulation: SimulationArgs,
}

impl RunTrace {
    pub fn run(&self) -> Result<Outcome, Error> {
        let network = self.spec.load()?;
        let request = self.simulation.request()?;
        let trace = noccl::collective::read_trace(&self.file)?;
        let found = watched("transactions", |watch| {
            noccl::collective::replay(&network, &trace, &request, watch)
        })?;
        report::print(&found, self.simulation.json)
    }
}
