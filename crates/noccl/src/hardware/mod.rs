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
use crate::{Error, RunRequest, Watch};
use follow::followed;
use noccl_net::Network;
use noccl_rtl::{Arithmetic, Boundary, RtlConfig, Translation, hardware_sources};
use noccl_run::{MemoryImage, Mode, RunResult};
use noccl_sim::ScheduleRun;
use noccl_workload::{Place, PortKind, Schedule, Trace};
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

impl Default for HardwareRequest {
    /// The routers of this program: the boundary at which every workload can be compared.
    fn default() -> Self {
        Self {
            boundary: Boundary::Router,
            sources: None,
        }
    }
}

/// A run that the hardware has followed to its end without a difference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HardwareReport {
    /// Where hardware and simulator met: `router` or `axi`.
    pub boundary: String,
    /// Folder of the translated hardware.
    pub library: String,
    /// Cycles of the hardware, after the last event too.
    pub cycles: u64,
    /// Handshakes that both had in common.
    pub handshakes: u64,
    /// Cycles per second of wall time, with the simulator and all comparisons.
    pub cycles_per_second: f64,
}

/// Reads what runs: `sim`, the simulator alone, or `rtl`, hardware beside it.
///
/// # Errors
/// [`Error::Argument`] with the names that exist.
pub fn parse_run_backend(text: &str) -> Result<Option<HardwareRequest>, Error> {
    match text {
        "sim" => Ok(None),
        "rtl" => Ok(Some(HardwareRequest::default())),
        _ => Err(Error::argument("--backend", text, "accepted: sim, rtl")),
    }
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
    if hardware.boundary == Boundary::Axi {
        let accepted = "accepted for schedules: router (DMA engines are no hardware there yet)";
        return Err(Error::argument("--boundary", "axi", accepted));
    }
    let config = RtlConfig::new(network)?;
    let library = library(&config, hardware, Arithmetic::of_schedule(schedule)?, watch)?;
    let place = (network, hardware.boundary, library.as_path());
    followed(place, &request.config, watch, |on_cycle, on_progress| {
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
    if hardware.boundary == Boundary::Axi {
        refuse_at_axi(trace)?;
    }
    let config = RtlConfig::new(network)?;
    let library = library(&config, hardware, Arithmetic::of_trace(trace), watch)?;
    let place = (network, hardware.boundary, library.as_path());
    followed(place, &request.config, watch, |on_cycle, on_progress| {
        noccl_sim::record_trace(network, trace, &request.config, on_cycle, on_progress)
    })
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

/// What traces ask of network interfaces and the endpoint model does not do.
fn refuse_at_axi(trace: &Trace) -> Result<(), Error> {
    let is_reduction = |kind: &PortKind| matches!(kind, PortKind::WideReduction { .. });
    let what = if trace.transactions.len() > Boundary::MAX_TRANSACTIONS {
        "more than 1024 transactions"
    } else if trace.transactions.iter().any(|t| is_reduction(&t.kind)) {
        "wide reductions"
    } else if !trace.faults.is_empty() {
        "faults"
    } else {
        return Ok(());
    };
    let accepted = format!("accepted for traces with {what}: router");
    Err(Error::argument("--boundary", "axi", accepted))
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
