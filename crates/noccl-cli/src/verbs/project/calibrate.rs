// SPDX-License-Identifier: Apache-2.0
//! `noccl calibrate`

use crate::args::SpecArgs;
use crate::progress::watched;
use crate::table::{Align, grouped, table};
use crate::verbs::Verb;
use crate::{Outcome, output, progress};
use clap::Args;
use noccl::Error;
use noccl::network::Network;
use noccl::program::CoreCosts;
use noccl::study::{Calibration, Law};
use std::path::PathBuf;

/// Fit the constants of the models
///
/// Of the analytic model to simulator runs; of modelled cores to executed ones.
///
/// On clusters, the analytic model's: every constant comes from the runs of its law; how well the model does is measured on the paper's grid,
/// which the fit does not see.
///
/// On core tiles, what a message, a unit and a word cost: the collectives of the message library in C (programs/nocmsg) are executed on meshes of
/// 2x2, 4x4 and the network's size (of at most 64 tiles), and the constants of [core] are fitted to those of 8, 128 and 1024 bytes on the first two; the error is measured on all others. --output writes the network with these constants, for --spec.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl calibrate
  noccl calibrate --spec collective_noc_8x8 -P router.wide_reduction.cut_cycles=0 -o mine.toml
  noccl compare multicast --backend model --calibration mine.toml
  noccl calibrate --spec tilepro64_7x7 -o mine.toml
  noccl compare all_to_all --spec mine.toml --bytes 128")]
pub struct Calibrate {
    #[command(flatten)]
    spec: SpecArgs,
    /// On core tiles: what instructions of the executed cores cost, a name (in_order, one_cycle, tilepro64) or a TOML file [default: in_order]
    #[arg(long, value_name = "TABLE")]
    costs: Option<String>,
    /// Where to write the constants, on core tiles the spec with them (TOML)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the calibration as JSON
    #[arg(long)]
    json: bool,
}

impl Verb for Calibrate {
    fn run(&self) -> Result<Outcome, Error> {
        self.output
            .as_deref()
            .map_or(Ok(()), noccl::files::check_output)?;
        let network = self.spec.load()?;
        if network.cores().is_some() {
            return self.cores(&network);
        }
        if let Some(costs) = &self.costs {
            let accepted = "its clusters do not execute programs over ports; accepted: a network of core tiles, or no --costs";
            return Err(Error::argument("--costs", costs, accepted));
        }
        let command = format!("noccl calibrate --spec {}", self.spec.as_arguments());
        let calibration = watched("runs", |watch| {
            noccl::study::calibrate(&network, &command, watch)
        })?;
        if let Some(path) = &self.output {
            noccl::files::write_file(path, &noccl::study::calibration_text(&calibration)?)?;
        }
        if self.json {
            output::json(&calibration)?;
        } else {
            output::result(&summary(&calibration))?;
        }
        Ok(Outcome::Fine)
    }
}

impl Calibrate {
    /// Costs of modelled cores.
    fn cores(&self, network: &Network) -> Result<Outcome, Error> {
        let costs = self.costs.as_deref().unwrap_or("in_order");
        let on_step = |_: &noccl::program::CompileStep| !progress::is_asked();
        let (spec, costs) = watched("runs", |watch| {
            noccl::program::core_costs(network, costs, &on_step, watch)
        })?;
        if let Some(path) = &self.output {
            noccl::files::write_file(path, &noccl::network::to_toml(&spec))?;
        }
        if self.json {
            output::json(&costs)?;
        } else {
            output::result(&core_summary(&costs))?;
        }
        Ok(Outcome::Fine)
    }
}

fn core_summary(costs: &CoreCosts) -> String {
    use Align::{Left, Right};
    let mut out = format!(
        "Costs of the cores of {} as its executed ones have them ({})\n\n",
        costs.network, costs.instruction_costs
    );
    for (name, cycles) in &costs.constants {
        out += &format!("core.{name} = {cycles}\n");
    }
    let header = [
        ("mesh", Left),
        ("function", Left),
        ("algorithm", Left),
        ("bytes", Right),
        ("executed [cycles]", Right),
        ("modelled [cycles]", Right),
        ("deviation", Right),
        ("", Left),
    ];
    let line = |row: &noccl::program::CoreCostRow| {
        vec![
            row.mesh.clone(),
            row.function.clone(),
            row.algorithm.clone(),
            noccl::files::format_bytes(row.bytes),
            grouped(row.executed_cycles),
            grouped(row.modelled_cycles),
            format!("{:+.1} %", 100.0 * row.deviation),
            if row.is_fitted { "fitted" } else { "" }.to_owned(),
        ]
    };
    let lines: Vec<Vec<String>> = costs.rows.iter().map(line).collect();
    out += &format!("\n{}\n", table(&header, &lines));
    let spread = |of: &noccl::program::CoreCostSpread| {
        let (median, max) = (100.0 * of.median, 100.0 * of.max);
        format!(
            "{} runs, apart {median:.1} % in the median, {max:.1} % at most\n",
            of.runs
        )
    };
    out += &format!("fitted: {}", spread(&costs.fitted));
    if let Some(others) = &costs.held_out {
        out += &format!("others: {}", spread(others));
    }
    out
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
