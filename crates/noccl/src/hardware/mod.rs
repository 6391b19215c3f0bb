// SPDX-License-Identifier: Apache-2.0
//! Runs in lock-step with the hardware: it takes every cycle of the simulator's course, or the run ends with the first difference.
//!
//! The hardware of a network is translated to a library when a run needs it first ([`library`]), and opened again by later runs.
//! The simulator records its run cycle by cycle, and the hardware follows while it runs ([`follow`]): no record is kept.

mod error;
mod follow;
mod library;
mod verilator;

pub use error::HardwareError;
pub(crate) use verilator::verilator_found;

use crate::rtl::read_sources;
use crate::watch::Tally;
use crate::{Error, RunRequest, Watch};
use follow::{Start, followed};
use noccl_net::Network;
use noccl_rtl::endpoints::{EngineStarts, Places, places_of, refuse_network, refuse_schedule};
use noccl_rtl::{Arithmetic, Boundary, RtlConfig, Translation, hardware_sources};
use noccl_run::{CycleRecord, MemoryImage, Mode, RunConfig, RunResult};
use noccl_sim::ScheduleRun;
use noccl_workload::{Place, Schedule, Trace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Which hardware follows a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HardwareRequest {
    /// Where hardware and simulator meet.
    pub boundary: Boundary,
    /// Folder `rtl` of a checkout; `None` for the hardware that this program was built with.
    pub sources: Option<PathBuf>,
}

impl HardwareRequest {
    /// Reads what runs: `sim`, the simulator alone, or `rtl`, hardware beside it, at the routers if no boundary is named: every
    /// workload can be compared there.
    ///
    /// # Errors
    /// [`Error::Argument`] with the names that exist, or for what is of no use without hardware.
    pub fn parse(
        backend: &str,
        boundary: Option<Boundary>,
        sources: Option<PathBuf>,
    ) -> Result<Option<Self>, Error> {
        match backend {
            "sim" => {}
            "rtl" => {
                let boundary = boundary.unwrap_or(Boundary::Router);
                return Ok(Some(Self { boundary, sources }));
            }
            _ => return Err(Error::argument("--backend", backend, "accepted: sim, rtl")),
        }
        let accepted = "accepted with --backend rtl only";
        match (boundary, sources) {
            (None, None) => Ok(None),
            (Some(boundary), _) => Err(Error::argument("--boundary", boundary.name(), accepted)),
            (None, Some(folder)) => Err(Error::argument("--hardware", folder.display(), accepted)),
        }
    }
}

/// A run that the hardware has followed to its end without a difference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HardwareReport {
    /// Where hardware and simulator met: `router`, `axi` or `dma`.
    pub boundary: String,
    /// Folder of the Verilated hardware.
    pub library: String,
    /// Cycles of the hardware, after the last event too.
    pub cycles: u64,
    /// Handshakes that both had in common.
    pub handshakes: u64,
    /// Cycles per second of wall time, with the simulator and all comparisons.
    pub cycles_per_second: f64,
}

/// Reads the name of a boundary.
///
/// # Errors
/// [`Error::Argument`] with the names that exist.
pub fn parse_boundary(text: &str) -> Result<Boundary, Error> {
    let found = Boundary::ALL.into_iter().find(|b| b.name() == text);
    let names = Boundary::ALL.map(Boundary::name).join(", ");
    found.ok_or_else(|| Error::argument("--boundary", text, format!("accepted: {names}")))
}

/// Runs a schedule, which the checker has accepted, in lock-step.
pub(crate) fn run_schedule(
    network: &Network,
    schedule: &Schedule,
    (inputs, outputs): (&[MemoryImage], &[(Place, u64)]),
    (request, hardware): (&RunRequest, &HardwareRequest),
    watch: Watch<'_>,
) -> Result<(RunResult, HardwareReport), Error> {
    refuse(request)?;
    let config = RtlConfig::new(network)?;
    let boundary = hardware.boundary;
    if boundary != Boundary::Router {
        refuse_network(&config)?;
        refuse_schedule(schedule)?;
    }
    let arithmetic = Arithmetic::of_schedule(schedule)?;
    let mut starts = EngineStarts::default();
    if boundary == Boundary::Dma {
        let run = (network, schedule, inputs);
        starts = engine_starts(run, &request.config, watch)?;
    }
    let library = library(&config, hardware, arithmetic, watch)?;
    let place = (network, boundary, library.as_path());
    let start = Start {
        inputs,
        places: Places::default(),
        starts,
        config: &request.config,
    };
    followed(place, start, watch, |on_cycle, on_progress| {
        let mut run = ScheduleRun::recorded(network, schedule, inputs, &request.config, on_cycle)?;
        run.advance(on_progress)?;
        Ok(run.result(outputs))
    })
}

/// Replays a trace in lock-step.
pub(crate) fn run_trace(
    network: &Network,
    trace: &Trace,
    (request, hardware): (&RunRequest, &HardwareRequest),
    watch: Watch<'_>,
) -> Result<(RunResult, HardwareReport), Error> {
    refuse(request)?;
    let config = RtlConfig::new(network)?;
    let mut places = Places::default();
    match hardware.boundary {
        Boundary::Router => {}
        Boundary::Axi => {
            refuse_network(&config)?;
            places = places_of(trace)?;
        }
        Boundary::Dma => {
            let accepted = "accepted for traces, which no engine starts: router, axi";
            return Err(Error::argument("--boundary", "dma", accepted));
        }
    }
    let library = library(&config, hardware, Arithmetic::of_trace(trace), watch)?;
    let place = (network, hardware.boundary, library.as_path());
    let start = Start {
        inputs: &[],
        places,
        starts: EngineStarts::default(),
        config: &request.config,
    };
    followed(place, start, watch, |on_cycle, on_progress| {
        noccl_sim::record_trace(network, trace, &request.config, on_cycle, on_progress)
    })
}

/// When the engines of a schedule begin their transfers, by a run of the simulator alone: their registers are accessed before.
fn engine_starts(
    (network, schedule, inputs): (&Network, &Schedule, &[MemoryImage]),
    config: &RunConfig,
    watch: Watch<'_>,
) -> Result<EngineStarts, Error> {
    let mut starts = EngineStarts::default();
    let mut note = |record: &CycleRecord| starts.add(record);
    Tally::run_actions(watch, |on_progress| {
        let mut run = ScheduleRun::recorded(network, schedule, inputs, config, &mut note)?;
        run.advance(on_progress)
    })?;
    Ok(starts)
}

/// What no run in lock-step does.
fn refuse(request: &RunRequest) -> Result<(), Error> {
    if request.config.mode == Mode::Timing {
        let accepted = "accepted with hardware: value (it moves bytes)";
        return Err(Error::argument("--mode", "timing", accepted));
    }
    match &request.checkpoint {
        None => Ok(()),
        Some(checkpoint) => {
            let accepted = "accepted without hardware only, whose state no checkpoint holds";
            let file = checkpoint.file.display();
            Err(Error::argument("--checkpoint", file, accepted))
        }
    }
}

/// Folder of the library, which is made if there is none.
fn library(
    config: &RtlConfig,
    hardware: &HardwareRequest,
    arithmetic: Arithmetic,
    watch: Watch<'_>,
) -> Result<PathBuf, Error> {
    let (folder, sources) = match &hardware.sources {
        None => (Path::new("rtl"), hardware_sources()),
        Some(folder) => (folder.as_path(), read_sources(folder)?),
    };
    let folder = folder.display().to_string();
    let boundary = hardware.boundary;
    let translation = Translation::new(config, boundary, arithmetic, &folder, &sources)?;
    let name = format!("{}-{}", config.network, boundary.name());
    library::library(&name, &translation, watch)
}
