// SPDX-License-Identifier: Apache-2.0
//! `noccl validation`

use crate::args::{SpecArgs, load_calibration};
use crate::progress::watched;
use crate::table::{Align, table, table_dropping};
use crate::verbs::Verb;
use crate::width::prose;
use crate::{Outcome, output};
use clap::Args;
use noccl::Error;
use noccl::study::{DeviationRow, MARKED_DEVIATION, ModelAccuracy, PublishedRow, Validation};
use std::path::PathBuf;

/// Errors of the analytic models
///
/// Compares the published equations with the paper, and our model with the simulator.
///
/// Then the published equations against the simulator on growing meshes, to see where they deviate.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl validation
  noccl validation --max-side 8 --json")]
pub struct ValidationVerb {
    #[command(flatten)]
    spec: SpecArgs,
    /// Constants of the model, from `noccl calibrate -o`; default: those that ship with it
    #[arg(long, value_name = "FILE")]
    calibration: Option<PathBuf>,
    /// Largest square mesh, clusters a side, on which the published equations are compared: 4, 8, 16 or 32
    #[arg(long, value_name = "SIDE", default_value_t = 32)]
    max_side: u16,
    /// Print all rows as JSON
    #[arg(long)]
    json: bool,
}

impl Verb for ValidationVerb {
    fn run(&self) -> Result<Outcome, Error> {
        let network = self.spec.load()?;
        let calibration = load_calibration(self.calibration.as_deref())?;
        let validation = watched("runs", |watch| {
            noccl::study::validation(&network, &calibration, self.max_side, watch)
        })?;
        if self.json {
            output::json(&validation)?;
        } else {
            output::result(&text(&validation))?;
        }
        let all_hold = validation.model.holds && validation.published.iter().all(|row| row.holds);
        Ok(if all_hold {
            Outcome::Fine
        } else {
            Outcome::Failed
        })
    }
}

fn text(validation: &Validation) -> String {
    let accuracy = prose(&format!(
        "Simulator against our model, {} points: error {:.2} % in the median, {:.2} % at most: {}",
        validation.model.rows.len(),
        validation.model.median_error * 100.0,
        validation.model.max_error * 100.0,
        word(validation.model.holds),
    ));
    format!(
        "Published equations and constants against the paper\n\n{}\n{accuracy}\n{}\n\
         Published equations against the simulator (*: more than {} % apart)\n\n{}",
        published(&validation.published),
        worst(&validation.model),
        MARKED_DEVIATION * 100.0,
        deviations(&validation.deviations)
    )
}

fn word(holds: bool) -> &'static str {
    if holds { "holds" } else { "FAILS" }
}

fn published(rows: &[PublishedRow]) -> String {
    let header = [
        ("quantity", Align::Left),
        ("place", Align::Left),
        ("paper", Align::Right),
        ("equations", Align::Right),
        ("", Align::Left),
    ];
    let body: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let fitted = if row.fitted.is_some() {
                " (fitted)"
            } else {
                ""
            };
            vec![
                row.quantity.clone(),
                row.place.clone(),
                row.paper.to_string(),
                format!("{:.3}", row.equations),
                format!("{}{fitted}", word(row.holds)),
            ]
        })
        .collect();
    let mut notes: Vec<&str> = rows
        .iter()
        .filter_map(|row| row.fitted.as_deref())
        .collect();
    notes.dedup();
    let notes: String = notes
        .iter()
        .map(|note| prose(&format!("fitted: {note}")))
        .collect();
    table_dropping(&header, &body, &["place"], None) + &notes
}

/// The worst point of every collective and algorithm.
fn worst(accuracy: &ModelAccuracy) -> String {
    let header = [
        ("worst of", Align::Left),
        ("group", Align::Left),
        ("bytes", Align::Right),
        ("algorithm", Align::Left),
        ("simulator", Align::Right),
        ("model", Align::Right),
        ("error [%]", Align::Right),
    ];
    let mut body: Vec<Vec<String>> = Vec::new();
    for kind in ["multicast", "reduce", "barrier"] {
        let of_kind = accuracy
            .rows
            .iter()
            .filter(|r| noccl::collective::word(&r.collective) == kind);
        let Some(row) = of_kind.max_by(|a, b| a.error.abs().total_cmp(&b.error.abs())) else {
            continue;
        };
        body.push(vec![
            kind.to_owned(),
            format!("{}x{}", row.columns, row.rows),
            noccl::files::format_bytes(row.bytes),
            row.algorithm.clone(),
            row.simulated_cycles.to_string(),
            format!("{:.1}", row.model_cycles),
            format!("{:+.2}", row.error * 100.0),
        ]);
    }
    table(&header, &body)
}

fn deviations(rows: &[DeviationRow]) -> String {
    let header = [
        ("mesh", Align::Left),
        ("collective", Align::Left),
        ("bytes", Align::Right),
        ("algorithm", Align::Left),
        ("constants", Align::Left),
        ("published", Align::Right),
        ("our model", Align::Right),
        ("simulator", Align::Right),
        ("published [%]", Align::Right),
        ("model [%]", Align::Right),
    ];
    let body: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let is_far = row.published_error.abs() > MARKED_DEVIATION;
            let mark = if is_far { "*" } else { "" };
            vec![
                format!("{0}x{0}", row.side),
                noccl::collective::word(&row.collective),
                noccl::files::format_bytes(row.bytes),
                row.algorithm.clone(),
                row.constants.clone(),
                format!("{:.0}", row.published_cycles),
                format!("{:.0}", row.model_cycles),
                row.simulated_cycles.to_string(),
                format!("{mark}{:+.1}", row.published_error * 100.0),
                format!("{:+.2}", row.model_error * 100.0),
            ]
        })
        .collect();
    table(&header, &body)
}
