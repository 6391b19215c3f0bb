// SPDX-License-Identifier: Apache-2.0
//! `noccl run messages`: the replay of a message trace.

use super::program_report::summary;
use super::ranks::RanksArgs;
use crate::args::SpecArgs;
use crate::progress::watched;
use crate::{Outcome, output};
use clap::Args;
use noccl::Error;
use noccl::program::MessagesRequest;
use std::path::PathBuf;

/// A message trace: what the ranks of an MPI program have called, as programs/recorder records it
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl run messages solver.messages --spec tilepro64_4x4 --compute-scale 4")]
pub struct RunMessages {
    /// Message trace
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    spec: SpecArgs,
    /// Number of ranks, one per tile; by default as the trace says
    #[arg(long, value_name = "N")]
    ranks: Option<u32>,
    #[command(flatten)]
    of_ranks: RanksArgs,
    /// Multiply all computations by this; nanoseconds become cycles by the network's clock
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    compute_scale: f64,
    /// Whose costs of messages: those of the network's description, or those of the message library that the trace has of this network [default: recorded where it has them]
    #[arg(long, value_enum, value_name = "COSTS")]
    library: Option<Library>,
}

/// Whose costs of messages.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum Library {
    /// Constants of the network's description (`core.*`)
    Modelled,
    /// Cycles of the message library on executed cores, which the trace has
    Recorded,
}

impl RunMessages {
    /// Replays a trace.
    pub fn run(&self) -> Result<Outcome, Error> {
        let network = &self.spec.load()?;
        let of_ranks = &self.of_ranks;
        let request = MessagesRequest {
            trace: self.file.clone(),
            ranks: self.ranks,
            library: self.library.map(|library| match library {
                Library::Modelled => noccl::program::LibraryCosts::Modelled,
                Library::Recorded => noccl::program::LibraryCosts::Recorded,
            }),
            collectives: noccl::program::parse_program_algorithm(&of_ranks.collectives)?,
            compute_scale: self.compute_scale,
            max_cycles: of_ranks.max_cycles,
            noise_seed: of_ranks.noise,
        };
        of_ranks.check_outputs()?;
        let (report, kept) = watched("calls", |watch| {
            noccl::program::record_replayed(network, &request, of_ranks.recording(), watch)
        })?;
        of_ranks.write(kept.timeline.as_ref(), kept.run.as_ref())?;
        if of_ranks.json {
            output::json(&report)?;
        } else {
            output::result(&summary(&report))?;
        }
        Ok(Outcome::Fine)
    }
}
