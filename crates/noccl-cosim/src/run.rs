// SPDX-License-Identifier: Apache-2.0
//! Runs in lock-step with the hardware: a schedule or a trace, on the simulator that is passed in.
//!
//! The simulator records its run cycle by cycle, and the hardware follows while it runs ([`followed`]): no record is kept.

use crate::CosimError;
use crate::endpoints::{EngineStarts, Places, places_of, refuse_network, refuse_schedule};
use crate::follow::{HardwareReport, Simulate, Start, followed};
use crate::library::{Arithmetic, Boundary, BuildInputs, find_or_build, read_sources};
use noccl_net::Network;
use noccl_rtl::{PARTS, RtlConfig, RtlError, SmartRtlConfig, SourceFile, hardware_sources};
use noccl_run::{CycleRecord, MemoryImage, RunConfig, RunError, RunResult, Tally, Watch};
use noccl_workload::{Schedule, Trace};
use std::path::{Path, PathBuf};

/// Which hardware follows a run.
#[derive(Debug, Clone, Copy)]
pub struct Hardware<'h> {
    /// Where hardware and simulator meet.
    pub boundary: Boundary,
    /// Folder `rtl` of a checkout; `None` for the hardware that this program was built with.
    pub sources: Option<&'h Path>,
}

/// Runs a schedule, which the checker has accepted, in lock-step. At the DMA engines' boundary it is simulated twice.
///
/// # Errors
/// [`CosimError`]: no hardware for the network or the schedule, no library, a difference, or the simulator's own.
pub fn run_schedule(
    network: &Network,
    schedule: &Schedule,
    (inputs, config): (&[MemoryImage], &RunConfig),
    (hardware, watch): (Hardware<'_>, Watch<'_>),
    simulate: Simulate<'_>,
) -> Result<(RunResult, HardwareReport), CosimError> {
    if let Some(numbers) = SmartRtlConfig::of(network) {
        let library = hardware.message_library(&numbers?, watch)?;
        let place = (network, Boundary::Router, library.as_path());
        return followed(place, Start::of_messages(config), watch, simulate);
    }
    let numbers = RtlConfig::new(network)?;
    let boundary = hardware.boundary;
    if boundary != Boundary::Router {
        refuse_network(&numbers)?;
        refuse_schedule(schedule)?;
    }
    let arithmetic = Arithmetic::of_schedule(schedule)?;
    let mut starts = EngineStarts::default();
    if boundary == Boundary::Dma {
        starts = engine_starts(watch, simulate)?;
    }
    let library = hardware.library(&numbers, arithmetic, watch)?;
    let place = (network, boundary, library.as_path());
    let start = Start {
        inputs,
        places: Places::default(),
        starts,
        config,
    };
    followed(place, start, watch, simulate)
}

/// Replays a trace in lock-step.
///
/// # Errors
/// As [`run_schedule`]; [`CosimError::Boundary`] at the DMA engines' boundary.
pub fn run_trace(
    network: &Network,
    trace: &Trace,
    config: &RunConfig,
    (hardware, watch): (Hardware<'_>, Watch<'_>),
    simulate: Simulate<'_>,
) -> Result<(RunResult, HardwareReport), CosimError> {
    if SmartRtlConfig::of(network).is_some() {
        return Err(CosimError::Rtl(RtlError::Refused {
            field: "router.flow".to_owned(),
            found: "\"smart\"".to_owned(),
            accepted: "accepted for traces of AXI transactions: \"non_blocking\"; for schedules this one too".to_owned(),
        }));
    }
    let numbers = RtlConfig::new(network)?;
    let boundary = hardware.boundary;
    let mut places = Places::default();
    match boundary {
        Boundary::Router => {}
        Boundary::Axi => {
            refuse_network(&numbers)?;
            places = places_of(trace)?;
        }
        Boundary::Dma => {
            let accepted = "accepted for traces, which no engine starts: router, axi";
            let boundary = boundary.name();
            return Err(CosimError::Boundary { boundary, accepted });
        }
    }
    let library = hardware.library(&numbers, Arithmetic::of_trace(trace), watch)?;
    let place = (network, boundary, library.as_path());
    let start = Start {
        inputs: &[],
        places,
        starts: EngineStarts::default(),
        config,
    };
    followed(place, start, watch, simulate)
}

/// When the engines of a schedule begin their transfers, by a run of the simulator alone: their registers are accessed before.
fn engine_starts(watch: Watch<'_>, simulate: Simulate<'_>) -> Result<EngineStarts, RunError> {
    let mut starts = EngineStarts::default();
    let mut note = |record: &CycleRecord| starts.add(record);
    Tally::run_actions(watch, |on_progress| simulate(&mut note, on_progress))?;
    Ok(starts)
}

impl Hardware<'_> {
    /// Folder of the library, which is made if there is none.
    fn library(
        self,
        config: &RtlConfig,
        arithmetic: Arithmetic,
        watch: Watch<'_>,
    ) -> Result<PathBuf, CosimError> {
        let (folder, sources) = self.sources()?;
        let boundary = self.boundary;
        let inputs = BuildInputs::new(config, boundary, arithmetic, &folder, &sources)?;
        let name = format!("{}-{}", config.network, boundary.name());
        find_or_build(&name, &inputs, watch)
    }

    /// The same of routers with bypass.
    fn message_library(
        self,
        config: &SmartRtlConfig,
        watch: Watch<'_>,
    ) -> Result<PathBuf, CosimError> {
        if self.boundary != Boundary::Router {
            return Err(CosimError::Boundary {
                boundary: self.boundary.name(),
                accepted: "accepted with router.flow = \"smart\", whose interfaces are the simulator's only: router",
            });
        }
        let (folder, sources) = self.sources()?;
        let inputs = BuildInputs::of_smart(config, &folder, &sources)?;
        let name = format!("{}-{}", config.network, self.boundary.name());
        find_or_build(&name, &inputs, watch)
    }

    /// Where the hardware stands, and its files.
    fn sources(self) -> Result<(String, Vec<SourceFile>), CosimError> {
        let (folder, sources) = match self.sources {
            None => (Path::new("rtl"), hardware_sources()),
            Some(folder) => (folder, read_sources(folder, &PARTS)?),
        };
        Ok((folder.display().to_string(), sources))
    }
}
