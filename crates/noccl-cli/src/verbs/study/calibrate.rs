// SPDX-License-Identifier: Apache-2.0
//! `noccl calibrate`

use crate::args::SpecArgs;
use crate::progress::watched;
use crate::table::{Align, table};
use crate::{Outcome, output};
use clap::Args;
use noccl::{Calibration, Error, Law};
use std::path::PathBuf;

/// Fit the constants of the analytic model to named simulator runs
///
/// Every constant comes from the runs of its law; how well the model does is measured on the paper's grid, which
/// the fit does not see.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl calibrate
  noccl calibrate --spec collective_noc_8x8 -P router.wide_reduction.cut_cycles=0 -o mine.toml
  noccl compare multicast --backend model --calibration mine.toml")]
pub struct Calibrate {
    #[command(flatten)]
    spec: SpecArgs,
    /// Where to write the constants (TOML)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the calibration as JSON
    #[arg(long)]
    json: bool,
}

impl Calibrate {
    pub fn run(&self) -> Result<Outcome, Error> {
        self.output.as_deref().map_or(Ok(()), noccl::check_output)?;
        let network = self.spec.load()?;
        let command = format!("noccl calibrate --spec {}", self.spec.as_arguments());
        let calibration = watched("runs", |watch| noccl::calibrate(&network, &command, watch))?;
        if let Some(path) = &self.output {
            noccl::write_file(path, &noccl::calibration_text(&calibration)?)?;
        }
        if self.json {
            output::json(&calibration)?;
        } else {
            output::result(&summary(&calibration))?;
        }
        Ok(Outcome::Fine)
    }
}

fn summary(calibration: &Calibration) -> String {
    let mut out = format!("Constants fitted on {}\n\n", calibration.network);
    for law in Law::ALL {
        out += &format!(
            "{}\n\n{}\n",
            law_title(calibration, law),
            runs(calibration, law)
        );
    }
    let held = &calibration.held_out;
    out += &format!(
        "{} other runs: error {:.2} % in the median, {:.2} % at most ({})\n",
        held.runs,
        held.median_error * 100.0,
        held.max_error * 100.0,
        held.worst
    );
    out
}

/// The law's constants with their values.
fn law_title(calibration: &Calibration, law: Law) -> String {
    let constants = law.constants().iter();
    let values: Vec<String> = constants
        .map(|c| format!("{} = {}", c.name(), calibration.constants.value(*c)))
        .collect();
    values.join(", ")
}

fn runs(calibration: &Calibration, law: Law) -> String {
    let header = [
        ("run", Align::Left),
        ("cycles", Align::Right),
        ("fitted", Align::Right),
    ];
    let rows = calibration.runs.iter().filter(|run| run.law == law);
    let body: Vec<Vec<String>> = rows
        .map(|run| {
            vec![
                run.name.clone(),
                run.measured_cycles.to_string(),
                format!("{:.2}", run.fitted_cycles),
            ]
        })
        .collect();
    table(&header, &body)
}
