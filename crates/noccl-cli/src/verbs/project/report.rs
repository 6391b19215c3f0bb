// SPDX-License-Identifier: Apache-2.0
//! `noccl report`

use crate::verbs::Verb;
use crate::{Outcome, output};
use clap::Args;
use noccl::Error;
use std::path::PathBuf;

/// Make an HTML page from stored rows of `compare` or `demo`
///
/// The page is one self-contained file.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl report out/demo.json -o page.html
  noccl compare reduce --bytes 1KiB,8KiB --links --json > rows.json && noccl report rows.json")]
pub struct Report {
    /// Rows (JSON)
    #[arg(value_name = "RESULTS")]
    results: PathBuf,
    /// Where to write the page
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    output: PathBuf,
    /// Print the path of the page as JSON
    #[arg(long)]
    json: bool,
}

impl Verb for Report {
    fn run(&self) -> Result<Outcome, Error> {
        noccl::files::check_output(&self.output)?;
        let rows = noccl::files::read_rows(&self.results)?;
        noccl::files::write_file(&self.output, &noccl::report::page(&rows)?)?;
        if self.json {
            output::json(&serde_json::json!({ "page": self.output }))?;
        } else {
            output::log(&format!("page: {}", self.output.display()));
        }
        Ok(Outcome::Fine)
    }
}
