// SPDX-License-Identifier: Apache-2.0
//! `noccl stress`

use crate::args::SpecArgs;
use crate::progress::watched;
use crate::table::{Align, grouped, table};
use crate::verbs::Verb;
use crate::{Outcome, output};
use clap::Args;
use noccl::Error;
use noccl::study::{StressReport, StressRequest};

/// Random transactions or programs: is every byte right?
///
/// Overlapping transactions of all kinds, or programs of ranks. Each must complete with the right bytes.
///
/// A run that stalls or delivers wrong bytes is named with the command that reproduces it alone.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl stress --seeds 1000
  noccl stress --spec collective_noc_4x4_published --only multicast --seeds 20 --json
  noccl stress --spec torrent_4x5 --only chain --seeds 1000
  noccl stress --spec smart_8x8 --variants --seeds 1000
  noccl stress --spec tilepro64_4x4 --variants --seeds 1000
  noccl stress --spec tilepro64_4x4 --only program --variants --seeds 1000
  noccl stress --spec tilepro64_4x4 --only executed_program --seeds 100
  noccl stress --first-seed 17 --seeds 1")]
pub struct Stress {
    #[command(flatten)]
    spec: SpecArgs,
    #[command(flatten)]
    request: StressRequest,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

impl Verb for Stress {
    fn run(&self) -> Result<Outcome, Error> {
        let network = self.spec.load()?;
        let request = StressRequest {
            spec_arguments: self.spec.as_arguments(),
            ..self.request.clone()
        };
        let report = watched("seeds", |watch| {
            noccl::study::stress(&network, &request, watch)
        })?;
        if self.json {
            output::json(&report)?;
        } else {
            output::result(&summary(&report))?;
        }
        for failure in &report.failures {
            output::log(&format!("failed: {}", failure.reproducer));
            match &failure.diagnosis {
                Some(diagnosis) => output::log(&diagnosis.to_string()),
                None if failure.faults.is_empty() => output::log(&format!(
                    "  {} transactions delivered wrong bytes",
                    failure.wrong_transactions
                )),
                None => failure
                    .faults
                    .iter()
                    .for_each(|fault| output::log(&format!("  {fault}"))),
            }
        }
        Ok(if report.failures.is_empty() {
            Outcome::Fine
        } else {
            Outcome::Failed
        })
    }
}

fn summary(report: &StressReport) -> String {
    let header = [("cycles", Align::Left), ("runs", Align::Right)];
    let rows: Vec<Vec<String>> = report
        .histogram
        .iter()
        .map(|bin| {
            vec![
                format!("{} to {}", bin.from_cycles, bin.to_cycles - 1),
                bin.runs.to_string(),
            ]
        })
        .collect();
    format!(
        "runs          {}\ncompleted     {}\nstalled       {}\nwrong         {}\n\
         transactions  {}\ncycles        {}\n\n{}",
        report.runs,
        report.completed,
        report.stalled,
        report.wrong,
        report.transactions,
        grouped(report.simulated_cycles),
        table(&header, &rows)
    )
}
