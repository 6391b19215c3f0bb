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
    /// Number of seeds, at most 1000000
    #[arg(long, default_value_t = 100)]
    seeds: u64,
    /// First seed
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    first_seed: u64,
    /// Kinds to mix: all, or a list of write, read, multicast, reduction, barrier, atomic (not where routers carry
    /// messages; of core tiles write, multicast, reduction); or alone: chain (random sets of overlapping chains of Torrent endpoints),
    /// program (random programs of ranks), executed_program (the same in C on executed cores, compiled once)
    #[arg(long, value_name = "KIND,...", default_value = "all")]
    only: String,
    /// Transactions per seed, 64 to 16384; of programs the most steps
    #[arg(long, default_value_t = noccl::study::MIN_STRESS_TRANSACTIONS)]
    transactions: u32,
    /// Draw with every seed a mesh no larger than the spec's, and a variant of its routers
    #[arg(long)]
    variants: bool,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

impl Verb for Stress {
    fn run(&self) -> Result<Outcome, Error> {
        let network = self.spec.load()?;
        let request = StressRequest {
            spec_arguments: self.spec.as_arguments(),
            seeds: self.seeds,
            first_seed: self.first_seed,
            kinds: noccl::study::parse_stress_kinds(&self.only)?,
            transactions: self.transactions,
            has_variants: self.variants,
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
