// SPDX-License-Identifier: Apache-2.0
//! `noccl doctor`

use crate::table::{Align, table};
use crate::verbs::Verb;
use crate::{Outcome, output};
use clap::Args;
use noccl::{DoctorState, Error};

/// Check the installation
///
/// Version, formats, threads and presets.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  noccl doctor\n  noccl doctor --json")]
pub struct Doctor {
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

impl Verb for Doctor {
    fn run(&self) -> Result<Outcome, Error> {
        let rows = noccl::doctor();
        if self.json {
            output::json(&rows)?;
        } else {
            let header = [
                ("", Align::Left),
                ("checked", Align::Left),
                ("found", Align::Left),
            ];
            let body: Vec<Vec<String>> = rows
                .iter()
                .map(|row| {
                    let mark = match row.state {
                        DoctorState::Ok => "ok",
                        DoctorState::Missing => "missing",
                        DoctorState::Wrong => "WRONG",
                    };
                    vec![mark.to_owned(), row.name.clone(), row.found.clone()]
                })
                .collect();
            output::result(&table(&header, &body))?;
        }
        Ok(if rows.iter().all(|r| r.state != DoctorState::Wrong) {
            Outcome::Fine
        } else {
            Outcome::Failed
        })
    }
}
