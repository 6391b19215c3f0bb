// SPDX-License-Identifier: Apache-2.0
//! `noccl bench`

use crate::progress::watched;
use crate::table::{Align, grouped, table};
use crate::verbs::Verb;
use crate::{Outcome, output};
use clap::Args;
use noccl::Error;
use noccl::files::FileError;
use noccl::study::bench::{BenchChange, BenchRow, Benchmark, Part};
use std::path::PathBuf;

/// Measure the speed and memory of the simulator
///
/// Flit-hops per CPU-second, cycles per second, memory per tile.
///
/// Every benchmark runs in a process of its own on one core. Nothing passes or fails. Those over a million tiles
/// (wafer_barrier, wafer_multicast, wafer_reduce, wafer_all_reduce) take minutes and run only if named.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl bench
  noccl bench --only uniform_16x16 --json
  noccl bench --only wafer_multicast
  noccl bench --compare benches/baseline.json
  noccl bench --instructions -o benches/baseline.json")]
pub struct Bench {
    /// Only this benchmark; may be repeated
    #[arg(long, value_name = "NAME", value_parser = Benchmark::parse)]
    only: Vec<Benchmark>,
    /// Print the change against stored rows
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// Count instructions too; needs valgrind
    #[arg(long)]
    instructions: bool,
    /// Where to store the rows
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Run one part in this process, as the children do: measure at --load
    #[arg(long, hide = true)]
    here: bool,
    /// Find the load instead of measuring
    #[arg(long, hide = true)]
    probe: bool,
    /// Load to measure at, beats per cluster and cycle
    #[arg(long, hide = true, default_value_t = 0.1)]
    load: f64,
    /// Shorten the measured run by this factor
    #[arg(long, hide = true, default_value_t = 1)]
    divisor: u64,
    /// Print the rows as JSON
    #[arg(long)]
    json: bool,
}

impl Verb for Bench {
    fn run(&self) -> Result<Outcome, Error> {
        self.output
            .as_deref()
            .map_or(Ok(()), noccl::files::check_output)?;
        let chosen = if self.only.is_empty() {
            &Benchmark::SHORT[..]
        } else {
            &self.only
        };
        let before: Option<Vec<BenchRow>> = match &self.compare {
            Some(path) => Some(noccl::files::read_json(path, "list of benchmark rows")?),
            None => None,
        };
        let rows = watched("benchmarks", |watch| {
            if self.here {
                let part = if self.probe {
                    Part::Probe
                } else {
                    Part::Measure {
                        load: self.load,
                        divisor: self.divisor,
                    }
                };
                let run = |b: &Benchmark| noccl::study::bench::bench_here(*b, part, watch);
                return chosen.iter().map(run).collect();
            }
            let program = std::env::current_exe().map_err(|e| {
                Error::File(FileError::File {
                    path: "noccl".to_owned(),
                    reason: format!("cannot find this program: {e}"),
                })
            })?;
            noccl::study::bench::bench(&program, chosen, self.instructions, watch)
        })?;
        if let Some(path) = &self.output {
            noccl::files::write_file(path, &output::to_json(&rows)?)?;
        }
        if self.json {
            output::json(&rows)?;
        } else {
            output::result(&summary(&rows))?;
        }
        if let Some(before) = before {
            let changes = noccl::study::bench::changes(&before, &rows);
            let text = change_table(&changes);
            if self.json {
                output::log(&text);
            } else {
                output::result(&format!("\n{text}"))?;
            }
        }
        Ok(Outcome::Fine)
    }
}

fn summary(rows: &[BenchRow]) -> String {
    use Align::{Left, Right};
    let header = [
        ("benchmark", Left),
        ("million flit-hops/s", Right),
        ("cycles/s", Right),
        ("million references/s", Right),
        ("million instructions/s", Right),
        ("bytes/tile", Right),
        ("load [beats/cycle]", Right),
        ("run [ms]", Right),
        ("elaboration [ms]", Right),
        ("instructions/hop", Right),
        ("goal", Left),
    ];
    let dash = || "-".to_owned();
    let body: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            vec![
                row.name.clone(),
                format!("{:.2}", row.flit_hops_per_s / 1e6),
                grouped(row.cycles_per_s as u64),
                (row.references_per_s).map_or_else(dash, |n| format!("{:.2}", n / 1e6)),
                (row.executed_instructions_per_s).map_or_else(dash, |n| format!("{:.1}", n / 1e6)),
                row.bytes_per_tile.map_or_else(dash, |b| grouped(b as u64)),
                format!("{:.4}", row.offered_beats_per_cycle),
                format!("{:.1}", row.wall_seconds * 1e3),
                format!("{:.1}", row.elaboration_seconds * 1e3),
                row.instructions.map_or_else(dash, |i| {
                    format!("{:.0}", i as f64 / row.flit_hops.max(1) as f64)
                }),
                row.goal.clone(),
            ]
        })
        .collect();
    table(&header, &body)
}

fn change_table(changes: &[BenchChange]) -> String {
    let header = [
        ("change of", Align::Left),
        ("speed", Align::Right),
        ("bytes/tile", Align::Right),
        ("instructions/hop", Align::Right),
    ];
    let percent = |ratio: f64| format!("{:+.1} %", (ratio - 1.0) * 100.0);
    let dash = || "-".to_owned();
    let body: Vec<Vec<String>> = changes
        .iter()
        .map(|c| {
            vec![
                c.name.clone(),
                percent(c.speed_ratio),
                c.memory_ratio.map_or_else(dash, percent),
                c.instructions_ratio.map_or_else(dash, percent),
            ]
        })
        .collect();
    table(&header, &body)
}
