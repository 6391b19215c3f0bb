// SPDX-License-Identifier: Apache-2.0
//! Options of runs of ranks.

use crate::recording;
use clap::Args;
use noccl::Error;
use noccl::collective::RunRecording;
use noccl::program::{Recording, Timeline};
use std::path::PathBuf;

/// How ranks run.
#[derive(Debug, Args)]
pub struct RanksArgs {
    /// Algorithm of the collectives that a script, a program of --calls or a message trace calls
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub collectives: String,
    /// Give up with a diagnosis after this many cycles
    #[arg(long, value_name = "CYCLES")]
    pub max_cycles: Option<u64>,
    /// Core tiles: under the noise of the spec (core.noise_cycles), from this seed on
    #[arg(long, value_name = "SEED")]
    pub noise: Option<u64>,
    /// Write when each rank computed, sent, received and waited to this file (.json), which ui.perfetto.dev shows; of a script also a picture (.svg, .png, .pdf)
    #[arg(long, value_name = "FILE")]
    pub timeline: Option<PathBuf>,
    /// Record what ranks wait for, links, blocked router ports and transactions over time to this file, for noccl view: .json (also for ui.perfetto.dev) or .parquet
    #[arg(long, value_name = "FILE")]
    pub record_run: Option<PathBuf>,
    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
}

impl RanksArgs {
    /// Places for what is kept of a run that is no script: of timelines only the file of trace events is written here.
    pub fn check_outputs(&self) -> Result<(), Error> {
        if let Some(place) = &self.record_run {
            recording::check("--record-run", place)?;
        }
        let Some(place) = &self.timeline else {
            return Ok(());
        };
        if place.extension().is_none_or(|e| e != "json") {
            let accepted =
                "accepted: FILE.json, of which python -m noccl.timelines makes a picture";
            return Err(Error::argument("--timeline", place.display(), accepted));
        }
        noccl::files::check_output(place)
    }

    /// What is to be kept of a run, apart from its messages.
    pub const fn recording(&self) -> Recording {
        Recording {
            has_messages: false,
            has_timeline: self.timeline.is_some(),
            has_run: self.record_run.is_some(),
        }
    }

    /// Writes what was kept.
    pub fn write(
        &self,
        timeline: Option<&Timeline>,
        run: Option<&RunRecording>,
    ) -> Result<(), Error> {
        if let Some(timeline) = timeline {
            self.write_timeline(timeline)?;
        }
        match (&self.record_run, run) {
            (Some(place), Some(run)) => recording::write("--record-run", place, run),
            (Some(_) | None, Some(_) | None) => Ok(()),
        }
    }

    fn write_timeline(&self, timeline: &Timeline) -> Result<(), Error> {
        let Some(place) = &self.timeline else {
            return Ok(());
        };
        let text = timeline
            .trace_events()
            .map_err(|error| Error::argument("--timeline", place.display(), error.to_string()))?;
        noccl::files::write_file(place, &text)?;
        Ok(())
    }
}
