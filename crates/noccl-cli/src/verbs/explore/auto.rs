// SPDX-License-Identifier: Apache-2.0
//! `noccl auto`

use crate::args::{OverrideArgs, load, sizes};
use crate::effects::{self, Idle};
use crate::forms::{FormArgs, RowColumn, RowTable, Value};
use crate::progress::watched;
use crate::verbs::Verb;
use crate::{Outcome, output};
use clap::Args;
use noccl::Error;
use noccl::collective::{AutoGrid, AutoRequest, AutoRow};
use std::path::PathBuf;

/// What a grid's table shows.
const GRID_LEGEND: &str = "\
points are drawn by the seed from networks, collectives, groups, roots, elements and sizes
";
const LEGEND: &str = "\
auto: what `--algorithms auto` takes; best: the fastest of all choices that a comparison tries, simulated; loss: auto behind the best
elements are 32-bit integers; sizes per participant, of all_to_all per pair
";

/// Compare `--algorithms auto` with the best algorithm
///
/// Reports how far its choices are behind the fastest algorithm of the library, and the error of the model.
///
/// Simulates every choice of every case: 45 CPU minutes by default. On core tiles `auto` looks at all choices by the model and
/// decides between the nearest by short runs.
///
/// With `--grid` the cases are points that a seed draws from nine networks with DMA engines: collective, size, group, root and
/// element. 200 points take some CPU minutes. Another seed draws other points than those that `auto` was tuned on (seeds 1, 2, 3 and 7).
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl auto
  noccl auto --spec tilepro64_4x4 --collectives reduce,all_reduce --bytes 128,1KiB --json
  noccl auto --page docs/auto.md
  noccl auto --grid 200 --seed 11")]
pub struct Auto {
    /// Preset names or TOML files
    #[arg(
        long,
        value_name = "PRESET_OR_FILE,...",
        default_value = "tilepro64_2x2,tilepro64_4x4,tilepro64_5x3,tilepro64_7x7,tilepro64_8x8"
    )]
    spec: String,
    #[command(flatten)]
    overrides: OverrideArgs,
    /// Collectives
    #[arg(
        long,
        value_name = "NAME,...",
        default_value = "all_to_all,multicast,reduce,all_reduce,barrier"
    )]
    collectives: String,
    /// Payloads per participant
    #[arg(long, value_name = "SIZE,...", default_value = "8,128,1KiB,16KiB")]
    bytes: String,
    /// Participants: all, row, row:Y, column:X or X,Y,W,H
    #[arg(long, default_value = "all")]
    group: String,
    /// Number of points that the seed draws, in place of networks, collectives, sizes and a group
    #[arg(long, value_name = "POINTS", conflicts_with_all = ["spec", "collectives", "bytes", "group", "overrides"])]
    grid: Option<u32>,
    /// Which points: the same seed draws the same ones
    #[arg(long, default_value_t = 11)]
    seed: u64,
    #[command(flatten)]
    form: FormArgs,
    /// Replace the summary between the markers of this page; all cases go to a CSV file next to it
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
}

impl Verb for Auto {
    fn idle(&self) -> Vec<Idle> {
        let is_grid = self.grid.is_some();
        let by_name = "networks by name";
        [
            effects::idle(!is_grid, &["seed"], by_name, "--grid"),
            effects::idle(is_grid, &["wide", "columns"], "--grid", by_name),
            self.form.idle(),
        ]
        .concat()
    }

    fn run(&self) -> Result<Outcome, Error> {
        self.form.check(&TABLE)?;
        if let Some(points) = self.grid {
            return self.at_points(points);
        }
        if let Some(page) = &self.page {
            noccl::collective::check_auto_page(page)?;
            noccl::files::check_output(page)?;
        }
        let names = self
            .collectives
            .split(',')
            .map(noccl::collective::parse_collective);
        let request = AutoRequest {
            collectives: names.collect::<Result<_, _>>()?,
            bytes: sizes(&self.bytes)?,
            group: self.group.clone(),
        };
        let specs = self.spec.split(',');
        let networks = specs.map(|spec| load(spec, &self.overrides));
        let networks = networks.collect::<Result<Vec<_>, Error>>()?;
        let mut rows: Vec<AutoRow> = watched("cases", |watch| {
            let each = networks
                .iter()
                .map(|n| noccl::collective::auto_losses(n, &request, watch));
            Ok(each.collect::<Result<Vec<_>, Error>>()?.concat())
        })?;
        let place = |row: &AutoRow| {
            request
                .collectives
                .iter()
                .position(|kind| *kind == row.collective)
        };
        rows.sort_by_key(|row| (place(row), row.bytes));
        if let Some(page) = &self.page {
            noccl::collective::update_auto_page(page, &rows)?;
        }
        let below = format!("\n{LEGEND}{}", losses(&rows));
        self.form.print(&TABLE, &rows, &rows, ("", &below))?;
        Ok(Outcome::Fine)
    }
}

impl Auto {
    fn at_points(&self, points: u32) -> Result<Outcome, Error> {
        if let Some(page) = &self.page {
            noccl::collective::check_auto_grid_page(page)?;
            noccl::files::check_output(page)?;
        }
        let seed = self.seed;
        let grid = AutoGrid { points, seed };
        let rows = watched("points", |watch| noccl::collective::auto_grid(grid, watch))?;
        if let Some(page) = &self.page {
            noccl::collective::update_auto_grid_page(page, &rows)?;
        }
        if self.form.is_json() {
            output::json(&rows)?;
        } else {
            output::result(&format!(
                "{}{GRID_LEGEND}",
                noccl::collective::auto_grid_text(&rows)
            ))?;
        }
        Ok(Outcome::Fine)
    }
}

static TABLE: RowTable<AutoRow> = RowTable {
    columns: &[
        RowColumn::words("network", "network", |row| Value::words(&row.network)),
        RowColumn::words("collective", "collective", |row| {
            Value::words(row.collective.name())
        }),
        RowColumn::number("bytes", "bytes", |row| Value::bytes(row.bytes)),
        RowColumn::words("auto", "auto", |row| Value::words(&row.auto)),
        RowColumn::number("auto_cycles", "cycles of auto", |row| {
            Value::count(row.cycles)
        }),
        RowColumn::words("best", "best", |row| Value::words(&row.best)),
        RowColumn::number("best_cycles", "of the best", |row| {
            Value::count(row.best_cycles)
        }),
        RowColumn::number("loss_percent", "loss [%]", |row| {
            Value::fixed(row.loss * 100.0, 1)
        }),
        RowColumn::words("found_by", "found by", |row| {
            Value::words(row.picked_by.as_deref().unwrap_or("estimates"))
        }),
    ],
    dropped_first: &["found_by", "best", "best_cycles"],
};

/// How far behind `auto` is over all cases, and how far off the model.
fn losses(rows: &[AutoRow]) -> String {
    let mut out = String::new();
    if let Some(loss) = noccl::collective::auto_spread(rows) {
        let (median, most) = (loss.median * 100.0, loss.most * 100.0);
        out += &format!(
            "{} cases: loss {median:.1} % in the median, {most:.1} % at most ({})\n",
            loss.num, loss.worst
        );
    }
    let mut kinds: Vec<_> = rows.iter().map(|row| row.collective).collect();
    kinds.dedup();
    for kind in kinds {
        if let Some(error) = noccl::study::model_spread(rows, kind) {
            let (median, most) = (error.median * 100.0, error.most * 100.0);
            out += &format!(
                "model of {kind}: {} schedules, {median:.2} % off in the median, {most:.1} % at most ({})\n",
                error.num, error.worst
            );
        }
    }
    out
}
