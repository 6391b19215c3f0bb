// SPDX-License-Identifier: Apache-2.0
//! `noccl reproduce`

use crate::progress::watched;
use crate::table::{Align, table};
use crate::{Outcome, output};
use clap::Args;
use noccl::{ClaimResult, ClaimRow, Error};
use std::path::PathBuf;

/// Measure a paper's claims anew: a result per claim, a plot per figure
///
/// A claim is undecided if the 95 % interval of our number has numbers with which it holds and others. Exit code 1 if a claim fails.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl reproduce collective_noc --quick
  noccl reproduce collective_noc --json > claims.json
  noccl reproduce collective_noc --page docs/papers/S1.md --figures docs/papers/S1
  noccl reproduce smart --quick
  noccl reproduce torrent
  noccl reproduce nocmsg --quick")]
pub struct Reproduce {
    /// Paper: collective_noc (S1), smart (S2), torrent (S3) or nocmsg (S4)
    paper: String,
    /// Leave out S1's matrix products on meshes up to 256x256, S2's seeds, settings and table of saturation, S3's movements of megabytes, and S4's longer messages, noise, random collectives and rectangles
    #[arg(long)]
    quick: bool,
    /// Print the rows as JSON
    #[arg(long)]
    json: bool,
    /// Replace the table between the markers of this page
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
    /// Where to write the plots
    #[arg(long, value_name = "DIRECTORY", default_value = "out/reproduce")]
    figures: PathBuf,
}

impl Reproduce {
    pub fn run(&self) -> Result<Outcome, Error> {
        if let Some(page) = &self.page {
            noccl::check_claims_page(&self.paper, page)?;
            noccl::check_output(page)?;
        }
        noccl::check_output(&self.figures.join("figure.json"))?;
        let reproduction = watched("groups", |watch| {
            noccl::reproduce(&self.paper, self.quick, watch)
        })?;
        reproduction.write_figures(&self.figures)?;
        if let Some(page) = &self.page {
            reproduction.update_page(page)?;
        }
        if self.json {
            output::json(&reproduction.rows)?;
        } else {
            output::result(&text(&reproduction.rows))?;
        }
        output::log(&format!(
            "numbers of plots: {0}; python -m noccl.figures {0} draws them",
            self.figures.display()
        ));
        Ok(if reproduction.all_hold() {
            Outcome::Fine
        } else {
            Outcome::Failed
        })
    }
}

fn text(rows: &[ClaimRow]) -> String {
    use Align::{Left, Right};
    let header = [
        ("claim", Left),
        ("place", Left),
        ("paper", Right),
        ("ours", Right),
        ("evidence", Left),
        ("result", Left),
        ("numbers behind ours, or why there are none", Left),
    ];
    let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |v| format!("{v:.3}"));
    let body: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let result = match row.result() {
                ClaimResult::Holds => "holds",
                ClaimResult::Fails => "FAILS",
                ClaimResult::Undecided => "undecided",
                ClaimResult::Missed => "not measured",
            };
            let behind = if row.ours.is_some() {
                &row.detail
            } else {
                &row.reason
            };
            vec![
                row.id.clone(),
                row.place.clone(),
                number(row.paper),
                number(row.ours),
                row.evidence.label().to_owned(),
                result.to_owned(),
                behind.clone(),
            ]
        })
        .collect();
    format!("{}\n{}\n", table(&header, &body), noccl::claims_count(rows))
}
