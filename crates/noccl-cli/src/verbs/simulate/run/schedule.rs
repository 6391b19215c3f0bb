// SPDX-License-Identifier: Apache-2.0
//! `noccl run schedule`

use super::report;
use super::simulation::SimulationArgs;
use crate::args::{CheckpointArgs, CoreArgs, SpecArgs};
use crate::progress::watched;
use crate::{Outcome, recording};
use clap::Args;
use noccl::Error;
use std::path::PathBuf;

/// A schedule of actions; if it claims a collective, its outputs are verified
///
/// In value mode such a schedule gets random inputs.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl run schedule reduce.json
  noccl run schedule reduce.json --record run.json
  noccl run schedule reduce.json --spec collective_noc_4x4_published --mode timing --json
  noccl run schedule exchange.json --spec tilepro64_7x7 --lock-step
  noccl run schedule large.json --mode timing --checkpoint large.ckpt
  noccl run schedule large.json --mode timing --resume large.ckpt
  noccl run schedule reduce.json --backend rtl
  noccl run schedule reduce.json --backend rtl --boundary dma")]
pub struct RunSchedule {
    /// Schedule (JSON)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    spec: SpecArgs,
    #[command(flatten)]
    pub simulation: SimulationArgs,
    #[command(flatten)]
    cores: CoreArgs,
    #[command(flatten)]
    checkpoint: CheckpointArgs,
    /// Record links, blocked router ports and transactions over time to this file, for noccl view: .json (also for ui.perfetto.dev) or .parquet
    #[arg(long, visible_alias = "record-run", value_name = "FILE")]
    record: Option<PathBuf>,
}

impl RunSchedule {
    pub fn run(&self) -> Result<Outcome, Error> {
        let network = self.spec.load()?;
        let mut request = self.simulation.request()?;
        request.checkpoint = self.checkpoint.request();
        request.config.is_lock_step = self.cores.lock_step;
        request.noise = self.cores.noise();
        let schedule = noccl::collective::read_schedule(&self.file)?;
        let Some(place) = &self.record else {
            let found = watched("actions", |watch| {
                noccl::collective::run(&network, &schedule, &request, watch)
            })?;
            return report::print(&found, self.simulation.json);
        };
        recording::check("--record", place)?;
        let (found, recorded) = watched("actions", |watch| {
            noccl::collective::record(&network, &schedule, &request, watch)
        })?;
        recording::write("--record", place, &recorded)?;
        report::print(&found, self.simulation.json)
    }
}
