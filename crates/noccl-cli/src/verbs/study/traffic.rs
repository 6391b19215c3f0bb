// SPDX-License-Identifier: Apache-2.0
//! `noccl traffic`

use crate::args::{SpecArgs, parse_mode, parse_threads};
use crate::progress::watched;
use crate::table::{Align, table};
use crate::{Outcome, output};
use clap::Args;
use noccl::{Error, Mode, Pattern, TrafficReport, TrafficRequest};

/// Latency over load of open-loop traffic, accepted load, saturation
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl traffic uniform --spec collective_noc_8x8
  noccl traffic row_multicast --beats 8 --loads 0.01,0.05,0.1 --json
  noccl traffic transpose --no-saturation --measure-cycles 50000")]
pub struct Traffic {
    /// uniform, transpose, bit_complement, neighbour, tornado, hotspot or row_multicast
    #[arg(value_parser = noccl::parse_pattern)]
    pattern: Pattern,
    #[command(flatten)]
    spec: SpecArgs,
    /// Beats per write burst
    #[arg(long, default_value_t = 16)]
    beats: u32,
    /// Offered loads in beats per cluster and cycle
    #[arg(
        long,
        value_name = "LOAD,...",
        value_delimiter = ',',
        default_value = "0.05,0.1,0.15,0.2,0.25,0.3,0.35,0.4,0.45,0.5"
    )]
    loads: Vec<f64>,
    /// Do not look for the saturation load
    #[arg(long)]
    no_saturation: bool,
    /// Cycles before measuring starts
    #[arg(long, value_name = "CYCLES", default_value_t = 2_000)]
    warmup_cycles: u64,
    /// Cycles measured
    #[arg(long, value_name = "CYCLES", default_value_t = 8_000)]
    measure_cycles: u64,
    /// Seed of the injection and destination streams
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// value or timing
    #[arg(long, default_value = "timing", value_parser = parse_mode)]
    mode: Mode,
    /// Threads of one run; the result does not depend on it (1 to 256)
    #[arg(long, default_value_t = 1, value_parser = parse_threads)]
    threads: usize,
    /// Print the sweep as JSON
    #[arg(long)]
    json: bool,
}

impl Traffic {
    pub fn run(&self) -> Result<Outcome, Error> {
        let network = self.spec.load()?;
        let request = TrafficRequest {
            pattern: self.pattern,
            beats: self.beats,
            loads: self.loads.clone(),
            has_saturation: !self.no_saturation,
            warmup_cycles: self.warmup_cycles,
            measure_cycles: self.measure_cycles,
            seed: self.seed,
            mode: self.mode,
            threads: self.threads,
        };
        let report = watched("loads", |watch| noccl::traffic(&network, &request, watch))?;
        if self.json {
            output::json(&report)?;
        } else {
            output::result(&summary(&report))?;
        }
        Ok(Outcome::Fine)
    }
}

fn summary(report: &TrafficReport) -> String {
    use Align::{Left, Right};
    let header = [
        ("offered [beats/cycle]", Right),
        ("accepted [beats/cycle]", Right),
        ("accepted [GB/s]", Right),
        ("mean latency [cycles]", Right),
        ("mean latency [ns]", Right),
        ("p99 [cycles]", Right),
        ("max [cycles]", Right),
        ("packets", Right),
        ("", Left),
    ];
    let rows: Vec<Vec<String>> = report
        .points
        .iter()
        .map(|p| {
            vec![
                digits(p.offered_beats_per_cycle),
                digits(p.accepted_beats_per_cycle),
                digits(p.accepted_gb_per_s),
                format!("{:.1}", p.mean_latency_cycles),
                format!("{:.1}", p.mean_latency_ns),
                p.p99_latency_cycles.to_string(),
                p.max_latency_cycles.to_string(),
                p.packets.to_string(),
                if p.saturated { "saturated" } else { "" }.to_owned(),
            ]
        })
        .collect();
    let saturation = report.saturation_beats_per_cycle.map_or_else(
        || "not found".to_owned(),
        |load| format!("{} beats per cluster and cycle", digits(load)),
    );
    format!(
        "{}\nzero-load latency      {:.2} cycles\ncapacity               {} beats per cluster and cycle, by the busiest link\n\
         saturation load        {saturation}\nsaturation throughput  {} beats per cluster and cycle\n",
        table(&header, &rows),
        report.zero_load_latency_cycles,
        digits(report.capacity_beats_per_cycle),
        digits(report.max_accepted_beats_per_cycle)
    )
}

/// Three significant digits: loads of a hot spot on a large mesh are thousandths.
fn digits(load: f64) -> String {
    if load <= 0.0 {
        return "0".to_owned();
    }
    let behind = (2.0 - load.log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{load:.behind$}")
}
