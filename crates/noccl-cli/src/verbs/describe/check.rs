// SPDX-License-Identifier: Apache-2.0
//! `noccl check`

use crate::args::SpecArgs;
use crate::table::{Align, grouped, table};
use crate::verbs::Verb;
use crate::{Outcome, output};
use clap::Args;
use noccl::Error;
use noccl::collective::{CheckError, CheckReport, Deadlock, DeadlockProof};
use std::path::PathBuf;

/// Prove a schedule right without running it
///
/// Proves the form, that no actions wait for each other in a circle, that the network cannot deadlock, that no accesses race,
/// and the postcondition of the collective.
///
/// Reports the steps and which links several transfers of one step share.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl check reduce.json
  noccl check reduce.json --spec collective_noc_8x8 --json")]
pub struct Check {
    /// Schedule (JSON)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    spec: SpecArgs,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

impl Verb for Check {
    fn run(&self) -> Result<Outcome, Error> {
        let network = self.spec.load()?;
        let schedule = noccl::collective::read_schedule(&self.file)?;
        let report = noccl::collective::check(&network, &schedule)
            .inspect_err(|error| self.tell_cycle(error))?;
        if self.json {
            output::json(&report)?;
        } else {
            output::result(&summary(&report))?;
        }
        Ok(Outcome::Fine)
    }
}

impl Check {
    /// With --json a deadlock is a result too: `{"deadlock": …}` with the cycle. The message goes where all errors go.
    fn tell_cycle(&self, error: &Error) {
        let Error::Check(check) = error else { return };
        let CheckError::Deadlock(deadlock) = check.as_ref() else {
            return;
        };
        if self.json {
            let refusal = Refusal {
                deadlock: Deadlock::report(deadlock),
            };
            // The error itself is what the call ends with.
            let _ = output::json(&refusal);
        }
    }
}

#[derive(serde::Serialize)]
struct Refusal {
    deadlock: noccl::collective::DeadlockReport,
}

fn summary(report: &CheckReport) -> String {
    let header = [
        ("step", Align::Right),
        ("actions", Align::Right),
        ("transfers", Align::Right),
        ("bytes", Align::Right),
        ("shared links", Align::Right),
        ("transfers on the most shared", Align::Right),
    ];
    let rows: Vec<Vec<String>> = report
        .steps
        .iter()
        .enumerate()
        .map(|(index, step)| {
            let most = step.contended.iter().map(|l| l.transfers).max();
            vec![
                index.to_string(),
                step.actions.to_string(),
                step.transfers.to_string(),
                grouped(step.bytes),
                step.contended.len().to_string(),
                most.map_or_else(|| "-".to_owned(), |n| n.to_string()),
            ]
        })
        .collect();
    let orders = if report.fold_orders.is_empty() {
        String::new()
    } else {
        format!("fold order {}\n", report.fold_orders.join("; "))
    };
    let claim = match report.claims {
        Some(kind) => format!("right: {}", noccl::collective::word(&kind)),
        None => "claims no collective: possible and free of races, no outputs compared".to_owned(),
    };
    let deadlock = match report.deadlock.proof {
        Some(DeadlockProof::Mechanism) => "none: the routers allow no circular wait".to_owned(),
        Some(DeadlockProof::Search) => format!(
            "none among what may be open together ({} waits)",
            grouped(report.deadlock.waits as u64)
        ),
        None => "freedom not proved: not all that may be open together is looked at".to_owned(),
    };
    // Even where no action is right, the reader should see that there is none.
    let empty = if report.actions == 0 { "EMPTY: " } else { "" };
    format!(
        "{claim}; {empty}{} actions, {} transfers, {} bytes\ndeadlock   {deadlock}\n{orders}\n{}",
        report.actions,
        report.transfers,
        grouped(report.bytes),
        table(&header, &rows)
    )
}
