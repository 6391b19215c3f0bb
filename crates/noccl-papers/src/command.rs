// SPDX-License-Identifier: Apache-2.0
//! The command line of `noccl-papers`; it ends, reports and prints as `noccl` does.

use crate::{ClaimResult, ClaimRow, check_claims_page, claims_count, reproduce};
use clap::Parser;
use noccl_cli::shell::{self, Align, Outcome, table, watched};
use noccl_studies::{Error, check_output};
use std::ffi::OsString;
use std::path::PathBuf;

/// Measure a paper's claims anew: a result per claim, a plot per figure
///
/// A claim is undecided if the 95 % interval of our number has numbers with which it holds and others. Exit code 1 if a claim fails.
#[derive(Debug, Parser)]
#[command(
    name = "noccl-papers",
    version,
    max_term_width = 100,
    after_help = "\
Examples:
  noccl-papers collective_noc --quick
  noccl-papers collective_noc --json > claims.json
  noccl-papers collective_noc --page docs/papers/S1.md --figures docs/papers/S1
  noccl-papers smart --quick
  noccl-papers torrent
  noccl-papers nocmsg --quick

Exit codes: 0 fine; 1 a claim fails, or a run stalled; 2 wrong input, nothing ran; \
4 an output could not be written (what was there before is still there); 130 interrupted.
Results go to stdout, remarks and progress to stderr."
)]
struct Cli {
    /// Paper: collective_noc (S1), smart (S2), torrent (S3) or nocmsg (S4)
    #[arg(required_unless_present = "schema")]
    paper: Option<String>,
    /// Leave out S1's matrix products on meshes up to 256x256, S2's seeds, settings and table of saturation, S3's movements of megabytes, and S4's longer messages, noise, random collectives and rectangles
    #[arg(long)]
    quick: bool,
    /// Print the rows as JSON
    #[arg(long)]
    json: bool,
    /// Replace the tables between the markers of this page
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
    /// Where to write all claims (claims.csv) and the numbers of the plots
    #[arg(long, value_name = "DIRECTORY", default_value = "out/reproduce")]
    figures: PathBuf,
    /// Print the JSON Schema of the rows instead
    #[arg(long, exclusive = true)]
    schema: bool,
}

/// Runs one command line, the program's name first; the exit code.
pub fn call(arguments: Vec<OsString>) -> u8 {
    match Cli::try_parse_from(arguments) {
        Ok(cli) => shell::ended(cli.run()),
        Err(refusal) => shell::refused(&refusal),
    }
}

impl Cli {
    fn run(&self) -> Result<Outcome, Error> {
        match &self.paper {
            Some(paper) => self.measure(paper),
            None => {
                shell::json(&crate::schema())?;
                Ok(Outcome::Fine)
            }
        }
    }

    fn measure(&self, paper: &str) -> Result<Outcome, Error> {
        if let Some(page) = &self.page {
            check_claims_page(paper, page)?;
            check_output(page)?;
        }
        check_output(&self.figures.join("figure.json"))?;
        let reproduction = watched("groups", |watch| reproduce(paper, self.quick, watch))?;
        reproduction.write_figures(&self.figures)?;
        reproduction.write_claims(&self.figures)?;
        if let Some(page) = &self.page {
            reproduction.update_page(page)?;
        }
        if self.json {
            shell::json(&reproduction.rows)?;
        } else {
            shell::result(&text(&reproduction.rows))?;
        }
        shell::log(&format!(
            "all claims: {0}/claims.csv; numbers of plots: {0}; python -m noccl.figures {0} draws them",
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
            let fails = row.result() == ClaimResult::Fails;
            let result = if fails { "FAILS" } else { row.result().label() };
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
    format!("{}\n{}\n", table(&header, &body), claims_count(rows))
}
