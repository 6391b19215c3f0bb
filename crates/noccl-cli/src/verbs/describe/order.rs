// SPDX-License-Identifier: Apache-2.0
//! `noccl order`

use crate::args::SpecArgs;
use crate::effects::{self, Idle};
use crate::progress::watched;
use crate::table::{Align, grouped, table};
use crate::verbs::Verb;
use crate::{Outcome, args, output};
use clap::Args;
use noccl::Error;
use noccl::network::{Network, TileRef};
use noccl::study::{OrderDraw, OrderDrawRequest, OrderReport, OrderRequest};
use std::collections::BTreeMap;

/// Order the destinations of a chain: hops, links crossed twice, cycles
///
/// One set of destinations, or (with --counts) random sets, whose means are printed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl order --spec torrent_4x5 --destinations 0,0,5,2 --bytes 64KiB
  noccl order --spec torrent_8x8 --destinations 'set:0,3;0,7;2,5;7,7' --by greedy,open_path --json
  noccl order --spec torrent_8x8 --counts 4,16,32 --draws 128")]
pub struct Order {
    #[command(flatten)]
    spec: SpecArgs,
    /// Cluster where the data is read
    #[arg(long, value_name = "X,Y", default_value = "0,0")]
    source: String,
    /// Clusters: all, row:Y, column:X, X,Y,W,H or set:X,Y;X,Y;…; the source among them needs no path segment
    #[arg(long, value_name = "SET", default_value = "all")]
    destinations: String,
    /// Orders: id, greedy, nearest, fixed_start, open_path, latency; default: all
    #[arg(long, value_name = "NAME,...", default_value = "")]
    by: String,
    /// Payload, for the cycles
    #[arg(long, value_name = "SIZE", default_value = "64KiB")]
    bytes: String,
    /// Numbers of destinations of random sets
    #[arg(
        long,
        value_name = "N,...",
        value_delimiter = ',',
        conflicts_with = "destinations"
    )]
    counts: Vec<u32>,
    /// Random sets of each number; all sets together have at most 4000000 destinations
    #[arg(long, value_name = "N", default_value_t = 128, requires = "counts")]
    draws: u32,
    /// Seed of the random sets
    #[arg(long, value_name = "N", default_value_t = 1, requires = "counts")]
    seed: u64,
    /// Print the report, or one row per random set, as JSON
    #[arg(long)]
    json: bool,
}

impl Verb for Order {
    fn idle(&self) -> Vec<Idle> {
        let has_counts = !self.counts.is_empty();
        effects::idle(
            has_counts,
            &["bytes"],
            "--counts",
            "one set of destinations",
        )
    }

    fn run(&self) -> Result<Outcome, Error> {
        let network = self.spec.load()?;
        let source = noccl::network::parse_tile(&network, "--source", &self.source)?;
        if self.counts.is_empty() {
            self.one_set(&network, source)?;
        } else {
            self.random_sets(&network, source)?;
        }
        Ok(Outcome::Fine)
    }
}

impl Order {
    fn one_set(&self, network: &Network, source: TileRef) -> Result<(), Error> {
        let request = OrderRequest {
            source,
            destinations: noccl::network::parse_set(network, "--destinations", &self.destinations)?,
            orders: noccl::study::parse_orders(&self.by)?,
            given: None,
            bytes: args::size(&self.bytes)?,
        };
        let report = noccl::study::order(network, &request)?;
        if self.json {
            output::json(&report)
        } else {
            output::result(&text(&report))
        }
    }

    fn random_sets(&self, network: &Network, source: TileRef) -> Result<(), Error> {
        let request = OrderDrawRequest {
            source,
            counts: self.counts.clone(),
            draws: self.draws,
            seed: self.seed,
            orders: noccl::study::parse_orders(&self.by)?,
        };
        let draws = watched("sets", |watch| {
            noccl::study::order_draws(network, &request, watch)
        })?;
        if self.json {
            output::json(&draws)
        } else {
            output::result(&means(&request, &draws))
        }
    }
}

fn text(report: &OrderReport) -> String {
    use Align::{Left, Right};
    let header = [
        ("order", Left),
        ("hops", Right),
        ("per destination", Right),
        ("links crossed twice", Right),
        ("cycles", Right),
        ("destinations", Left),
    ];
    let body: Vec<Vec<String>> = report
        .rows
        .iter()
        .map(|row| {
            vec![
                row.order.clone(),
                row.hops.to_string(),
                format!("{:.3}", row.hops_per_destination),
                row.shared_links.len().to_string(),
                grouped(row.cycles),
                row.destinations.join(" "),
            ]
        })
        .collect();
    let loopback = if report.has_loopback {
        " and the source itself, by loopback"
    } else {
        ""
    };
    format!(
        "{}: {} destinations of {}{loopback}; unicast {} hops, multicast {} hops\n\n{}\n\
         Cycles by the closed form for {} bytes, all links free\n",
        report.network,
        report.num_destinations,
        report.source,
        report.unicast_hops,
        report.multicast_hops,
        table(&header, &body),
        grouped(report.bytes)
    )
}

/// Mean hops per destination, a line per number of destinations.
fn means(request: &OrderDrawRequest, draws: &[OrderDraw]) -> String {
    let mut header = vec![
        ("destinations", Align::Right),
        ("unicast", Align::Right),
        ("multicast", Align::Right),
    ];
    header.extend(request.orders.iter().map(|o| (o.name(), Align::Right)));
    let mut by_count: BTreeMap<u32, Vec<&OrderDraw>> = BTreeMap::new();
    for draw in draws {
        by_count
            .entry(draw.num_destinations)
            .or_default()
            .push(draw);
    }
    let body: Vec<Vec<String>> = by_count
        .into_iter()
        .map(|(count, sets)| {
            let total = f64::from(count) * sets.len() as f64;
            let mean = |hops: u32| format!("{:.3}", f64::from(hops) / total);
            let mut line = vec![
                count.to_string(),
                mean(sets.iter().map(|s| s.unicast_hops).sum()),
                mean(sets.iter().map(|s| s.multicast_hops).sum()),
            ];
            line.extend(request.orders.iter().map(|order| {
                let hops = sets.iter().filter_map(|s| s.hops.get(order.name()));
                mean(hops.sum())
            }));
            line
        })
        .collect();
    format!(
        "{}\nMean hops per destination over {} random sets each, seed {}\n",
        table(&header, &body),
        request.draws,
        request.seed
    )
}
