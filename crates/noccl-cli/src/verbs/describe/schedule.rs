// SPDX-License-Identifier: Apache-2.0
//! `noccl schedule`

use crate::args::{CollectiveArgs, SpecArgs};
use crate::effects::{self, Idle};
use crate::progress::watched;
use crate::verbs::Verb;
use crate::{Outcome, args, output};
use clap::Args;
use noccl::Error;
use noccl::collective::AlgorithmRequest;
use std::path::PathBuf;

/// Make the schedule of a collective by one algorithm, as JSON
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl schedule reduce --bytes 4KiB --algorithm in_network -o reduce.json
  noccl schedule multicast --bytes 32KiB --algorithm chain:8 --json
  noccl schedule all_to_all --spec tilepro64_4x4 --lengths lengths.json --algorithm auto -o exchange.json
  noccl schedule custom --definition swap.json --group 0,0,2,1 --algorithm point_to_point -o swap_schedule.json")]
pub struct Schedule {
    #[command(flatten)]
    spec: SpecArgs,
    #[command(flatten)]
    collective: CollectiveArgs,
    /// Payload per participant, e.g. 4KiB; a barrier has none
    #[arg(long, value_name = "SIZE", default_value = "1KiB")]
    bytes: String,
    /// Name, alone (best parameters are searched) or with parameters, e.g. chain:8
    #[arg(long, value_name = "NAME", default_value = "in_network")]
    algorithm: String,
    /// Where to write the schedule
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the schedule as JSON; the default if there is no output file
    #[arg(long)]
    json: bool,
}

impl Verb for Schedule {
    fn idle(&self) -> Vec<Idle> {
        // The file names operator and element of any collective.
        effects::of_payload(self.collective.collective, &["bytes"])
    }

    fn run(&self) -> Result<Outcome, Error> {
        self.output
            .as_deref()
            .map_or(Ok(()), noccl::files::check_output)?;
        let network = self.spec.load()?;
        let bytes = args::size(&self.bytes)?;
        let algorithm = noccl::collective::parse_one_algorithm("--algorithm", &self.algorithm)?;
        let request = self.collective.request(&network, &[bytes], &[algorithm])?;
        let schedule = watched("schedules", |watch| {
            noccl::collective::schedule(&network, &request, request.bytes[0], algorithm, watch)
        })?;
        if let AlgorithmRequest::Fixed(asked) = algorithm
            && let Some(note) = noccl::collective::fewer_chunks(asked, &schedule.parameters, bytes)
        {
            output::log(&format!("note: {note}"));
        }
        let text = output::to_json(&schedule)?;
        if let Some(path) = &self.output {
            noccl::files::write_file(path, &text)?;
            output::log(&format!(
                "{}: {} with {} actions",
                path.display(),
                schedule.algorithm,
                schedule.actions.len()
            ));
        }
        if self.json || self.output.is_none() {
            output::data(&text)?;
        }
        Ok(Outcome::Fine)
    }
}
