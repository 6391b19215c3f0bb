// SPDX-License-Identifier: Apache-2.0
//! `noccl barrier`

use crate::effects::Idle;
use crate::forms::{FormArgs, RowColumn, RowTable, Value};
use crate::progress::watched;
use crate::table::{Align, grouped};
use crate::verbs::Verb;
use crate::{Outcome, output, width};
use clap::Args;
use noccl::Error;
use noccl::study::{BarrierRow, BarrierStudy};
use std::path::PathBuf;

/// Compare barrier structures over 2 to 4096 clusters
///
/// Reports cycles, slopes and the closed formula.
///
/// All members arrive at once; first arrival to last departure, instructions included. Exit code 1 if an
/// in-network barrier of one meeting differs from its formula.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl barrier
  noccl barrier --clusters 16,256 --json
  noccl barrier --page docs/barrier.md --figures docs/barrier")]
pub struct Barrier {
    /// Numbers of clusters, powers of two; meshes as square as possible
    #[arg(
        long,
        value_name = "N,...",
        value_delimiter = ',',
        default_value = "2,4,8,16,32,64,128,256,512,1024,2048,4096"
    )]
    clusters: Vec<u32>,
    #[command(flatten)]
    form: FormArgs,
    /// Replace the table between the markers of this page
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
    /// Write the plot's numbers into this directory; `python -m noccl.figures` draws them
    #[arg(long, value_name = "DIRECTORY")]
    figures: Option<PathBuf>,
}

impl Verb for Barrier {
    fn idle(&self) -> Vec<Idle> {
        self.form.idle()
    }

    fn run(&self) -> Result<Outcome, Error> {
        self.form.check(&TABLE)?;
        if let Some(page) = &self.page {
            noccl::study::check_barrier_page(page)?;
            noccl::files::check_output(page)?;
        }
        if let Some(directory) = &self.figures {
            noccl::files::check_output(&directory.join("barriers.json"))?;
        }
        let study = watched("runs", |watch| {
            noccl::study::barrier_study(&self.clusters, watch)
        })?;
        if let Some(page) = &self.page {
            study.update_page(page)?;
        }
        if let Some(directory) = &self.figures {
            noccl::study::write_figures(directory, &[study.figure()])?;
        }
        if self.form.is_by_row() {
            self.form.print(&TABLE, &study.rows, &study, ("", ""))?;
        } else {
            output::result(&text(&study, &self.form))?;
        }
        Ok(if study.equals_formula() {
            Outcome::Fine
        } else {
            Outcome::Failed
        })
    }
}

static TABLE: RowTable<BarrierRow> = RowTable {
    columns: &[
        RowColumn::number("clusters", "clusters", |row| {
            Value::words(row.clusters.to_string())
        }),
        RowColumn::words("router", "router", |row| Value::words(&row.router)),
        RowColumn::words("algorithm", "algorithm", |row| Value::words(&row.algorithm)),
        RowColumn::number("cycles", "cycles", |row| Value::count(row.cycles)),
        RowColumn::number("network_cycles", "in the network", |row| {
            Value::of(row.network_cycles, Value::count)
        }),
        RowColumn::number("formula_cycles", "by the formula", |row| {
            Value::of(row.formula_cycles, Value::count)
        }),
    ],
    dropped_first: &[],
};

/// A line per algorithm, a column per number of clusters.
fn text(study: &BarrierStudy, form: &FormArgs) -> String {
    let clusters = study.clusters();
    let names: Vec<String> = clusters.iter().map(u32::to_string).collect();
    let mut header = vec![("router", Align::Left), ("algorithm", Align::Left)];
    header.extend(names.iter().map(|n| (n.as_str(), Align::Right)));
    header.push(("slope", Align::Right));
    let dash = || "-".to_owned();
    let body: Vec<Vec<String>> = study
        .algorithms()
        .into_iter()
        .map(|algorithm| {
            let mut line = vec![algorithm.0.to_owned(), algorithm.1.to_owned()];
            let cycles = clusters.iter().map(|c| study.cycles(algorithm, *c));
            line.extend(cycles.map(|c| c.map_or_else(dash, grouped)));
            line.push(
                study
                    .slope(algorithm)
                    .map_or_else(dash, |s| format!("{s:.2}")),
            );
            line
        })
        .collect();
    let conclusion = if study.equals_formula() {
        "in-network barriers of one meeting equal 5 + 4h (published router: 6 + 4h; with bypass h paths) in the network"
    } else {
        "WRONG: an in-network barrier of one meeting differs from 5 + 4h (published router: 6 + 4h; with bypass h paths)"
    };
    let table = form.text(&header, &body, &[]);
    let legend = "Cycles over clusters; slope: cycles per cluster over 2 to 16, least squares";
    format!(
        "{table}\n{}",
        width::prose(&format!("{legend}\n{conclusion}"))
    )
}
