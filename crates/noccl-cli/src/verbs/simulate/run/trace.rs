// SPDX-License-Identifier: Apache-2.0
//! `noccl run trace`

use super::report;
use super::simulation::SimulationArgs;
use crate::args::SpecArgs;
use crate::progress::watched;
use crate::{Outcome, recording};
use clap::Args;
use noccl::Error;
use std::path::PathBuf;

/// A trace of AXI transactions
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl run trace transactions.json --links --json
  noccl run trace transactions.json --record run.json
  noccl run trace transactions.json --backend rtl --boundary axi --stalls 60,60 --stall-seed 7")]
pub struct RunTrace {
    /// Trace (JSON)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    spec: SpecArgs,
    #[command(flatten)]
    pub simulation: SimulationArgs,
    /// Record links, blocked router ports and transactions over time to this file, for noccl view: .json (also for ui.perfetto.dev) or .parquet
    #[arg(long, visible_alias = "record-run", value_name = "FILE")]
    record: Option<PathBuf>,
}

impl RunTrace {
    pub fn run(&self) -> Result<Outcome, Error> {
        let network = self.spec.load()?;
        let request = self.simulation.request()?;
        let trace = noccl::collective::read_trace(&self.file)?;
        let Some(place) = &self.record else {
            let found = watched("transactions", |watch| {
                noccl::collective::replay(&network, &trace, &request, watch)
            })?;
            return report::print(&found, self.simulation.json);
        };
        recording::check("--record", place)?;
        let (found, recorded) = watched("transactions", |watch| {
            noccl::collective::record_replay(&network, &trace, &request, watch)
        })?;
        recording::write("--record", place, &recorded)?;
        report::print(&found, self.simulation.json)
    }
}
