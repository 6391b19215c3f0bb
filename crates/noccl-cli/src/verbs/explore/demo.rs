// SPDX-License-Identifier: Apache-2.0
//! `noccl demo`

use crate::effects::Idle;
use crate::forms::FormArgs;
use crate::progress::watched;
use crate::verbs::Verb;
use crate::verbs::rows::{self, none_wrong};
use crate::{Outcome, output};
use clap::Args;
use noccl::Error;
use std::path::PathBuf;

/// Multicast and sum reduction by every algorithm, with a page of plots
///
/// The simulator verifies every result.
///
/// On the preset collective_noc_4x4: 1 to 32 KiB over one row of 4 clusters and over the whole 4x4.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  noccl demo\n  noccl demo --json > rows.json\n  noccl demo -o page.html"
)]
pub struct Demo {
    #[command(flatten)]
    form: FormArgs,
    /// Where to write the HTML page; the rows go beside it as JSON
    #[arg(short, long, value_name = "FILE", default_value = "out/demo.html")]
    output: PathBuf,
}

impl Verb for Demo {
    fn idle(&self) -> Vec<Idle> {
        self.form.idle()
    }

    fn run(&self) -> Result<Outcome, Error> {
        self.form.check(&rows::TABLE)?;
        let stored = self.output.with_extension("json");
        noccl::files::check_output(&self.output)?;
        noccl::files::check_output(&stored)?;
        let comparison = watched("rows", noccl::demo)?;
        let page = noccl::report::page(&comparison.rows)?;
        noccl::files::write_file(&self.output, &page)?;
        noccl::files::write_file(&stored, &output::to_json(&comparison.rows)?)?;
        rows::print(&comparison, &self.form)?;
        output::log(&format!(
            "page: {}  rows: {}",
            self.output.display(),
            stored.display()
        ));
        Ok(if none_wrong(&comparison.rows) {
            Outcome::Fine
        } else {
            Outcome::Failed
        })
    }
}
