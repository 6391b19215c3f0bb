// SPDX-License-Identifier: Apache-2.0
//! Which hardware follows a run, as users ask for it, and the simulator that it follows.

use crate::{Error, Watch};
use noccl_cosim::{Boundary, Hardware, HardwareReport, OnCycle, OnProgress};
use noccl_net::Network;
use noccl_run::{MemoryImage, Request, RunConfig, RunResult};
use noccl_workload::{Place, Schedule, Trace};
use std::path::PathBuf;

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

    fn hardware(&self) -> Hardware<'_> {
        Hardware {
            boundary: self.boundary,
            sources: self.sources.as_deref(),
        }
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
    (hardware, config): (&HardwareRequest, &RunConfig),
    watch: Watch<'_>,
) -> Result<(RunResult, HardwareReport), Error> {
    let mut simulate = |on_cycle: OnCycle<'_>, on_progress: OnProgress<'_>| {
        let request = Request {
            network,
            schedule,
            inputs,
            config,
        };
        noccl_sim::record_schedule(&request, outputs, on_cycle, on_progress)
    };
    let hardware = (hardware.hardware(), watch);
    let run = (inputs, config);
    Ok(noccl_cosim::run_schedule(
        network,
        schedule,
        run,
        hardware,
        &mut simulate,
    )?)
}

/// Replays a trace in lock-step.
pub(crate) fn run_trace(
    network: &Network,
    trace: &Trace,
    (hardware, config): (&HardwareRequest, &RunConfig),
    watch: Watch<'_>,
) -> Result<(RunResult, HardwareReport), Error> {
    let mut simulate = |on_cycle: OnCycle<'_>, on_progress: OnProgress<'_>| {
        noccl_sim::record_trace(network, trace, config, on_cycle, on_progress)
    };
    let hardware = (hardware.hardware(), watch);
    Ok(noccl_cosim::run_trace(
        network,
        trace,
        config,
        hardware,
        &mut simulate,
    )?)
}
