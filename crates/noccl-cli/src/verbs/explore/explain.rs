// SPDX-License-Identifier: Apache-2.0
//! `noccl explain`

use crate::args::{CollectiveOptions, SpecArgs};
use crate::effects::{self, Idle};
use crate::progress::watched;
use crate::verbs::Verb;
use crate::verbs::explanation::text;
use crate::{Outcome, args, output};
use clap::Args;
use noccl::Error;
use noccl::collective::{CollectiveKind, ExplainRequest, ExplainSubject};
use std::path::Path;

/// Say where the cycles of a run go, and what would change them
///
/// Each cycle of the critical path has one cause, so the parts sum to the cycles. The run is repeated with more of what it waits for.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl explain reduce --bytes 32KiB --algorithm in_network --root 1,1
  noccl explain all_reduce --spec collective_noc_8x8 --bytes 4KiB --algorithm point_to_point --path
  noccl explain all_to_all --spec tilepro64_4x4 --bytes 128 --algorithm rounds:split
  noccl explain reduce.json -P router.input_fifo_flits=4 --json")]
pub struct Explain {
    /// Name of a collective, as `noccl compare` takes it, or a schedule (JSON)
    #[arg(value_name = "COLLECTIVE|SCHEDULE")]
    what: String,
    #[command(flatten)]
    spec: SpecArgs,
    #[command(flatten)]
    options: CollectiveOptions,
    /// Payload per participant, e.g. 4KiB; a barrier has none
    #[arg(long, value_name = "SIZE", default_value = "1KiB")]
    bytes: String,
    /// auto (what the model expects to be fastest), or one name, alone (best parameters are searched) or with parameters,
    /// e.g. chain:8
    #[arg(long, value_name = "NAME", default_value = "auto")]
    algorithm: String,
    /// Core tiles: no message of a round begins before those of all earlier rounds have come, as on an ideal machine
    #[arg(long)]
    lock_step: bool,
    /// Do not repeat the run with more of what it waits for
    #[arg(long)]
    no_reruns: bool,
    /// Print the steps of the critical path
    #[arg(long)]
    path: bool,
    /// Print the explanation as JSON
    #[arg(long, conflicts_with = "path")]
    json: bool,
}

impl Explain {
    /// The collective; `None` of a schedule.
    fn collective(&self) -> Result<Option<CollectiveKind>, Error> {
        match noccl::collective::parse_collective(&self.what) {
            Ok(kind) => Ok(Some(kind)),
            Err(_) if self.is_file() => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn is_file(&self) -> bool {
        let path = Path::new(&self.what);
        path.extension().is_some() || path.exists()
    }

    fn subject(&self, network: &noccl::network::Network) -> Result<ExplainSubject, Error> {
        let Some(kind) = self.collective()? else {
            let schedule = noccl::collective::read_schedule(Path::new(&self.what))?;
            return Ok(ExplainSubject::Schedule(Box::new(schedule)));
        };
        let algorithm = noccl::collective::parse_one_algorithm("--algorithm", &self.algorithm)?;
        let bytes = args::size(&self.bytes)?;
        let request = (self.options).request(kind, network, &[bytes], &[algorithm])?;
        Ok(ExplainSubject::Collective(Box::new(request), algorithm))
    }
}

impl Verb for Explain {
    fn idle(&self) -> Vec<Idle> {
        match self.collective() {
            Ok(Some(kind)) => [
                effects::of_payload(kind, &["bytes"]),
                effects::of_sums(kind),
            ]
            .concat(),
            Ok(None) => {
                let ids = [&CollectiveOptions::IDS[..], &["bytes", "algorithm"]].concat();
                effects::idle(true, &ids, "a schedule", "a collective")
            }
            // The run says what is accepted.
            Err(_) => Vec::new(),
        }
    }

    fn run(&self) -> Result<Outcome, Error> {
        let network = self.spec.load()?;
        let request = ExplainRequest {
            subject: self.subject(&network)?,
            has_relaxed: !self.no_reruns,
            is_lock_step: self.lock_step,
        };
        let found = watched("runs", |watch| {
            noccl::collective::explain(&network, &request, watch)
        })?;
        if self.json {
            output::json(&found)?;
        } else {
            output::result(&text(&found, self.path))?;
        }
        Ok(Outcome::Fine)
    }
}
