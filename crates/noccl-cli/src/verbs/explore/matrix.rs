// SPDX-License-Identifier: Apache-2.0
//! `noccl matrix`

use crate::args::{OverrideArgs, load};
use crate::effects::Idle;
use crate::forms::{FormArgs, RowColumn, RowTable, Value};
use crate::progress::watched;
use crate::table::{Align, grouped};
use crate::verbs::Verb;
use crate::width::prose;
use crate::{Outcome, args, output};
use clap::Args;
use noccl::Error;
use noccl::collective::{CollectiveKind, MatrixRequest, MatrixRow};
use noccl::network::Network;

const LEGEND: &str = "\
cells: cycles (cycles over lower bound), * where no algorithm of the table is faster; - where the payload does not \
fit into the memories or the algorithm cannot do it
";

/// Compare all algorithms over collectives, sizes and meshes
///
/// Reports cycles over the lower bound, at several sizes on several meshes.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl matrix
  noccl matrix --spec collective_noc_4x4,collective_noc_8x8 --collectives all_to_all --json
  noccl matrix --spec collective_noc_8x8_large --collectives all_to_all --bytes 4KiB,8KiB")]
pub struct Matrix {
    /// Preset names or TOML files
    #[arg(
        long,
        value_name = "PRESET_OR_FILE,...",
        default_value = "collective_noc_4x4,collective_noc_8x8"
    )]
    spec: String,
    #[command(flatten)]
    overrides: OverrideArgs,
    /// all, or collectives but the barrier
    #[arg(long, value_name = "all|NAME,...", default_value = "all")]
    collectives: String,
    /// Payloads per participant; of all_gather, reduce_scatter and all_to_all: bytes of one block
    #[arg(
        long,
        value_name = "SIZE,...",
        default_value = "64,1KiB,4KiB,32KiB,128KiB"
    )]
    bytes: String,
    /// all, auto, or names as `compare` takes them
    #[arg(long, value_name = "all|auto|NAME,...", default_value = "all")]
    algorithms: String,
    /// Participants: all, row, row:Y, column:X or X,Y,W,H
    #[arg(long, default_value = "all")]
    group: String,
    #[command(flatten)]
    form: FormArgs,
}

impl Verb for Matrix {
    fn idle(&self) -> Vec<Idle> {
        self.form.idle()
    }

    fn run(&self) -> Result<Outcome, Error> {
        self.form.check(&TABLE)?;
        let request = self.request()?;
        let specs = self.spec.split(',');
        let networks: Vec<Network> = specs
            .map(|spec| load(spec, &self.overrides))
            .collect::<Result<_, _>>()?;
        let rows: Vec<MatrixRow> = watched("parts", |watch| {
            let each = networks
                .iter()
                .map(|n| noccl::collective::matrix(n, &request, watch));
            Ok(each.collect::<Result<Vec<_>, Error>>()?.concat())
        })?;
        if self.form.is_by_row() {
            self.form.print(&TABLE, &rows, &rows, ("", ""))?;
        } else {
            output::result(&text(&rows, &self.form))?;
        }
        Ok(if rows.iter().all(|r| !r.verified.is_no()) {
            Outcome::Fine
        } else {
            Outcome::Failed
        })
    }
}

impl Matrix {
    fn request(&self) -> Result<MatrixRequest, Error> {
        let mut request = MatrixRequest::new();
        if self.collectives != "all" {
            let names = self
                .collectives
                .split(',')
                .map(noccl::collective::parse_collective);
            request.collectives = names.collect::<Result<_, _>>()?;
        }
        if request.collectives.contains(&CollectiveKind::Barrier) {
            let accepted = "accepted: collectives with a payload; see `noccl compare barrier`";
            return Err(Error::argument("--collectives", "barrier", accepted));
        }
        request.bytes = args::sizes(&self.bytes)?;
        request.algorithms = noccl::collective::parse_algorithms(&self.algorithms)?;
        request.group.clone_from(&self.group);
        Ok(request)
    }
}

static TABLE: RowTable<MatrixRow> = RowTable {
    columns: &[
        RowColumn::words("network", "network", |row| Value::words(&row.network)),
        RowColumn::words("collective", "collective", |row| {
            Value::words(row.collective.name())
        }),
        RowColumn::number("bytes", "bytes", |row| Value::bytes(row.bytes)),
        RowColumn::words("algorithm", "algorithm", |row| Value::words(name(row))),
        RowColumn::number("chunks", "chunks", |row| {
            Value::of(parameter(row, "chunks"), Value::words)
        }),
        RowColumn::number("cycles", "cycles", |row| Value::count(row.cycles)),
        RowColumn::number("cycles_over_bound", "cycles/bound", |row| {
            Value::fixed(row.cycles_over_lower_bound, 2)
        }),
        RowColumn::words("fastest", "fastest", |row| Value::flag(row.is_best, "yes")),
    ],
    dropped_first: &[],
};

/// One table per collective: a line per size and algorithm, a column per network.
fn text(rows: &[MatrixRow], form: &FormArgs) -> String {
    let networks = distinct(rows.iter().map(|r| r.network.clone()));
    let mut out = String::new();
    for collective in distinct(rows.iter().map(|r| r.collective)) {
        let of: Vec<&MatrixRow> = rows.iter().filter(|r| r.collective == collective).collect();
        let mut header = vec![("bytes", Align::Right), ("algorithm", Align::Left)];
        header.extend(networks.iter().map(|n| (n.as_str(), Align::Right)));
        let mut body = Vec::new();
        let mut sizes = distinct(of.iter().map(|r| r.bytes));
        sizes.sort_unstable();
        for bytes in sizes {
            let of: Vec<&&MatrixRow> = of.iter().filter(|r| r.bytes == bytes).collect();
            for algorithm in distinct(of.iter().map(|r| name(r))) {
                let cell = |network: &String| {
                    let row = of
                        .iter()
                        .find(|r| r.network == *network && name(r) == algorithm);
                    row.map_or_else(|| "-".to_owned(), |r| cell(r))
                };
                let mut line = vec![noccl::files::format_bytes(bytes), algorithm.clone()];
                line.extend(networks.iter().map(cell));
                body.push(line);
            }
        }
        out += &format!("{collective}\n\n{}\n", form.text(&header, &body, &[]));
    }
    out + &prose(LEGEND)
}

/// Algorithm with its inner structure or the place of its root; the chunk count stands in the cell, it differs from mesh to mesh.
fn name(row: &MatrixRow) -> String {
    let is_naive = row.algorithm == "chain" && parameter(row, "chunks") == Some("1");
    // Forms between cores, then the place of a root.
    let form = ["inner", "form", "tree", "root"].into_iter();
    match form.filter_map(|name| parameter(row, name)).next() {
        Some(inner_or_root) => format!("{}:{inner_or_root}", row.algorithm),
        None if is_naive => "chain:1".to_owned(),
        None => row.algorithm.clone(),
    }
}

fn parameter<'r>(row: &'r MatrixRow, name: &str) -> Option<&'r str> {
    row.parameters.get(name).map(String::as_str)
}

fn cell(row: &MatrixRow) -> String {
    let chunks = parameter(row, "chunks").filter(|c| *c != "1");
    let chunks = chunks.map_or_else(String::new, |c| format!("{c} chunks "));
    let star = if row.is_best { "*" } else { "" };
    let (cycles, ratio) = (grouped(row.cycles), row.cycles_over_lower_bound);
    format!("{chunks}{cycles} ({ratio:.2}){star}")
}

fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut out = Vec::new();
    for one in all {
        if !out.contains(&one) {
            out.push(one);
        }
    }
    out
}
