// SPDX-License-Identifier: Apache-2.0
//! `noccl baselines`

use crate::effects::{self, Idle};
use crate::forms::{FormArgs, RowColumn, RowTable, Value};
use crate::progress::watched;
use crate::verbs::Verb;
use crate::{Outcome, args, output};
use clap::Args;
use noccl::Error;
use noccl::collective::CollectiveKind;
use noccl::study::{BaselineAlgorithm, BaselineRow, BaselinesRequest};
use std::path::PathBuf;

const LEGEND: &str = "\
unicast: copies by one DMA engine; tree, double_tree, counter: by software; chainwrite: Torrent endpoints; in_network: S1's routers
in_network_bypass: the same, flits pass up to eight routers in a cycle
smart: S2's routers; the number is the flit size in bytes, all others have 64
cores: S4's core tiles, in software over links of 4 bytes, by the algorithm that `auto` selects; clock 0.7 GHz, all others 1 GHz
efficiency: destinations (or contributors) times 64-byte beats by cycles (S3 eq. (1)); link flits: over all links of all planes; busiest link: flits over it
energy: S1's table on all networks of clusters
esp_calibrated: a CPU starts the consumers, 100 cycles each; fitted to S3's statement about ESP
";

/// Compare one collective over all systems and software
///
/// S3's chain, copies, software trees, the routers of ESP, S1 (with and without bypass) and S2, and S4's cores.
///
/// All on the same clusters, cycle by cycle, every byte checked. Destinations are added along a snake. A reduction sums 64-bit integers.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl baselines
  noccl baselines --collective reduce --set 0,0,4,4
  noccl baselines --size 8x8 --source 3,3 --destinations 4,16,32 --bytes 4KiB --json
  noccl baselines --set 0,0,4,4 --bytes 1KiB,64KiB
  noccl baselines --destinations 2,4,6,8,10,12,14,16 --bytes 1KiB,8KiB,64KiB --figures out/baselines")]
pub struct Baselines {
    /// multicast, reduce or barrier
    #[arg(long, value_name = "KIND", default_value = "multicast", value_parser = noccl::collective::parse_collective)]
    collective: CollectiveKind,
    /// Rows and columns of clusters
    #[arg(long, value_name = "HxW", default_value = "4x5")]
    size: String,
    /// Cluster that holds the payload, gets the sum, or is the counter
    #[arg(long, value_name = "X,Y", default_value = "0,0")]
    source: String,
    /// Numbers of destinations, contributors or members, without the source [default: 2,4,8,16; of reduce and barrier blocks of 2, 4, 8 … clusters
    /// about it]
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    destinations: Vec<u32>,
    /// One set of them instead: all, row:Y, column:X, X,Y,W,H or set:X,Y;X,Y;…
    #[arg(long, value_name = "SET", conflicts_with = "destinations")]
    set: Option<String>,
    /// Payloads; a barrier has none
    #[arg(long, value_name = "SIZE,...", default_value = "64,1KiB,64KiB")]
    bytes: String,
    /// Seed of the random payloads
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    form: FormArgs,
    /// Write the numbers of a plot per payload of a multicast; `python -m noccl.figures` draws them
    #[arg(long, value_name = "DIRECTORY")]
    figures: Option<PathBuf>,
}

impl Verb for Baselines {
    fn idle(&self) -> Vec<Idle> {
        let of_payload = effects::of_payload(self.collective, &["bytes", "seed"]);
        [of_payload, self.form.idle()].concat()
    }

    fn run(&self) -> Result<Outcome, Error> {
        self.form.check(&TABLE)?;
        let usual = BaselinesRequest::new();
        let has_usual = self.collective == usual.collective && self.destinations.is_empty();
        let destinations = if has_usual {
            usual.destinations
        } else {
            self.destinations.clone()
        };
        let request = BaselinesRequest {
            collective: self.collective,
            size: noccl::network::parse_pair("--size", &self.size, 'x')?,
            source: noccl::network::parse_pair("--source", &self.source, ',')
                .map(|(x, y)| noccl::network::Coord::new(x, y))?,
            destinations,
            set: self.set.clone(),
            bytes: args::sizes(&self.bytes)?,
            seed: self.seed,
        };
        let found = watched("rows", |watch| noccl::study::baselines(&request, watch))?;
        let (rows, skipped) = (found.rows, found.skipped);
        if !skipped.is_empty() {
            output::log(&left_out(&skipped));
        }
        if let Some(folder) = &self.figures {
            noccl::study::write_figures(folder, &noccl::study::baseline_figures(&rows))?;
        }
        let legend = format!("\n{LEGEND}");
        self.form.print(&TABLE, &rows, &rows, ("", &legend))?;
        let is_right = rows.iter().all(|row| !row.row.verified.is_no());
        Ok(if is_right {
            Outcome::Fine
        } else {
            Outcome::Failed
        })
    }
}

/// Who has no row, and why.
fn left_out(skipped: &[(BaselineAlgorithm, u32)]) -> String {
    let names = skipped.chunk_by(|a, b| a.0 == b.0).map(|of| {
        let nums: Vec<String> = of.iter().map(|(_, num)| num.to_string()).collect();
        format!("{} ({})", of[0].0.name(), nums.join(", "))
    });
    let names: Vec<String> = names.collect();
    format!(
        "not compared (of so many destinations): {}: these sets are no multi-address; accepted: e.g. --set 0,0,4,4",
        names.join(", ")
    )
}

static TABLE: RowTable<BaselineRow> = RowTable {
    columns: &[
        RowColumn::number("bytes", "bytes", |of| Value::of(payload(of), Value::bytes)),
        RowColumn::number("destinations", "destinations", |of| {
            Value::count(of.num_destinations)
        }),
        RowColumn::words("algorithm", "algorithm", |of| {
            Value::words(of.algorithm.name())
        }),
        RowColumn::words("network", "network", |of| Value::words(&of.row.network)),
        RowColumn::number("cycles", "cycles", |of| Value::count(of.row.cycles)),
        RowColumn::number("efficiency", "efficiency", |of| {
            Value::of(payload(of), |_| Value::fixed(of.efficiency, 2))
        }),
        RowColumn::number("link_flits", "link flits", |of| Value::count(of.link_flits)),
        RowColumn::number("busiest_link_flits", "busiest link", |of| {
            let link = of.row.busiest_link.as_ref();
            Value::of(link, |link| Value::count(link.flits))
        }),
        RowColumn::number("energy_nj", "energy in nJ", |of| {
            let has_payload = of.row.bytes > 0;
            let pj = of.row.energy_pj.filter(|pj| *pj > 0.0 || !has_payload);
            Value::of(pj, |pj| Value::fixed(pj / 1e3, 1))
        }),
        RowColumn::words("verified", "verified", |of| {
            Value::words(noccl::verification(&of.row))
        }),
    ],
    dropped_first: &["network", "link_flits", "busiest_link_flits", "energy_nj"],
};

/// The size of what has one.
fn payload(of: &BaselineRow) -> Option<u64> {
    Some(of.row.bytes).filter(|bytes| *bytes > 0)
}
